import type { GuardParts } from '../../core/resource-server/guards.js'
import type { ApisOptions, GuardAuth, PlatformAuth, AllowRequest, AuthInfo, Guard, GuardOptions } from '../../index.js'
import type { MetadataOutput, MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import { createDocumentGuard, type DocumentGuard, nameOperation, type RequestCost } from './document-guard.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { describeValue, readPlatform, wrongOption } from '../../shared/lib/option-checks.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import { readOperations } from '../../shared/openapi/operations.js'
import { findRepeatedPrefix, takeBelow, type RepeatedPrefix } from '../../shared/openapi/prefix.js'
import { readDocument } from '../../shared/openapi/read-document.js'
import { refuseProblems, type DocumentProblem } from '../../shared/openapi/security.js'

export type { DocumentGuard } from './document-guard.js'

/**
 * A guard for all operations of an API's OpenAPI document (3.0 to 3.2): an object, or the path of a JSON or YAML file. Each
 * operation requires what its `security` says, and is open if that is `[]`; what is not in the document is refused with 404
 * or 405. Paths are relative to where the guard is mounted. Throws one `ConfigurationError` with all that cannot be enforced.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { authOf, createPlatformAuth } from 'express-platform-auth'
 * import { guardsFromDocument } from 'express-platform-auth/document-guards'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } } },
 * })
 * const guard = guardsFromDocument(auth, 'orders', {
 *   openapi: '3.1.0',
 *   info: { title: 'Orders', version: '1.0.0' },
 *   paths: { '/items': { get: { security: [{ oauth2: ['orders:read'] }] } } },
 * })
 * const orders = express.Router().get('/items', (req, res) => void res.json({ caller: authOf(req).application.name }))
 * guard.checkRoutes(orders)
 * express().use('/orders', guard, orders)
 * ```
 */
export function guardsFromDocument<Apis extends ApisOptions, Schema extends MetadataSchema>(
  auth: PlatformAuth<Apis, Schema> | GuardAuth<Apis, Schema>,
  api: keyof Apis & string,
  document: object | string,
  // With a default, the function has a length of 3: one of 4 in a route would be an error handler, which Express skips.
  options: DocumentGuardsOptions<MetadataOutput<Schema>> = {},
): DocumentGuard {
  const call = "guardsFromDocument(auth, 'orders', './openapi.json')"
  const { guards: parts } = readPlatform<{ readonly guards: GuardParts }>(auth, 'guards', call)
  const { createGuard, readReportOnly, respondWithDenial, warn } = parts
  const given = readDocumentArguments(parts, api, document, options)
  const { onDenied = parts.onDenied, undocumented = 'refuse' } = given.options
  const guard = createDocumentGuard({
    ...given,
    createOperationGuard: ({ optional, alternatives: anyOf }, cost) =>
      createGuard(given.api, ownMembers({ ...given.options, cost, optional, anyOf })),
    undocumented: readUndocumented(undocumented, parts),
    reportOnly: readReportOnly(`guardsFromDocument("${given.api.name}")`, given.api, given.options),
    onDenied,
    respondWithDenial,
    prefix: given.options.prefix,
    noted: parts.observers.get(given.api.name)?.noted,
    warn,
  })
  parts.register(guard)
  return guard
}

/** The options of `guardsFromDocument()`. */
export interface DocumentGuardsOptions<Metadata = Record<string, unknown>> extends Omit<GuardOptions, 'optional'> {
  /** Decides about each request that meets everything else, except of open operations. */
  readonly allow?: AllowRequest<AuthInfo<Metadata>>
  /**
   * The beginning of this API's paths in a document of several APIs, such as `/orders`: paths below it count, without it, and
   * the rest is ignored. If left out, the paths of the document are relative to the guard's mount path.
   */
  readonly prefix?: string
  /**
   * The units that a request counts toward the application's plan, as a guard's `cost`; or those of operations by their names, such as
   * `{ 'POST /reports': 5 }`, where 1 unit is that of the others. 1 if left out.
   */
  readonly cost?: RequestCost | Readonly<Record<string, RequestCost>>
  /**
   * The answer to a request whose path or method is not in the document: `'refuse'` (404 or 405) by default; `'pass'` lets it
   * pass without a credential; a guard of this platform decides about it.
   */
  readonly undocumented?: 'refuse' | 'pass' | Guard
}

function readDocumentArguments(
  { apis, readGuardOptions, readCost }: GuardParts,
  name: unknown,
  given: unknown,
  options: unknown,
) {
  const api = typeof name === 'string' ? apis.get(name) : undefined
  if (!api)
    throw new ConfigurationError({
      problem: `guardsFromDocument: there is no API ${describeValue(name, 'without a name')}`,
      fix: `There are: ${[...apis.keys()].join(', ')}.`,
    })
  const call = `guardsFromDocument("${api.name}")`
  const known = ['allow', 'onDenied', 'cost', 'undocumented', 'prefix', 'reportOnly'] as const
  const guardOptions = readGuardOptions<DocumentGuardsOptions>(call, options, known, () => undefined)
  const { prefix, cost } = guardOptions
  const document = takeBelow(`${call}: prefix`, readDocument(`${call}: document`, given), prefix)
  const { operations, problems } = readOperations(api, document)
  const repeated = prefix === undefined ? findRepeatedPrefix(api, document) : undefined
  const reason = repeated && problems.length > 0 ? [describeRepeated(repeated)] : []
  refuseProblems(`${call}: document`, [...problems, ...reason])
  const names = operations.map((each) => nameOperation(each, prefix))
  const findCost = readCosts(call, cost, names, readCost)
  return { api, operations, options: guardOptions, findCost, repeated }
}

function readCosts(
  call: string,
  given: DocumentGuardsOptions['cost'],
  names: readonly string[],
  readCost: GuardParts['readCost'],
): (name: string) => RequestCost {
  if (!isObject(given)) {
    const cost = readCost(call, given)
    return () => cost
  }
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw wrongOption(
      `${call}: cost`,
      `has "${unknown}", which is no operation of the document`,
      `Write the method and the path as the document does: ${names.slice(0, 3).join(', ')}.`,
    )
  const costs = new Map(Object.entries(given).map(([name, cost]) => [name, readCost(`${call}: ${name}`, cost)]))
  return (name) => costs.get(name) ?? 1
}

function describeRepeated({ prefix, path, isEveryPath }: RepeatedPrefix): DocumentProblem {
  return {
    problem: `has paths that begin with "${prefix}", such as ${path}${isEveryPath ? '' : ', and others: it may describe several APIs'}`,
    fix: `Give { prefix: '${prefix}' } as options, to take what is below it.`,
  }
}

/** The guard for everything outside the document; undefined if that is refused. Throws for any other function. */
function readUndocumented(given: unknown, { isGuard, describeNoGuard }: GuardParts): Guard | undefined {
  if (given === 'refuse') return undefined
  if (given === 'pass') return (_req, _res, next) => next()
  if (isGuard(given)) return given as Guard
  throw wrongOption(
    'guardsFromDocument: undocumented',
    `is ${describeNoGuard(given)}`,
    "Write 'refuse', 'pass', or a guard such as auth.requireBearer('orders').",
  )
}
