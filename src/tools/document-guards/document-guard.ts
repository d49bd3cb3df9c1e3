import type { IncomingMessage } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import type { ApiObserver } from '../../shared/contracts/api-observer.js'
import { createOwnDenial, type Denial } from '../../shared/contracts/denial.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { SecuredOperation } from '../../shared/openapi/operations.js'
import {
  EXACT,
  matchTemplate,
  parseRequestPath,
  type PathTemplate,
  type RequestPath,
  createTemplateIndex,
} from '../../shared/openapi/path-template.js'
import type { RepeatedPrefix } from '../../shared/openapi/prefix.js'
import type { Security } from '../../shared/openapi/security.js'
import type { BearerGuardOptions, Guard, OnDenied } from '../../index.js'
import type { GuardParts } from '../../core/resource-server/guards.js'
import { findLayers, handlesMethod, hasRoute, findRoutes } from '../../shared/express-routes/routes.js'

export type RequestCost = NonNullable<BearerGuardOptions['cost']>

/** A guard for all operations of an OpenAPI document. */
export interface DocumentGuard extends Guard {
  /**
   * Throws `ConfigurationError` with all operations for which an Express app or router has no route, so that you find them
   * at start-up. `path` is where this guard is mounted in it, such as `/orders`; empty if left out.
   */
  checkRoutes(app: object, path?: string): void
}

interface DocumentGuardOptions {
  readonly api: Api
  readonly operations: readonly SecuredOperation[]
  /** Called once for operations of the same security and cost. */
  readonly createOperationGuard: (security: Security, cost: RequestCost) => Guard
  readonly findCost: (operation: string) => RequestCost
  readonly undocumented: Guard | undefined
  /** The guard for everything outside the document; undefined if that is refused. */
  readonly reportOnly: ReturnType<GuardParts['readReportOnly']>
  readonly onDenied: OnDenied | undefined
  readonly respondWithDenial: GuardParts['respondWithDenial']
  /** The prefix of the API, if paths of the document begin with it. */
  readonly repeated: RepeatedPrefix | undefined
  /** The prefix of the paths in the document, which the templates lack. */
  readonly prefix: string | undefined
  readonly noted: ApiObserver['noted']
  readonly warn: (message: string) => void
}

export function createDocumentGuard(options: DocumentGuardOptions): DocumentGuard {
  const { api, operations, undocumented, reportOnly, onDenied, respondWithDenial, repeated, noted, warn } = options
  const findEntry = createEntryFinder(options)
  const config = {
    api,
    accepts: [],
    reportOnly,
    hostGuard: undefined,
    onDenied,
    readClient: () => undefined,
    hideCredential: undefined,
    hideOthers: undefined,
    prepareResponse: undefined,
  }
  let hasCheckedRoutes = false
  const call = `guardsFromDocument("${api.name}")`
  const advice =
    repeated &&
    `Paths of the document begin with "${repeated.prefix}", such as ${repeated.path}, and the guard reads them below the path at which it is mounted. If that is "${repeated.prefix}", give { prefix: '${repeated.prefix}' }.`

  const guard: Guard = function platformAuthDocumentGuard(req, res, next) {
    if (!hasCheckedRoutes) warnOfMissingRoutes(req)
    const { refusal, guard: operationGuard, route } = findEntry(req)
    if (noted && route !== undefined) noted({ route }, req)
    if (refusal) {
      if (undocumented && !refusal.isAmbiguous) undocumented(req, res, next)
      else respondWithDenial(config, { ...UNKNOWN_CALLER, ...refusal }, req, res, next)
    } else if (operationGuard) operationGuard(req, res, next)
    else next()
  }

  /** Checked once, when the first request shows which app this is. One without any of the routes is a proxy. */
  function warnOfMissingRoutes(req: IncomingMessage): void {
    hasCheckedRoutes = true
    const { baseUrl = '' } = req as { baseUrl?: string }
    if (repeated && advice !== undefined && baseUrl.toLowerCase().endsWith(repeated.prefix.toLowerCase()))
      warn(`${call}: ${advice}`)
    try {
      const routes = findRoutes(req)
      const missing = routes ? findMissingRoutes(operations, routes.app, routes.path) : []
      if (missing.length === 0 || missing.length === operations.length) return
      warn(`${call}: the app has no route for ${missing.join(', ')}.`)
    } catch {
      // A part of an app that cannot be read must not keep a request from being judged.
    }
  }

  return Object.assign(guard, {
    checkRoutes(app: object, path = '') {
      const missing = findMissingRoutes(operations, app, path)
      if (missing.length === 0) return
      const fix =
        'Add the routes before this call, give the app or router that has them and the path at which the guard is mounted in it, or remove the operations from the document.'
      throw new ConfigurationError({
        problem: `${call}: there is no route for ${missing.join(', ')}`,
        fix: advice === undefined ? fix : `${fix} ${advice}`,
      })
    },
  })
}

interface Found {
  readonly guard: Guard | undefined
  readonly refusal: Refusal | undefined
  readonly route?: string
}

const UNKNOWN_CALLER = { caller: undefined, cause: undefined, details: undefined }

interface Entry extends Found {
  readonly method: string
  readonly template: PathTemplate
}

interface Refusal {
  readonly denied: Denial
  readonly reason: string
  /** Whether another program might find an operation in the path, so that it is refused in any case. */
  readonly isAmbiguous: boolean
}

function createEntryFinder(options: DocumentGuardOptions): (req: IncomingMessage) => Found {
  const findCandidates = createTemplateIndex(createEntries(options))

  return function findEntry({ url = '', method = '' }) {
    const path = parseRequestPath(url)
    if (!path) return AMBIGUOUS
    const candidates = findCandidates(path)
    let found: Entry | undefined
    let readings = 0
    for (const entry of candidates) {
      if (entry.method !== method) continue
      const matched = matchTemplate(entry.template, path)
      // The entries with more concrete paths come first.
      if ((matched & ~readings) === 0) continue
      if (found && found.guard !== entry.guard) return AMBIGUOUS
      found = entry
      readings |= matched
    }
    if (!found) return findRefusal(candidates, path)
    return (readings & EXACT) !== 0 ? found : AMBIGUOUS
  }
}

function findRefusal(candidates: readonly Entry[], path: RequestPath): Found {
  const matching = candidates.filter(({ template }) => matchTemplate(template, path) !== 0)
  const methods = matching.filter(({ template }) => (matchTemplate(template, path) & EXACT) !== 0)
  if (methods.length === 0) return matching.length > 0 ? AMBIGUOUS : UNKNOWN
  const headers = { Allow: [...new Set(methods.map(({ method }) => method))].join(', ') }
  const description = 'The document of this API does not have this method here'
  return createRefusal(createOwnDenial(405, 'method_not_allowed', description, headers), 'undocumented_method')
}

/** The operation of the method. HEAD is GET, unless the document has it. */
function createEntries({ operations, createOperationGuard, findCost, prefix }: DocumentGuardOptions): Entry[] {
  const guards = new Map<RequestCost, Map<string, Guard>>()

  function findGuard(security: Security, cost: RequestCost): Guard | undefined {
    if (security.alternatives.length === 0) return undefined
    const ofCost = guards.get(cost) ?? new Map<string, Guard>()
    const key = JSON.stringify(security)
    const guard = ofCost.get(key) ?? createOperationGuard(security, cost)
    guards.set(cost, ofCost.set(key, guard))
    return guard
  }

  const hasHead = new Set(operations.filter(({ method }) => method === 'HEAD').map(({ template }) => template.path))
  return operations.flatMap((operation) => {
    const { method, template, security } = operation
    const name = nameOperation(operation, prefix)
    const guard = findGuard(security, findCost(name))
    const entry: Entry = { method, template, route: name.slice(0, MAX_ROUTE_LENGTH), guard, refusal: undefined }
    return method === 'GET' && !hasHead.has(template.path) ? [entry, { ...entry, method: 'HEAD' }] : [entry]
  })
}

const MAX_ROUTE_LENGTH = 300

const NOT_FOUND = createOwnDenial(404, 'not_found', 'This path is not in the document of this API', {})
const UNKNOWN = createRefusal(NOT_FOUND, 'undocumented_path')
const AMBIGUOUS = createRefusal(NOT_FOUND, 'undocumented_path', true)

function createRefusal(denied: Denial, reason: string, isAmbiguous = false): Found {
  return { guard: undefined, refusal: { denied, reason, isAmbiguous } }
}

/** The operations that have no route below `path`, such as `GET /items`. Express answers OPTIONS itself. */
function findMissingRoutes(operations: readonly SecuredOperation[], app: object, path: string): string[] {
  const layers = findLayers(app) ?? []
  const isMissing = ({ method, template }: SecuredOperation): boolean =>
    method !== 'OPTIONS' &&
    !SAMPLES.some((sample) =>
      hasRoute(layers, path + template.path.replaceAll(/\{[^{}]+\}/g, sample), (route) => handlesMethod(route, method)),
    )
  return operations.filter(isMissing).map(({ method, template }) => `${method} ${template.path}`)
}

/** Values for parameters, because a route may take only numbers, or only UUIDs. */
const SAMPLES = ['1', 'a', '00000000-0000-4000-8000-000000000000']

/** The name of an operation, as its document has it: `GET /items/{id}`. */
export function nameOperation({ method, template: { path } }: SecuredOperation, prefix = ''): string {
  return `${method} ${path === '/' && prefix !== '' ? prefix : prefix + path}`
}
