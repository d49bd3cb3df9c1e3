import type { GuardParts } from '../../core/resource-server/guards.js'
import type { ApisOptions, GuardAuth, PlatformAuth } from '../../index.js'
import { readPlatform } from '../../shared/lib/option-checks.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import type { MetadataOutput, MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import { createDocumentGuard, type DocumentGuard } from './document-guard.js'
import { readDocumentArguments, readUndocumented, type DocumentGuardsOptions } from './read-arguments.js'

export type { DocumentGuard } from './document-guard.js'
export type { DocumentGuardsOptions } from './read-arguments.js'

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
