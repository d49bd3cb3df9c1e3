import { findFailure } from './resolved-failure.js'
import { findMember, isAnyObject, listAnswers, memberOf, readStatus, type Status } from './service-answer.js'

/** The facts about a message that an SDK's error tells, or the result with which its call resolved. */
export interface ServiceFailure {
  /** The service has answered that it did not accept the message. Otherwise it may have accepted it. */
  readonly refused: boolean
  /** The service would refuse the same message again. */
  readonly permanent: boolean
  /** Codes only, and no text, because a service may repeat the message in its answer. */
  readonly problem: string
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
  const codes = [typeof code === 'string' || name === 'Error' ? undefined : name, code, status?.code]
  return [...new Set(codes.filter(isShortCode))].join(' ') || 'unknown'
}

/** Whether a code is shorter than any credential. */
function isShortCode(code: unknown): code is string | number {
  return typeof code === 'number' ? code !== 0 : typeof code === 'string' && /^[A-Z0-9_]{1,32}$/i.test(code)
}
