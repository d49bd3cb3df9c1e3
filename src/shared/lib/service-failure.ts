import { isNativeError } from 'node:util/types'

/** The facts about a message that an SDK's error tells, or the result with which its call resolved. */
export interface ServiceFailure {
  /** The service has answered that it did not accept the message. Otherwise it may have accepted it. */
  readonly refused: boolean
  /** The service would refuse the same message again. */
  readonly permanent: boolean
  /** Codes only, and no text, because a service may repeat the message in its answer. */
  readonly problem: string
}

/** The status of 400 to 599 with which a service has answered. */
interface Status {
  readonly code: number
  /** A mail server's reply (RFC 5321 4.2) and not a status of HTTP. */
  readonly isReply: boolean
}

/** Calls a service. Rejects also if the call resolves with a result that tells of a failure. */
export async function callService(call: () => unknown): Promise<void> {
  // Awaited here, so that a call that throws instead of rejecting becomes a rejection too.
  const evidence = findFailure(await call())
  if (evidence) throw new ResolvedFailure(evidence)
}

/** `evidence`: the objects that tell of the failure, the innermost first. */
class ResolvedFailure extends Error {
  readonly evidence: readonly unknown[]

  constructor(evidence: readonly unknown[]) {
    super(`The call resolved with a failure (${readServiceFailure(evidence[0]).problem}).`)
    this.evidence = evidence
  }
}

/** Reads the error of `callService`. Members `refused` and `permanent` of the error decide; without them its status. */
export function readServiceFailure(error: unknown): ServiceFailure {
  const layers = (error instanceof ResolvedFailure ? error.evidence : [error]).flatMap(listAnswers)
  const status = readStatus(layers)
  const saysRefused = findMember(layers, ['refused'])
  const saysPermanent = findMember(layers, ['permanent'])
  const hasAnswered = status !== undefined && isAnswerToAll(status, layers)
  const permanent =
    typeof saysPermanent === 'boolean'
      ? saysPermanent
      : saysRefused !== false && hasAnswered && isPermanent(status, layers)
  return {
    permanent,
    refused: permanent || (typeof saysRefused === 'boolean' ? saysRefused : hasAnswered),
    problem: describe(layers, status),
  }
}

/**
 * Whether the service itself has refused each attempt. A gateway answers 502, 504 (RFC 9110 15.6.3, 15.6.5) or 520 to 530
 * (Cloudflare) when the service may have accepted the message. An SDK that repeats a request after a lost connection
 * has the status of the last attempt only.
 */
function isAnswerToAll({ code, isReply }: Status, layers: readonly object[]): boolean {
  const isOfGateway = !isReply && (code === 502 || code === 504 || (code >= 520 && code <= 530))
  return !isOfGateway && !(Number(findMember(layers, ['attempts'])) > 1)
}

/** The answers that concern this one message, its form or its size. Others (login, rate, quota) concern every message. */
const MESSAGE_STATUSES: ReadonlySet<number> = new Set([400, 413, 422])
/** Error names of Amazon SES. Its other answers with 400 concern the login, the account or the rate. */
const SES_REFUSALS: ReadonlySet<unknown> = new Set(['MessageRejected', 'BadRequestException'])
/** Postmark's codes with 422 that concern the account: no credits left, approval pending, sending forbidden. */
const POSTMARK_ACCOUNT_CODES: ReadonlySet<unknown> = new Set([405, 412, 413])

function isPermanent({ code, isReply }: Status, layers: readonly object[]): boolean {
  // nodemailer resolves with the recipients whom a server of LMTP has rejected after DATA, and names no command.
  if (isReply)
    return isPermanentReply(code, findMember(layers, ['command']) ?? (findMember(layers, ['rejected']) && 'DATA'))
  const isAws = layers.some((layer) => isAnyObject(memberOf(layer, '$metadata')))
  if (isAws) return SES_REFUSALS.has(findMember(layers, ['name']))
  return MESSAGE_STATUSES.has(code) && !POSTMARK_ACCOUNT_CODES.has(findMember(layers, ['ErrorCode', 'code']))
}

/** The SMTP commands whose reply concerns one e-mail; replies to all others concern every e-mail. */
const EMAIL_COMMANDS: ReadonlySet<unknown> = new Set(['MAIL FROM', 'RCPT TO', 'DATA'])
/** RFC 5321 4.2.2, RFC 4954 6: another login or order of commands is needed. */
const SESSION_REPLIES: ReadonlySet<number> = new Set([503, 530, 534, 535, 538])

/** Whether a mail server would give the same reply to the same e-mail again. */
export function isPermanentReply(reply: number, command: unknown): boolean {
  return reply >= 500 && !SESSION_REPLIES.has(reply) && EMAIL_COMMANDS.has(command)
}

function describe(layers: readonly object[], status: Status | undefined): string {
  const [outermost] = layers
  const cause = outermost && memberOf(outermost, 'cause')
  const code = findMember(isAnyObject(cause) ? [...layers, cause] : layers, ['code', 'ErrorCode'])
  const name = findMember(layers, ['name'])
  // Nodemailer's code of a connection that failed is `ESOCKET`, whatever has failed.
  const original = findMember(layers, ['originalCode'])
  const codes = [typeof code === 'string' || name === 'Error' ? undefined : name, code, original, status?.code]
  return [...new Set(codes.filter(isShortCode))].join(' ') || 'unknown'
}

/** Whether a code is shorter than any credential. */
function isShortCode(code: unknown): code is string | number {
  return typeof code === 'number' ? code !== 0 : typeof code === 'string' && /^[A-Z0-9_]{1,32}$/i.test(code)
}

/**
 * The objects in the result of a call that tell of a failure, the innermost first; undefined if none does. SDKs resolve
 * with an error (Mandrill) or an `error` (Resend, Supabase), `fetch` with a response that is not `ok`, nodemailer with a list
 * of `rejected` recipients, Postmark with an `ErrorCode`, others with a status of 400 or more, with a word or with false.
 * Nothing, a text and every object without such a member are a success.
 */
function findFailure(result: unknown): readonly unknown[] | undefined {
  return result === false ? [result] : findIn(result, 0)
}

const MAX_DEPTH = 4

function findIn(value: unknown, depth: number): readonly unknown[] | undefined {
  if (!isAnyObject(value) || depth > MAX_DEPTH) return undefined
  if (isNativeError(value) || value instanceof Error) return [value]
  if (Array.isArray(value)) return findFirst(value, depth)
  const errors = listErrors(value)
  if (errors) return [...errors, value]
  const inner = findFirst(
    CONTENTS.map((name) => memberOf(value, name)),
    depth,
  )
  if (inner) return [...inner, value]
  return tellsOfFailure(value) ? [value] : undefined
}

function findFirst(values: readonly unknown[], depth: number): readonly unknown[] | undefined {
  for (const value of values) {
    const found = findIn(value, depth + 1)
    if (found) return found
  }
  return undefined
}

/** The members in which SDKs keep a service's answer, or several answers. */
const CONTENTS = ['body', 'data', 'value', 'result', 'results', 'Messages', 'messages'] as const

function listErrors(value: object): readonly unknown[] | undefined {
  const error = findMember([value], ['error', 'err'])
  if (error !== undefined && error !== false && error !== '') return [error]
  const errors = LISTS.map((name) => memberOf(value, name)).find(isFilled)
  return Array.isArray(errors) || errors === undefined ? (errors as readonly unknown[] | undefined) : [errors]
}

const LISTS = ['rejectedErrors', 'rejected', 'errors', 'Errors', 'failures', 'failed'] as const

function isFilled(value: unknown): boolean {
  return isAnyObject(value) ? Object.keys(value).length > 0 : typeof value === 'string' && value !== ''
}

function tellsOfFailure(value: object): boolean {
  const word = findMember([value], ['status', 'Status'])
  return (
    SUCCESSES.some((name) => memberOf(value, name) === false) ||
    readStatus(listAnswers(value)) !== undefined ||
    (typeof word === 'string' && FAILED.test(word)) ||
    COUNTS.some((name) => Number(memberOf(value, name)) > 0)
  )
}

const SUCCESSES = ['ok', 'success', 'Success', 'sent', 'accepted'] as const
const FAILED = /^(?:rejected|invalid|failed|failure|error|undeliverable)$/i
const COUNTS = ['failed', 'rejected', 'total_rejected_recipients'] as const

/** An error or a result, and the members in which SDKs keep the answer that it is about. */
function listAnswers(value: unknown): readonly object[] {
  if (!isAnyObject(value)) return []
  return [value, ...ANSWERS.map((name) => memberOf(value, name)).filter(isAnyObject)]
}

/** axios, SendGrid and Mailgun; the SDKs of AWS; Supabase; `Promise.allSettled`. */
const ANSWERS = ['response', '$response', '$metadata', 'context', 'reason'] as const

function readStatus(layers: readonly object[]): Status | undefined {
  for (const layer of layers) {
    const reply = toStatus(memberOf(layer, 'responseCode')) ?? readReply(memberOf(layer, 'response'))
    if (reply !== undefined) return { code: reply, isReply: true }
    const statuses = STATUSES.map((name) => memberOf(layer, name))
    // SendGrid's errors have the status as `code` beside the response; elsewhere `code` is a service's own number.
    if (isAnyObject(memberOf(layer, 'response'))) statuses.push(memberOf(layer, 'code'))
    const code = statuses.map(toStatus).find((each) => each !== undefined)
    if (code !== undefined) return { code, isReply: false }
  }
  // Postmark's answers to several messages have a code for each and no status. Its answer to one has the status 422 then.
  return Number(findMember(layers, ['ErrorCode'])) > 0 ? { code: 422, isReply: false } : undefined
}

const STATUSES = ['statusCode', 'status', 'httpStatusCode'] as const

function toStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined
}

/** nodemailer keeps a mail server's reply as text, such as `550 5.1.1 No such user`. */
function readReply(response: unknown): number | undefined {
  return typeof response === 'string' ? toStatus(/^\d{3}(?=[ -]|$)/.exec(response)?.[0]) : undefined
}

/** The first of the members that has a value, in the first object that has one. */
function findMember(layers: readonly object[], names: readonly string[]): unknown {
  for (const layer of layers) {
    for (const name of names) {
      const value = memberOf(layer, name)
      if (value !== undefined && value !== null && value !== 0) return value
    }
  }
  return undefined
}

/** A member of an object or of its class. A polluted `Object.prototype` (CWE-1321) provides none. */
function memberOf(object: object, name: string): unknown {
  if (!Object.hasOwn(object, name) && name in Object.prototype) return undefined
  return (object as Readonly<Record<string, unknown>>)[name]
}

function isAnyObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
