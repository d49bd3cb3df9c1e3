import { ConfigurationError, type ApisOptions, type Middleware, type PlatformAuth } from '../index.js'
import { describeValue } from '../lib/describe-value.js'
import { isObject } from '../lib/is-object.js'
import { createPageBrand } from '../lib/page-brand.js'
import { loadAssets } from './assets.js'
import { readDocuments } from './documents.js'
import { renderIndexPage } from './index-page.js'
import { createContentSecurityPolicy } from './page.js'
import { listReferenceOperations } from './reference/operation-keys.js'
import { listReferenceResources } from './reference/resources.js'
import { createDocumentResource, createPageResource, IMMUTABLE, type Resource } from './resource.js'
import { createRouter } from './router.js'

/** The options of `developerConsole()`. */
export interface DeveloperConsoleOptions<Name extends string = string> {
  /**
   * OpenAPI 3.0, 3.1 or 3.2 documents by API name, as objects or as paths of JSON or YAML files. YAML needs the package `yaml`.
   * Their paths are relative to `{baseUrl}/{api}`; `servers` and `securitySchemes` are filled in. An API without a document has no reference.
   */
  readonly documents?: { readonly [api in Name]?: object | string | undefined } | undefined
  /** The console's title; `Developer console` by default. */
  readonly title?: string | undefined
  /** Whether applications can register at `/register`; true by default. Registration also needs the platform's `mailer`. */
  readonly registration?: boolean | undefined
}

/**
 * Middleware that serves the developer console: all APIs with their addresses and commands, a reference per API that
 * calls it with the reader's own credentials, registration, and the portal at `/applications`. Mount it at any path on the origin of `baseUrl`.
 * Throws `ConfigurationError` for an option or a document that is wrong, with the fix.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { developerConsole } from 'express-platform-auth/console'
 *
 * const app = express()
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   developersUrl: 'http://localhost:3000/developers',
 *   apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } } },
 * })
 * app.use(auth.router)
 * app.use('/developers', developerConsole(auth, { title: 'Shop developers' }))
 * ```
 */
export function developerConsole<const Apis extends ApisOptions>(
  auth: PlatformAuth<Apis>,
  options: DeveloperConsoleOptions<keyof Apis & string> = {},
): Middleware {
  if (!isPlatform(auth))
    throw new ConfigurationError({
      problem: `developerConsole() was given ${describeValue(auth)}, which is no platform`,
      fix: 'Write developerConsole(auth), where auth is what createPlatformAuth() returned.',
    })
  const { documents: given = {}, title = 'Developer console', registration = true } = options
  refuseWrongOptions(options)

  const { apis } = auth
  const hasMailer = auth.registration.enabled
  const documents = readDocuments(apis, given, { hasMailer })
  const assets = loadAssets()
  const hasRegistration = registration && hasMailer
  const resources = new Map<string, Resource | (() => Resource)>()

  const has = { registration: hasRegistration, portal: auth.portal.enabled }
  const brand = createPageBrand(auth.brand)
  const index = renderIndexPage({ ...has, title, apis, documents, assets, brand })
  resources.set('/', createPageResource(index, brand.extendPolicy(createContentSecurityPolicy())))
  for (const api of apis) {
    const document = documents.get(api.name)
    if (!document) continue
    const policy = createContentSecurityPolicy({
      connect: ["'self'", new URL(api.resource).origin],
      // Images that an API answers with.
      images: ['blob:'],
    })
    const reference = { api, document, operations: listReferenceOperations(document) }
    const pages = listReferenceResources(reference, {
      title,
      registration: hasRegistration,
      hasMailer,
      supportUrl: auth.brand.supportUrl,
      schemes: [...new Set(apis.map(({ scheme }) => scheme))],
      assets,
      brand,
      policy: brand.extendPolicy(policy),
    })
    for (const [path, resource] of pages) resources.set(`/apis/${api.name}${path}`, resource)
    resources.set(
      `/apis/${api.name}/openapi.json`,
      createDocumentResource('application/json; charset=utf-8', () => `${JSON.stringify(document, null, 2)}\n`),
    )
  }
  for (const { path, type, gzipped, plain } of Object.values(assets)) {
    resources.set(`/${path}`, { type, gzipped, plain, headers: IMMUTABLE })
  }
  return createRouter({ resources, routers: listRouters(auth, hasRegistration) })
}

/** By the first segment of their paths. */
function listRouters(auth: PlatformAuth, hasRegistration: boolean): ReadonlyMap<string, Middleware> {
  const routers = new Map<string, Middleware>([['suspended', auth.suspensionRouter]])
  if (hasRegistration) routers.set('register', auth.registrationRouter)
  if (auth.portal.enabled) routers.set('applications', auth.portalRouter)
  return routers
}

function refuseWrongOptions(options: DeveloperConsoleOptions): void {
  const unknown = Object.keys(options).find((name) => !['documents', 'title', 'registration'].includes(name))
  if (unknown !== undefined)
    throw new ConfigurationError({
      option: unknown,
      problem: 'is not an option',
      fix: 'There are: documents, title, registration.',
    })
  if (options.title !== undefined && typeof options.title !== 'string')
    throw new ConfigurationError({
      option: 'title',
      problem: 'is not a string',
      fix: 'Write title: "Shop developers".',
    })
}

/** A guarded look: JavaScript callers may pass an app, options, or a promise. */
function isPlatform(auth: unknown): auth is PlatformAuth {
  return isObject(auth) && Array.isArray(auth['apis']) && isObject(auth['registration'])
}
