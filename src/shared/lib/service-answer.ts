/** The status of 400 to 599 with which a service has answered. */
export interface Status {
  readonly code: number
  /** A mail server's reply (RFC 5321 4.2) and not a status of HTTP. */
  readonly isReply: boolean
}

/** An error or a result, and the members in which SDKs keep the answer that it is about. */
export function listAnswers(value: unknown): readonly object[] {
  if (!isAnyObject(value)) return []
  return [value, ...ANSWERS.map((name) => memberOf(value, name)).filter(isAnyObject)]
}

/** axios, SendGrid and Mailgun; the SDKs of AWS; Supabase; `Promise.allSettled`. */
const ANSWERS = ['response', '$response', '$metadata', 'context', 'reason'] as const

export function readStatus(layers: readonly object[]): Status | undefined {
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
export function findMember(layers: readonly object[], names: readonly string[]): unknown {
  for (const layer of layers) {
    for (const name of names) {
      const value = memberOf(layer, name)
      if (value !== undefined && value !== null && value !== 0) return value
    }
  }
  return undefined
}

/** A member of an object or of its class. A polluted `Object.prototype` (CWE-1321) provides none. */
export function memberOf(object: object, name: string): unknown {
  if (!Object.hasOwn(object, name) && name in Object.prototype) return undefined
  return (object as Readonly<Record<string, unknown>>)[name]
}

/** An array is one too. */
export function isAnyObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
