import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import type { ApiObservers } from '../../shared/contracts/api-observer.js'
import type { EventDetails } from '../../shared/contracts/events.js'
import { findBearer, isTooLong, readBearer } from '../http/bearer.js'
import { hasDuplicateHeader, readHeader } from '../../shared/lib/request.js'
import { readTokenClient } from '../../shared/lib/jwt.js'
import type { OnDenied } from '../options/options.js'
import type { ReportOnlySettings } from '../options/read-report-only.js'
import { isCanonical } from '../tokens/verify-access-token.js'
import { createAnyGuard, describeNoGuard, readParts } from './any-guard.js'
import type { Authenticator } from './authenticate.js'
import type { ReadCost } from './request-counter.js'
import type { GuardDecisions } from './guard-decisions.js'
import { describeAccepted, describeParts, setGuardDescription } from './describe-guard.js'
import { BEARER_FORM, formatErrorChallenge, formatKeyForm, formatKeySchemes } from './error-responses.js'
import type { Next } from '../http/middleware.js'
import type { Refusal } from './refusal.js'
import { createOtherIssuerTest } from './other-issuers.js'
import type { ApiKeyGuardOptions, BearerGuardOptions, GuardOptions } from './guard-options.js'
import type { createGuardFactory, Guard } from './guard.js'
import {
  DUPLICATE_CREDENTIAL,
  MALFORMED_CREDENTIAL,
  NO_CREDENTIAL,
  TOO_LONG_CREDENTIAL,
  type DenialConfig,
  type GuardConfig,
} from './guard-config.js'
import { createKeyHiding, createOwnCredentialHiding, hideToken } from './hide-credential.js'
import { readGuardOptions } from './guard-arguments.js'
import { createCacheProtection, createKeyCredentialReader } from './key-headers.js'
import { createApiKeyAuthentication, createBearerAuthentication } from './passport-adapter.js'
import { createReportOnlyReader, type RefusalReporter } from './outcomes.js'
import { type ScopeRequirements, createScopeRequirements } from './requirement.js'

/** What tools that make guards get of a platform, beyond its public calls. */
export type GuardParts = ReturnType<typeof createGuards>['guardParts']

// Destructured, so that the published types name those of the members: they are not written out, with packages that users lack.
export function createGuards({
  apis,
  authenticator,
  reportOnlyOf,
  reporter,
  createEnforcingGuard,
  respondWithDenial,
  observers,
  decisions,
  readCost,
  onDenied: platformOnDenied,
  warn,
  now,
}: {
  readonly apis: ReadonlyMap<string, Api>
  readonly authenticator: Authenticator
  /** Whether the guards of each API refuse requests. */
  readonly reportOnlyOf: ReadonlyMap<string, ReportOnlySettings>
  readonly reporter: RefusalReporter
  readonly createEnforcingGuard: ReturnType<typeof createGuardFactory>
  /** Written out: a declaration names a type as its file imports it, and users may lack `http`. */
  readonly respondWithDenial: (
    config: DenialConfig,
    refusal: Refusal,
    req: IncomingMessage,
    res: ServerResponse,
    next: Next,
  ) => void
  readonly observers: ApiObservers
  readonly decisions: GuardDecisions
  readonly readCost: ReadCost
  readonly onDenied: OnDenied | undefined
  readonly warn: (message: string) => void
  readonly now: () => number
}) {
  const readReportOnly = createReportOnlyReader({ reportOnlyOf, now, warn })
  const authenticateBearer = createBearerAuthentication(authenticator)
  const hasKeyApis = [...apis.values()].some(({ scheme }) => scheme === 'apiKey')
  const authenticateApiKey = hasKeyApis ? createApiKeyAuthentication(authenticator) : undefined
  const isOfOtherIssuer = createOtherIssuerTest([...apis.values()].map(({ resource }) => resource))
  const hideOwnCredentials = createOwnCredentialHiding({ isOfOtherIssuer, isKnownKey: authenticator.isKnownKey })
  const configs = new WeakMap<Guard, GuardConfig | undefined>()

  function createGuard(config: GuardConfig): Guard {
    const guard = createEnforcingGuard(config)
    return config.reportOnly ? reporter.skipReported(config, guard) : guard
  }

  function register(parts: Omit<GuardConfig, 'accepts'>): Guard {
    const config: GuardConfig = { ...parts, accepts: [describeAccepted(parts, platformOnDenied)] }
    const guard = createGuard({ ...config, onDenied: config.onDenied ?? platformOnDenied })
    configs.set(guard, config)
    setGuardDescription(guard, describeParts([config], config.optional, platformOnDenied, reporter.reports))
    return guard
  }

  const guards = {
    bearer(api: Api, guardOptions: BearerGuardOptions & ScopeRequirements): Guard {
      const { cost = 1, allow, otherIssuers, optional = false, onDenied } = guardOptions
      return register({
        api,
        findRequirement: createScopeRequirements(api, guardOptions),
        cost,
        allow,
        formatErrorChallenge: (error, description) => formatErrorChallenge(api, error, description),
        optional,
        reportOnly: readReportOnly(`requireBearer("${api.name}")`, api, guardOptions),
        hostGuard: otherIssuers,
        onDenied,
        otherIssuers: otherIssuers && {
          guard: otherIssuers,
          isOfOtherIssuer: (header) => isOfOtherIssuer(header.slice('Bearer '.length)),
        },
        headerNames: AUTHORIZATION,
        form: BEARER_FORM,
        header: 'authorization',
        recall: (authorization) => recallBearer(authenticator, api, authorization),
        authenticate: authenticateBearer,
        readClient,
        // The form of a token is checked before it may be one of another issuer.
        readCredential: otherIssuers ? createBearerReader(readBearer) : createBearerReader(findBearer),
        hideCredential: api.hideCredential ? hideToken : undefined,
        hideOthers: api.hideCredential ? (req) => hideOwnCredentials(AUTHORIZATION, req) : undefined,
        prepareResponse: undefined,
      })
    },
    apiKey(api: Api, guardOptions: ApiKeyGuardOptions & ScopeRequirements): Guard {
      const { cost = 1, allow, optional = false, onDenied } = guardOptions
      const { hideKey, readKeyClient } = createKeyHiding(api.keyHeaders)
      return register({
        api,
        findRequirement: createScopeRequirements(api, guardOptions),
        cost,
        allow,
        formatErrorChallenge: (error, description, status) =>
          formatErrorChallenge(api, error, description) + (status === 401 ? formatKeySchemes(api) : ''),
        optional,
        reportOnly: readReportOnly(`requireApiKey("${api.name}")`, api, guardOptions),
        hostGuard: undefined,
        onDenied,
        otherIssuers: undefined,
        headerNames: api.keyHeaders,
        form: formatKeyForm(api),
        // The strategy has one header name, whatever header the API reads: the object that it gets has no other.
        header: 'x-api-key',
        recall: (apiKey, req) => authenticator.recallApiKey(api, apiKey, req),
        authenticate: authenticateApiKey!,
        readClient: readKeyClient,
        readCredential: createKeyCredentialReader(api.keyHeaders),
        hideCredential: api.hideCredential ? hideKey : undefined,
        hideOthers: api.hideCredential ? (req) => hideOwnCredentials(api.keyHeaders, req) : undefined,
        prepareResponse: createCacheProtection(api.keyHeaders.join(', ')),
      })
    },
    /** Throws for a function that is no guard of this platform. */
    any(list: unknown, guardOptions: GuardOptions): Guard {
      const { optional = false, onDenied = platformOnDenied } = guardOptions
      const parts = readParts(list, configs).map((part) => {
        if (guardOptions.reportOnly === undefined) return part
        return { ...part, reportOnly: readReportOnly('requireAny', part.api, guardOptions) }
      })
      const description = describeParts(parts, optional, onDenied, reporter.reports)
      const { accepts } = description
      const guard = createAnyGuard({ parts, optional, accepts, decisions, onDenied, createGuard, respondWithDenial })
      configs.set(guard, undefined)
      setGuardDescription(guard, description)
      return guard
    },
  }
  const guardParts = {
    apis,
    observers,
    decisions,
    /** A bearer guard or a key guard, as the API's scheme is; the scopes may have alternatives. */
    createGuard: (api: Api, given: BearerGuardOptions & ApiKeyGuardOptions & ScopeRequirements): Guard =>
      api.scheme === 'oauth2' ? guards.bearer(api, given) : guards.apiKey(api, given),
    /** Makes `requireAny()` refuse a guard that it cannot combine, and lets the platform know it. */
    register: (guard: Guard) => void configs.set(guard, undefined),
    isGuard: (fn: unknown) => typeof fn === 'function' && configs.has(fn as Guard),
    describeNoGuard,
    readGuardOptions,
    readCost,
    readReportOnly,
    respondWithDenial,
    onDenied: platformOnDenied,
    warn,
  }
  return { guards, guardParts }
}

function recallBearer(authenticator: Authenticator, api: Api, authorization: string) {
  const accessToken = authorization.slice('Bearer '.length)
  const known = authenticator.recallAccessToken(api, accessToken)
  if (known !== null) return known
  if (readBearer(authorization) === false) return 'malformed'
  return isCanonical(accessToken) ? null : 'invalidToken'
}

function createBearerReader(read: typeof readBearer): GuardConfig['readCredential'] {
  return function readBearerCredential(req) {
    if (hasDuplicateHeader(req, 'authorization')) return DUPLICATE_CREDENTIAL
    const header = readHeader(req, 'authorization')
    const authorization = read(header)
    if (authorization === undefined) return NO_CREDENTIAL
    if (authorization !== false) return authorization
    return isTooLong(header) ? TOO_LONG_CREDENTIAL : MALFORMED_CREDENTIAL
  }
}

/** The `client_id` of the access token, unverified. */
function readClient(req: IncomingMessage, { applicationId }: EventDetails): string | undefined {
  if (applicationId !== undefined) return applicationId
  const { authorization = '' } = req.headers
  return authorization.length > MAX_TOKEN_HEADER_LENGTH ? undefined : readTokenClient(authorization)
}

const AUTHORIZATION = ['Authorization']
const MAX_TOKEN_HEADER_LENGTH = 8 * 1024 + 'Bearer '.length
