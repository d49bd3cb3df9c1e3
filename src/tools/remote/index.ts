import { PLATFORM_PARTS } from '../../shared/contracts/platform-parts.js'
import { toPublicApi } from '../../core/options/read-apis.js'
import type { AnyMetadata, ApisOptions, GuardAuth } from '../../index.js'
import type { MetadataOutput, MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import { readRemoteOptions, type RemoteAuthOptions } from './read-remote-options.js'
import { createRemoteParts } from './remote-parts.js'

export { credentialSource } from './source-router.js'
export type { RemoteAuthOptions } from './read-remote-options.js'

/**
 * Creates the guards of a platform in a process that has none of its data: another service, which reaches no database and holds no secret of
 * it. It asks the platform, which mounts `credentialSource()`, for what it has not seen yet, and learns of changes within a second. While the
 * platform does not answer, guards answer from memory for `maxStaleness`, then 503. Throws `ConfigurationError` for a wrong option; `ready()`
 * rejects with one for APIs that differ from the platform's.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { authOf } from 'express-platform-auth'
 * import { createRemoteAuth } from 'express-platform-auth/remote'
 *
 * const auth = createRemoteAuth({
 *   platform: 'https://api.example.com',
 *   apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } } },
 *   clientId: process.env.CLIENT_ID!,
 *   clientSecret: process.env.CLIENT_SECRET!,
 * })
 * const app = express()
 * app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'] }), (req, res) => {
 *   res.json({ caller: authOf(req).application.name })
 * })
 * ```
 */
export function createRemoteAuth<
  const Apis extends ApisOptions<MetadataOutput<Schema>>,
  Schema extends MetadataSchema = AnyMetadata,
>(options: RemoteAuthOptions<Apis, Schema>): GuardAuth<Apis, Schema> {
  const settings = readRemoteOptions(options)
  const { guards, guardParts, events, lifecycle } = createRemoteParts(settings)
  const apis = Array.from(settings.apis.values(), toPublicApi)
  const auth = { ...guards, apis, events, ...lifecycle, [PLATFORM_PARTS]: { guards: guardParts } }
  return auth as unknown as GuardAuth<Apis, Schema>
}
