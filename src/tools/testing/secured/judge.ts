import type { PlatformAuth } from '../../../index.js'
import type { GuardDecision } from '../../../core/resource-server/guard-decisions.js'
import { send, type Listener, type ReceivedAnswer } from '../send.js'
import { describeAnswer } from './problem.js'
import type { Ask, Outcome, Prober } from './prober.js'
import { decodeText } from '../../../shared/lib/request.js'

export interface Fault {
  readonly kind: 'open' | 'optional' | 'report-only' | 'wrong-refusal'
  readonly answer: string
}

export interface AskedPlace {
  /** Whether no route and no operation has this address: then it may be the app's 404. */
  readonly isUnknown: boolean
  /** Whether verifiers refuse bad credentials there, so that a refusal without a credential may be the app's own. */
  readonly isVerified: boolean
  readonly difference?: Partial<Ask>
  /** Whether the difference may lead elsewhere: then a 404 is a refusal like any other. */
  readonly mayLeadElsewhere?: boolean | undefined
  readonly unknownTarget?: string | undefined
  readonly mayBePage?: () => boolean
  /** Whether a route of the address has the method, which is then asked by itself. */
  readonly hasRoute?: (method: string) => boolean
}

export type Judge = ReturnType<typeof createJudge>

/** No route is likely to have this path. */
export const UNKNOWN = 'express-platform-auth-unknown-path'
export const UNKNOWN_TARGET = `/${UNKNOWN}`

export function createJudge(auth: PlatformAuth, prober: Prober) {
  const answersAsPlatform = createPlatformComparison(auth)
  const known = new Map<string, Promise<ReceivedAnswer | undefined>>()

  function askUnknown(target: string, { method }: Ask, change: Partial<Ask>): Promise<ReceivedAnswer | undefined> {
    const query = change.target?.replace(/^[^?]*/, '') ?? ''
    const request = { ...change, method, target: target + query }
    const key = JSON.stringify(request)
    const found =
      known.get(key) ?? prober.ask(request).then(({ answer, decisions }) => (decisions.length > 0 ? undefined : answer))
    known.set(key, found)
    return found
  }

  async function isAnswerAt(target: string, request: Ask, answer: ReceivedAnswer, change: Partial<Ask> = {}) {
    const other = await askUnknown(target, request, change)
    return other !== undefined && isAlike(answer, request.target, other, target)
  }

  /** Whether nothing of the app has answered. An API's own 404 may be that of a handler, so it is compared with a random address outside. */
  async function isOwnNotFound(request: Ask, answer: ReceivedAnswer, change?: Partial<Ask>): Promise<boolean> {
    if (answer.status !== 404) return false
    // The app's 404 may repeat the query.
    return isOfExpress(answer) || isAnswerAt(UNKNOWN_TARGET, request, answer, { target: request.target, ...change })
  }

  /** Whether the app refuses the difference at any address: a media type, another host. */
  async function isRefusedEverywhere(request: Ask, answer: ReceivedAnswer, place: AskedPlace): Promise<boolean> {
    const { difference, isUnknown, mayLeadElsewhere, unknownTarget = UNKNOWN_TARGET } = place
    if (!difference || answer.status < 400 || answer.status > 499) return false
    if (answer.status === 404 && !isUnknown && !mayLeadElsewhere) return false
    if (!(await isAnswerAt(unknownTarget, request, answer, difference))) return false
    return !(await isAnswerAt(UNKNOWN_TARGET, { ...request, target: '' }, answer))
  }

  return {
    isOwnNotFound,
    async judge(request: Ask, { answer, decisions }: Outcome, place: AskedPlace): Promise<Fault | undefined> {
      const { method } = request
      const has = (...kinds: readonly GuardDecision['kind'][]): boolean =>
        decisions.some(({ kind }) => kinds.includes(kind))
      const fault = (kind: Fault['kind']): Fault => ({ kind, answer: describeAnswer(answer) })
      if (has('reported')) return fault('report-only')
      if (has('public')) return undefined
      const refused = decisions.filter(({ kind }) => kind === 'refused')
      if (refused.length > 0) {
        const isGiven = answer && refused.some((decision) => isUnchanged(decision, answer, method))
        return isGiven ? undefined : fault('wrong-refusal')
      }
      if (!answer) return fault('open')
      const isRefusal = answer.status === 401 || answer.status === 403
      if (isRefusal && (has('notVerified', 'otherIssuers') || place.isVerified)) return undefined
      if (decisions.some((decision) => isOfVerifier(decision, answer))) return undefined
      if (method === 'OPTIONS' && isPreflightAnswer(answer)) return undefined
      if (has('optional')) return fault('optional')
      if (place.isUnknown && (await isOwnNotFound(request, answer, place.difference))) return undefined
      if (await isRefusedEverywhere(request, answer, place)) return undefined
      if (place.mayBePage?.() && (await isAnswerAt(UNKNOWN_TARGET, request, answer))) return undefined
      if (isMethodRefusal(answer, method, place)) return undefined
      if (await answersAsPlatform(request, answer)) return undefined
      return fault(isRefusal ? 'wrong-refusal' : 'open')
    },
  }
}

/** Whether the client got the refusal as the guard made it, or as `onDenied` did. */
function isUnchanged({ denied, hasOwnAnswer }: GuardDecision, answer: ReceivedAnswer, method: string): boolean {
  if (hasOwnAnswer) return answer.status >= 400
  if (!denied || answer.status !== denied.status) return false
  for (const name of ['WWW-Authenticate', 'Cache-Control']) {
    const wanted = denied.headers[name]
    if (wanted !== undefined && !answer.headers[name.toLowerCase()]?.includes(wanted)) return false
  }
  if (method === 'HEAD' || answer.headers['content-encoding'] !== undefined) return true
  return answer.body.toString().startsWith(`{"error":"${denied.error}"`)
}

/** Whether it tells why `verifyAccessToken()` or `verifyApiKey()` rejected: 400 for what is no credential at all. */
function isOfVerifier({ kind, denied }: GuardDecision, { status, body }: ReceivedAnswer): boolean {
  return kind === 'notVerified' && denied?.status === status && body.includes(`"${denied.error}"`)
}

/** Express answers with the allowed methods by itself. */
function isPreflightAnswer({ status, headers, body }: ReceivedAnswer): boolean {
  if (status >= 300 && status < 400) return false
  return body.length === 0 || body.toString() === headers['allow']
}

/** The methods that an answer allows (RFC 9110 10.2.1). */
export function readAllowed(answer: ReceivedAnswer | undefined): string[] {
  const listed = (answer?.headers['allow'] ?? '').toUpperCase().split(/[\s,]+/)
  return listed.filter((method) => method !== '' && method !== 'OPTIONS')
}

/** Whether it says that other methods are allowed (RFC 9110 15.5.6), which routes of the address have. */
function isMethodRefusal(answer: ReceivedAnswer, method: string, { hasRoute }: AskedPlace): boolean {
  const allowed = readAllowed(answer)
  return answer.status === 405 && allowed.length > 0 && allowed.every((each) => each !== method && hasRoute?.(each))
}

function isOfExpress({ headers, body }: ReceivedAnswer): boolean {
  // Express 4.16 says 'self'.
  const isPolicy = /^default-src '(?:none|self)'$/.test(headers['content-security-policy'] ?? '')
  const isFinal = isPolicy && headers['content-length'] !== undefined
  return isFinal && (body.length === 0 || /<pre>Cannot [A-Z-]+ [^<]*<\/pre>/.test(body.toString()))
}

/** Whether two answers are the same but for the paths of their requests, which they may repeat. */
function isAlike(a: ReceivedAnswer, aTarget: string, b: ReceivedAnswer, bTarget: string): boolean {
  if (a.status !== b.status) return false
  const forms = new Set([...listForms(aTarget), ...listForms(bTarget)])
  const inOrder = [...forms].filter((form) => form.length > 1).toSorted((x, y) => y.length - x.length)
  const forget = ({ headers, body }: ReceivedAnswer): string =>
    inOrder.reduce((text, form) => text.replaceAll(form, '\0'), `${headers['location'] ?? ''} ${body.toString()}`)
  return forget(a) === forget(b)
}

/** A path as an answer may repeat it, whole or without the path of a mount; the query is that of both. */
function listForms(target: string): string[] {
  const full = target.replace(/\?.*$/, '')
  const path = full.replace(/^https?:\/\/[^/]*/i, '')
  const ends = [...path.matchAll(/\//g)].map(({ index }) => path.slice(index))
  return [full, ...ends].flatMap((end) => [end, decodeText(end), end.replaceAll('&', '&amp;'), encodeURIComponent(end)])
}

/** Asks the routers of the platform themselves: what they answer at a part of the path, they may answer in the app. */
function createPlatformComparison(auth: PlatformAuth): (request: Ask, answer: ReceivedAnswer) => Promise<boolean> {
  const members = Object.values(auth).map((member: { readonly router?: unknown } | undefined) => member?.router)
  const routers = [auth.router, auth.wellKnownRouter, auth.suspensionRouter, ...members]
  const listeners = routers.flatMap((router): Listener[] => {
    if (typeof router !== 'function') return []
    const handle = router as (...args: unknown[]) => unknown
    return [(req, res) => handle(req, res, () => void res.writeHead(NOT_ANSWERED).end())]
  })
  return async function answersAsPlatform({ version: _version, ...request }, answer) {
    const path = request.target.replace(/^https?:\/\/[^/?]*/i, '')
    const rests = [...path.replace(/\?.*$/, '').matchAll(/\//g)].map(({ index }) => path.slice(index))
    for (const listener of listeners) {
      for (const target of new Set([...rests, '/'])) {
        const own = await send(listener, { ...request, target, maxWait: 5000 }).catch(() => undefined)
        if (own?.status === answer.status && withoutNonces(own) === withoutNonces(answer)) return true
      }
    }
    return false
  }
}

const NOT_ANSWERED = 599

/** Pages have numbers that are used once. */
function withoutNonces({ body, headers }: ReceivedAnswer): string {
  return `${headers['content-type'] ?? ''} ${body.toString().replaceAll(/[\w-]{16,}/g, '')}`
}
