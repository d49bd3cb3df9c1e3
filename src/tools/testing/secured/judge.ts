import type { PlatformAuth } from '../../../index.js'
import { listBases } from './addresses.js'
import type { Decision } from '../../../core/resource-server/decisions.js'
import { send, type Listener, type ReceivedAnswer } from '../send.js'
import { describeAnswer, type ProblemKind } from './problem.js'
import type { Ask, Outcome, Prober } from './prober.js'

/** Why an answer is not safe. */
export interface Fault {
  readonly kind: ProblemKind
  /** The answer, in a few words. */
  readonly answer: string
}

/** What is known of the address that was asked. */
export interface AskedPlace {
  /** Whether no route and no operation has this address: then it may be the app's 404. */
  readonly isUnknown: boolean
  /** Whether verifiers refuse bad credentials there, so that a refusal without a credential may be the app's own. */
  readonly isVerified: boolean
  /** The difference to a plain request, which the app may refuse everywhere. */
  readonly variation?: { readonly change: Partial<Ask>; readonly mayLeadElsewhere?: boolean } | undefined
  /** A random address in the same spelling. */
  readonly unknownTarget?: string | undefined
}

export interface Judge {
  /** The fault of an answer to a request without a valid credential; undefined if the answer is safe. */
  judge(request: Ask, outcome: Outcome, place: AskedPlace): Promise<Fault | undefined>
  /** Whether the app answers 404 so to a random address. */
  isOwnNotFound(request: Ask, answer: ReceivedAnswer): Promise<boolean>
  /** Whether it answers so to every path. */
  isPageForAll(request: Ask, answer: ReceivedAnswer): Promise<boolean>
}

/** No route is likely to have this path. */
export const UNKNOWN = 'express-platform-auth-unknown-path'

export function createJudge(auth: PlatformAuth, prober: Prober): Judge {
  const answersAsPlatform = createPlatformComparison(auth)
  const known = new Map<string, Promise<ReceivedAnswer | undefined>>()
  const bases = ['', ...auth.apis.flatMap(listBases)]

  function askUnknown(target: string, { method }: Ask, change: Partial<Ask>): Promise<ReceivedAnswer | undefined> {
    const request = { ...change, method, target: target + queryOf(change.target) }
    const key = JSON.stringify(request)
    const found =
      known.get(key) ?? prober.ask(request).then(({ answer, decisions }) => (decisions.length > 0 ? undefined : answer))
    known.set(key, found)
    return found
  }

  /** Compared with random addresses outside of the APIs, and below another one: an API's own 404 may have data. */
  async function isOwnNotFound(request: Ask, answer: ReceivedAnswer, change: Partial<Ask> = {}): Promise<boolean> {
    if (answer.status !== 404) return false
    if (EXPRESS_NOT_FOUND.test(answer.body.toString())) return true
    const own = `${request.target}/`.toLowerCase()
    for (const base of bases) {
      if (base !== '' && own.startsWith(`${base}/`.toLowerCase())) continue
      const other = await askUnknown(`${base}/${UNKNOWN}`, request, change)
      if (other && isAlike(answer, request.target, other, `${base}/${UNKNOWN}`)) return true
    }
    return false
  }

  /** Whether the app refuses a variation as it refuses it at a random address: a wrong media type, another host. */
  async function isRefusedEverywhere(request: Ask, answer: ReceivedAnswer, place: AskedPlace): Promise<boolean> {
    const { variation, isUnknown, unknownTarget = `/${UNKNOWN}` } = place
    const mayBeNotFound = isUnknown || variation?.mayLeadElsewhere === true
    if ((!variation && place.unknownTarget === undefined) || answer.status < 300) return false
    if (answer.status === 404 && !mayBeNotFound) return false
    const other = await askUnknown(unknownTarget, request, variation?.change ?? {})
    return other !== undefined && isAlike(answer, request.target, other, unknownTarget)
  }

  return {
    isOwnNotFound,
    async isPageForAll(request, answer) {
      const other = await askUnknown(`/${UNKNOWN}`, request, {})
      return other !== undefined && isAlike(answer, request.target, other, `/${UNKNOWN}`)
    },
    async judge(request, outcome, place) {
      const { answer, decisions } = outcome
      const { method } = request
      const has = (...kinds: readonly Decision['kind'][]): boolean => decisions.some(({ kind }) => kinds.includes(kind))
      const fault = (kind: ProblemKind): Fault => ({ kind, answer: describeAnswer(answer) })
      if (has('reported')) return fault('report-only')
      const refused = decisions.filter(({ kind }) => kind === 'refused')
      if (refused.length > 0) {
        const isGiven = answer && refused.some((decision) => isUnchanged(decision, answer, method))
        return isGiven ? undefined : fault('wrong-refusal')
      }
      if (!answer) return fault('open')
      const isRefusal = answer.status === 401 || answer.status === 403
      if (isRefusal && (has('notVerified', 'otherIssuers') || place.isVerified)) return undefined
      if (method === 'OPTIONS' && isPreflightAnswer(answer)) return undefined
      if (has('optional')) return fault('optional')
      if (isMethodRefusal(answer, method)) return undefined
      if (place.isUnknown && (await isOwnNotFound(request, answer, place.variation?.change))) return undefined
      if (await isRefusedEverywhere(request, answer, place)) return undefined
      if (await answersAsPlatform(request, answer)) return undefined
      return fault(isRefusal ? 'wrong-refusal' : 'open')
    },
  }
}

/** The page of Express for what nothing has answered. */
const EXPRESS_NOT_FOUND = /^<!DOCTYPE html>[^]*<pre>Cannot [A-Z-]+ [^<]*<\/pre>\s*<\/body>\s*<\/html>\s*$/

/** Whether the client got the refusal as the guard made it, or as `onDenied` did. */
function isUnchanged({ denied, hasOwnAnswer }: Decision, answer: ReceivedAnswer, method: string): boolean {
  if (hasOwnAnswer) return answer.status >= 400
  if (!denied || answer.status !== denied.status) return false
  for (const name of ['WWW-Authenticate', 'Cache-Control']) {
    const wanted = denied.headers[name]
    if (wanted !== undefined && !answer.headers[name.toLowerCase()]?.includes(wanted)) return false
  }
  if (method === 'HEAD' || answer.headers['content-encoding'] !== undefined) return true
  return readError(answer.body) === denied.error
}

function readError(body: Buffer): unknown {
  try {
    return (JSON.parse(body.toString()) as { error?: unknown } | null)?.error
  } catch {
    return undefined
  }
}

/** Express answers with the allowed methods by itself. */
function isPreflightAnswer({ status, headers, body }: ReceivedAnswer): boolean {
  if (status >= 300 && status < 400) return false
  return body.length === 0 || body.toString() === headers['allow']
}

/** Whether a router says that it has other methods at this address (RFC 9110 15.5.6). */
function isMethodRefusal({ status, headers }: ReceivedAnswer, method: string): boolean {
  const allowed = (headers['allow'] ?? '').split(',').map((each) => each.trim().toUpperCase())
  return status === 405 && allowed.some((each) => each !== '') && !allowed.includes(method)
}

function isAlike(a: ReceivedAnswer, aTarget: string, b: ReceivedAnswer, bTarget: string): boolean {
  return (
    a.status === b.status &&
    a.body.length > MAX_COMPARED === b.body.length > MAX_COMPARED &&
    forget(a, aTarget) === forget(b, bTarget)
  )
}

const MAX_COMPARED = 1_000_000

/** The text of an answer without the path, which it may repeat, whole or without the path of a mount. */
function forget({ body, headers }: ReceivedAnswer, target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '').replace(/\?.*$/, '')
  const ends = [...path.matchAll(/\//g)].map(({ index }) => path.slice(index)).filter((end) => end.length > 1)
  const forms = [target, ...ends].flatMap((end) => [
    end,
    decode(end),
    end.replaceAll('&', '&amp;'),
    encodeURIComponent(end),
  ])
  let text = `${headers['location'] ?? ''} ${body.toString()}`
  for (const form of new Set(forms)) if (form.length > 1) text = text.replaceAll(form, '/...')
  return text
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
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

function queryOf(target = ''): string {
  const at = target.indexOf('?')
  return at < 0 ? '' : target.slice(at)
}
