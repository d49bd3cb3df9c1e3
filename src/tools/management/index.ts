import type { IncomingMessage, ServerResponse } from 'node:http'
import { parsePath, readOriginalPath, readPath } from '../../shared/lib/request.js'
import { sendEmpty, sendJson } from '../../core/http/respond.js'
import type { PlatformParts } from '../../core/platform/core-auth.js'
import { ApplicationError, authOf, type CoreAuth, type Middleware, type OnDenied } from '../../index.js'
import { countChanges, type ApplicationRecord } from '../../shared/contracts/application-record.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import { describeKind, readGroup, readPlatform, wrongOption } from '../../shared/lib/option-checks.js'
import type { Operation } from '../operations/operation.js'
import { isForManagement, SCOPES } from '../operations/operator-calls.js'
import { hideContact, leaveOutGuarded } from '../operations/schemas.js'
import { offers, perform, replaceCalls } from '../operations/perform.js'
import { createDocument, isConditional, isVersioned } from './document.js'
import { applyPatch, needsRecord, readInput, readVersions } from './read-request.js'
import { readOnce, Repeat, type FindApplication, type Made, type Once } from './once.js'
import { Problem, sendProblem, toGuardProblem, toProblem } from './problem.js'
import { matchPath, ROUTES, type Route } from './routes.js'

/**
 * The options of an API for management, an entry of the option `apis`. Access to it is granted with the command line or
 * `auth.applications.create()` alone: nobody registers for it or requests it.
 */
export const managementApi = {
  scheme: 'oauth2',
  title: 'Management',
  description: 'Applications, credentials, usage and audit log of this platform, for its operators’ own programs.',
  registration: 'closed',
  scopes: SCOPES,
} as const

/**
 * Middleware that serves what operators can do over HTTP, protected by one of the platform's own APIs. Mount it where that API is, after
 * `auth.router`. Throws `ConfigurationError` if the API is not as `managementApi` is.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { management, managementApi } from 'express-platform-auth/management'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   apis: { orders: { scheme: 'oauth2' }, management: managementApi },
 * })
 * const app = express()
 * app.use(auth.router)
 * app.use('/management', management(auth, { api: 'management' }))
 * ```
 */
export function management(auth: CoreAuth, options: { readonly api: string }): Middleware {
  const { api, platform, routes } = readArguments('management', auth, options)
  const { core, guards: guardParts } = platform
  const onDenied: OnDenied = (denied, req, res) => sendProblem(req, res, toGuardProblem(denied))
  const createGuard = (scope: string) => auth.requireBearer(api, { scopes: [scope], reportOnly: false, onDenied })
  const guards = new Map(Object.keys(SCOPES).map((scope) => [scope, createGuard(scope)]))
  const document = createDocument(auth, api, routes)

  const findApplication: FindApplication = async (id) => {
    await core.opened()
    return core.store.findApplication(id)
  }

  async function answer(req: IncomingMessage, res: ServerResponse, route: Route, parameters: Record<string, string>) {
    const { operation } = route
    const { application, scopes } = authOf(req, api)
    const asked = await readInput(req, route, parameters)
    // An address that may not be seen is not searched for either.
    const by = Object.hasOwn(asked, 'by') ? asked['by'] : undefined
    const isHidden = typeof by === 'string' && !scopes.includes('applications:read')
    const input = isHidden ? { ...asked, by: hideContact(by) } : asked
    for (const [member, scope] of Object.entries(operation.memberScopes))
      if (Object.hasOwn(input, member) && !scopes.includes(scope))
        throw new Problem('insufficient_scope', `This member needs the scope ${scope}.`, {
          'WWW-Authenticate': `Bearer realm="${api}", error="insufficient_scope", scope="${scope}"`,
        })
    const { api: named, apis } = input
    const granted = Array.isArray(apis) ? (apis as unknown[]) : isObject(apis) ? Object.keys(apis) : []
    if (operation.changes === 'application' && [named, ...granted].includes(api))
      throw new Problem('protected_application', `Access to ${api} is granted by operators, with the command line.`)
    const expected = readVersions(req)
    const once = readOnce(req, { auth, findApplication, operation, input, callerId: application.id })
    const change = createChange({ auth, platform, findApplication, api, operation, expected, once })
    // The audit log and its rules know contacts by how `by` begins, so the id comes first.
    const result = await change.run(input, `${application.id} (${application.name})`)
    const headers = { ...NO_STORE, ...change.headers() }
    if (operation.output === undefined) return sendEmpty(res, 204, headers)
    const made = operation.creates ? { Location: locate(req, result) } : {}
    const isRepeat = operation.creates && isObject(result) && Object.hasOwn(result, 'repeated')
    const isWhole = isRepeat || scopes.includes('applications:read')
    const seen = isWhole ? result : leaveOutGuarded(operation.output, result)
    sendJson(res, operation.creates && !isRepeat ? 201 : 200, seen, { ...headers, ...made })
  }

  return function managementRouter(req, res, next) {
    const path = readPath(req)
    const method = req.method === 'HEAD' ? 'GET' : req.method
    if (path === '/openapi.json' && method === 'GET') {
      guardParts.decisions.note?.({ kind: 'public', api, accepts: [], denied: undefined, hasOwnAnswer: true })
      return sendJson(res, 200, document, NO_STORE)
    }
    const { matched, parameters } = matchPath(routes, path)
    const isKnown = matched.length > 0 || matchPath(ROUTES, path).matched.length > 0
    if (!isKnown) return next()
    const route = matched.find((each) => each.method === method)
    const fail = (error: unknown): void => {
      const problem = toProblem(error)
      if (problem.status === 500)
        guardParts.warn(`Management: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`)
      sendProblem(req, res, problem)
    }
    const allowed = matched.flatMap((each) => (each.method === 'GET' ? ['GET', 'HEAD'] : each.method))
    const headers = { ...NO_STORE, Allow: [...allowed, 'OPTIONS'].join(', ') }
    if (matched.length === 0)
      return fail(new Problem('not_offered', 'This platform lacks the feature that has this operation.'))
    if (method === 'OPTIONS') return sendEmpty(res, 204, headers)
    if (!route) return fail(new Problem('method_not_allowed', 'There is no such method here.', headers))
    guardParts.observers.get(api)?.noted?.({ route: `${route.method} ${route.path}` }, req)
    const begin = (): void => void answer(req, res, route, parameters).catch(fail)
    guards.get(route.operation.scope)!(req, res, (error?: unknown) => (error === undefined ? begin() : next(error)))
  }
}

const NO_STORE = { 'Cache-Control': 'no-store' }

/** The OpenAPI 3.1 document of management, for the console: `developerConsole(auth, { documents: { management: ... } })`. */
export function managementDocument(auth: CoreAuth, options: { readonly api: string }): object {
  const { api, routes } = readArguments('managementDocument', auth, options)
  return createDocument(auth, api, routes)
}

function readArguments(caller: string, auth: CoreAuth, options: unknown) {
  const call = `${caller}(auth, { api: 'management' })`
  const platform = readPlatform<PlatformParts>(auth, 'core', call)
  const { api } = readGroup<{ readonly api?: unknown }>(caller, isObject(options) ? options : {}, ['api'])
  const found = auth.apis.find(({ name }) => name === api)
  const isClosed = found && platform.core.settings.apis.get(found.name)?.registration === 'closed'
  const routes = ROUTES.filter(({ operation }) => offers(auth, operation))
  if (isClosed && isForManagement(found)) return { api: found.name, platform, routes }
  if (typeof api !== 'string')
    throw wrongOption('api', `is ${describeKind(api)}`, `Name the API for management: ${call}.`)
  throw wrongOption(
    'api',
    `names ${JSON.stringify(api)}, which is no API for management`,
    `Add ${JSON.stringify(api)}: managementApi to the option apis, from "express-platform-auth/management": an oauth2 API with its scopes and registration: 'closed'.`,
  )
}

/** At most so many processes change an application between the reading and the saving of one patch. */
const MAX_PATCH_ATTEMPTS = 20

function createChange(options: {
  readonly auth: CoreAuth
  readonly platform: Pick<PlatformParts, 'createGuardedCalls' | 'rotateSigningKey'>
  readonly findApplication: FindApplication
  readonly api: string
  readonly operation: Operation
  readonly expected: readonly number[] | undefined
  readonly once: Once | undefined
}) {
  const { auth, platform, findApplication, api, operation, expected, once } = options
  let version: number | undefined
  let wanted: readonly number[] | undefined

  function check(record: ApplicationRecord): void {
    if (Object.hasOwn(record.apis, api) || record.resourceServer) {
      const why = record.resourceServer ? 'is a resource server' : `has access to ${api}`
      throw new Problem(
        'protected_application',
        `Application ${record.id} ${why}: operators change it, with the command line.`,
      )
    }
    if (wanted?.includes(countChanges(record)) === false)
      throw new Problem('version_changed', 'The application has changed since: read it again.')
    version = countChanges(record)
  }

  function keep(saved: ApplicationRecord): void {
    version = countChanges(saved)
    if (wanted) wanted = [version]
  }

  function createCalls(): object {
    const calls = platform.createGuardedCalls({ check, request: once, saved: keep })
    // An answer that a key was made is about a key of this request.
    const rotate = (rotation: object): Promise<object> =>
      platform.rotateSigningKey(rotation, once ?? { id: undefined, check: undefined })
    return { ...replaceCalls(auth, calls), signingKeys: { ...auth.signingKeys, rotate } }
  }

  async function runOnce(input: Readonly<Record<string, unknown>>, by: string): Promise<unknown> {
    const id = operation.subject[0] === 'id' && isVersioned(operation) ? String(input['id']) : undefined
    // It is read before repeats are looked for, so that one that is made in between changes its version.
    const record = id === undefined ? undefined : await findApplication(id)
    const made = await once?.find(id)
    if (made) return made
    if (operation.changes === 'nothing') {
      version = record && countChanges(record)
      return perform(operation, auth, input, by)
    }
    const isPatch = operation.name === 'applications.update' && needsRecord(input) && record !== undefined
    wanted = expected ?? (record && (once || isPatch) ? [countChanges(record)] : undefined)
    // Also for calls that refuse before they change anything.
    if (record) check(record)
    return perform(operation, createCalls(), isPatch ? applyPatch(input, record) : input, by)
  }

  return {
    async run(input: Readonly<Record<string, unknown>>, by: string): Promise<unknown> {
      if (expected !== undefined && !isConditional(operation))
        throw new Problem('invalid_request', 'This operation takes no If-Match.')
      for (let attempt = 1; ; attempt++) {
        try {
          return await runOnce(input, by)
        } catch (error) {
          if (error instanceof Repeat) return error.made
          const isLate = error instanceof Problem && error.code === 'version_changed' && expected === undefined
          // Another request with the key was faster.
          const isMade =
            once !== undefined &&
            error instanceof ApplicationError &&
            error.code === 'conflict' &&
            (await once.find(undefined))
          if (isMade) return isMade
          if (!isLate || attempt === MAX_PATCH_ATTEMPTS) throw error
        }
      }
    },
    headers: (): Record<string, string> => (version === undefined ? {} : { ETag: `"${version}"` }),
  }
}

function locate(req: IncomingMessage, result: unknown): string {
  const mount = readOriginalPath(req).slice(0, -parsePath(req.url ?? '/').length)
  const {
    application,
    applicationId = application?.id,
    kid,
  } = ownMembers(result as Partial<Made> & { application?: { id: string }; kid?: string })
  return applicationId !== undefined ? `${mount}/applications/${applicationId}` : `${mount}/signing-keys/${kid ?? ''}`
}
