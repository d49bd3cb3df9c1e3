import type { IncomingMessage } from 'node:http'
import { isWellFormedKey } from '../applications/credentials/credentials.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { createDenial, type Denial } from '../../shared/contracts/denial.js'
import type { AcceptedCredential } from '../../shared/contracts/guard-description.js'
import { readHeader } from '../../shared/lib/request.js'
import { describeValue } from '../../shared/lib/option-checks.js'
import type { OnDenied } from '../options/options.js'
import { findIdentity, setIdentity } from './auth-of.js'
import type { GuardDecisions } from './guard-decisions.js'
import { formatBearerOfKeys } from './error-responses.js'
import { findWrongArguments, type ErrorResponders } from './error-responder.js'
import { isGuardCall } from './guard-arguments.js'
import { NO_CREDENTIAL, type DenialConfig, type GuardConfig } from './guard-config.js'
import type { Guard } from './guard.js'
import { createCacheProtection, createKeyCredentialReader, isNoToken, readAuthorizationKey } from './key-headers.js'

/** Maps a guard to its config; undefined for combined guards. Other functions are not in it. */
export type GuardRegister = Pick<WeakMap<Guard, GuardConfig | undefined>, 'has' | 'get'>

/** Combines guards: the first for which a request has a credential, good or bad, decides. */
export function createAnyGuard(options: {
  /** One guard at least, in the order in which they decide. */
  readonly parts: readonly GuardConfig[]
  readonly optional: boolean
  readonly accepts: readonly AcceptedCredential[]
  readonly decisions: GuardDecisions
  readonly onDenied: OnDenied | undefined
  readonly createGuard: (config: GuardConfig) => Guard
  readonly respondWithDenial: ErrorResponders['respondWithDenial']
}): Guard {
  const { optional, accepts, decisions, onDenied, createGuard, respondWithDenial, parts: given } = options
  const parts = shareAuthorization(given)
  const { api } = parts[0]!
  // An answer depends on every one of these headers, whichever guard decides.
  const isPrivate = parts.some(({ prepareResponse }) => prepareResponse !== undefined)
  const hostGuard = parts.find((part) => part.hostGuard)?.hostGuard
  const names = [...new Set(parts.flatMap(({ headerNames }) => headerNames))].join(', ')
  const prepareResponse = isPrivate ? createCacheProtection(names) : undefined
  const hidings = parts.flatMap((part) => part.hideCredential ?? [])
  // A request may also have a credential for a guard that does not decide.
  const hideCredential = hidings.length > 0 ? (req: IncomingMessage) => hidings.forEach((hide) => hide(req)) : undefined
  const hidingOthers = parts.flatMap((part) => part.hideOthers ?? [])
  const hideOthers = async (req: IncomingMessage): Promise<void> => {
    for (const hide of hidingOthers) await hide(req)
  }
  const hideAllOthers = hidingOthers.length > 0 ? hideOthers : undefined
  const ofAll = { accepts, hostGuard, hideCredential, hideOthers: hideAllOthers, prepareResponse }
  const guards = parts.map((part) => ({
    part,
    guard: createGuard({ ...part, ...ofAll, onDenied: part.onDenied ?? onDenied }),
  }))
  const denialConfig = { ...ofAll, api, onDenied, reportOnly: combineReportOnly(parts), readClient: () => undefined }

  return function platformAuthAnyGuard(req, res, next) {
    for (const { part, guard } of guards) if (isPresented(part, req)) return guard(req, res, next)
    if (!optional) {
      const denied = createMissingDenial(parts, req)
      const refusal = { denied, reason: 'no_credential', caller: undefined, cause: undefined, details: undefined }
      return respondWithDenial(denialConfig, refusal, req, res, next)
    }
    const wrongArguments = findWrongArguments(res)
    if (wrongArguments) return next(wrongArguments)
    decisions.note?.({ kind: 'optional', api: api.name, accepts, denied: undefined, hasOwnAnswer: false })
    setIdentity(req, undefined)
    prepareResponse?.(res)
    next()
  }
}

/** The form tells whom `Authorization` is for. Beside tokens of other issuers only keys of this package are known. */
function shareAuthorization(parts: readonly GuardConfig[]): readonly GuardConfig[] {
  const bearer = parts.find(({ header }) => header === 'authorization')
  if (!bearer || !parts.some(({ api }) => api.keyHeaders[1] === 'Authorization')) return parts
  const isKey = bearer.otherIssuers ? isWellFormedKey : isNoToken
  return parts.map((part) => {
    if (part === bearer)
      return { ...part, readCredential: (req) => (hasKey(req) ? NO_CREDENTIAL : part.readCredential(req)) }
    return { ...part, readCredential: createKeyCredentialReader(part.api.keyHeaders, isKey) }
  })

  function hasKey(req: IncomingMessage): boolean {
    return readAuthorizationKey(readHeader(req, 'authorization'), isKey) !== undefined
  }
}

/** Answers a request without a credential: it is refused as soon as one of the guards refuses. */
function combineReportOnly(parts: readonly GuardConfig[]): DenialConfig['reportOnly'] {
  const ends = parts.map(({ reportOnly }) => reportOnly?.until)
  return ends.every((end) => end !== undefined) ? { until: Math.min(...ends) } : undefined
}

/** Whether an earlier guard of the API has authenticated the request, or it has a credential, perhaps a malformed one. */
function isPresented({ api, readCredential }: GuardConfig, req: IncomingMessage): boolean {
  return findIdentity(req, api) !== undefined || readCredential(req) !== NO_CREDENTIAL
}

/** The limit in characters; longer challenges lose their `scope`, which a challenge may leave out (RFC 6750 3). */
const MAX_CHALLENGES = 2000

/** One header with all challenges (RFC 9110 11.6.1), in the order of the guards. */
function createMissingDenial(parts: readonly GuardConfig[], req: IncomingMessage): Denial {
  const hasBearer = parts.some(({ header }) => header === 'authorization')
  const challenges = parts.map(({ api, findRequirement }) => {
    const challenge = findRequirement(req).errors['noCredential']!.headers['WWW-Authenticate']!
    // A client that asks for tokens needs the Bearer challenge that says where; the other would hide it.
    return hasBearer ? challenge.replace(formatBearerOfKeys(api), '') : challenge
  })
  const joined = challenges.join(', ')
  return createDenial('unauthorized', `A credential is needed: ${parts.map(({ form }) => form).join(', or ')}`, {
    'WWW-Authenticate': joined.length <= MAX_CHALLENGES ? joined : joined.replaceAll(/ scope="[^"]*",/g, ''),
  })
}

/** The parts of the guards in a list. Throws `ConfigurationError` for a list that makes no sense. */
export function readParts(guards: unknown, register: GuardRegister): GuardConfig[] {
  if (!Array.isArray(guards) || guards.length === 0) {
    const problem = `requireAny: the guards are ${describeValue(guards)}`
    throw new ConfigurationError({ problem, fix: 'List them: [auth.requireBearer(...), auth.requireApiKey(...)].' })
  }
  const parts = guards.map((guard: Guard, at) => readPart(guard, `requireAny: guard ${at + 1}`, register))
  const seen = new Set<string>()
  for (const { header, name } of parts.flatMap(listHeaders)) {
    // A token and a key in Authorization differ in their form.
    if (seen.has(`${header} ${name}`))
      throw new ConfigurationError({
        problem: `requireAny: two guards read the header ${name}, so the second would never decide`,
        fix: 'Each guard needs a header of its own. For one scope of several use anyScope of requireBearer().',
      })
    seen.add(`${header} ${name}`)
  }
  return parts
}

function listHeaders({ header, headerNames }: GuardConfig): { readonly header: string; readonly name: string }[] {
  return headerNames.map((name) => ({ header, name: name.toLowerCase() }))
}

export function describeNoGuard(given: unknown): string {
  if (isGuardCall(given)) return `${(given as Guard).name} itself, which makes guards and is none`
  return typeof given === 'function' ? 'no guard of this platform' : describeValue(given)
}

function readPart(guard: Guard, name: string, register: GuardRegister): GuardConfig {
  if (typeof guard !== 'function' || !register.has(guard))
    throw new ConfigurationError({
      problem: `${name} is ${describeNoGuard(guard)}`,
      fix: isGuardCall(guard)
        ? `Call it: auth.${guard.name}('...').`
        : 'List what requireBearer() and requireApiKey() of this platform return.',
    })
  const part = register.get(guard)
  if (!part)
    throw new ConfigurationError({
      problem: `${name} consists of several guards`,
      fix: 'List those instead: what requireBearer() and requireApiKey() return.',
    })
  if (!part.optional) return part
  throw new ConfigurationError({
    problem: `${name} is optional`,
    fix: 'Give the option to requireAny: requireAny([...], { optional: true }).',
  })
}
