import { gzipSync } from 'node:zlib'
import { ConfigurationError, type ApisOptions, type Middleware, type PlatformAuth } from '../index.js'
import { loadAssets } from './assets.js'
import { readDocuments } from './documents.js'
import { indexPage } from './index-page.js'
import { contentSecurityPolicy } from './page.js'
import { referencePage } from './reference-page.js'
import { createRouter, type Resource } from './router.js'

/** What `developerConsole()` is given. */
export interface DeveloperConsoleOptions<Name extends string = string> {
  /**
   * API -> its OpenAPI 3.0 or 3.1 document, or the path of a JSON file that holds it. Paths in it are relative to
   * `{baseUrl}/{api}`; servers and security schemes are filled in. An API without one is listed without a reference.
   */
  readonly documents?: { readonly [api in Name]?: object | string | undefined } | undefined
  /** What the console is called; `Developer console` if left out. */
  readonly title?: string | undefined
  /** Whether applications register at `/register`; true if left out. Nobody can where the platform has no `mailer`. */
  readonly registration?: boolean | undefined
}

/**
 * The developer console, for whoever writes an application that calls the platform: every API with its address and how
 * it is called, a reference that calls it with the reader's own credentials, registration. Mount it where you like, on
 * the origin of `baseUrl`. Throws `ConfigurationError` for documents that can't be right, by name and with the cure.
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
  const { documents: given = {}, title = 'Developer console', registration = true } = options
  const unknown = Object.keys(options).find((name) => !['documents', 'title', 'registration'].includes(name))
  if (unknown !== undefined)
    throw new ConfigurationError({
      option: unknown,
      problem: 'is not an option',
      fix: 'There are: documents, title, registration.',
    })
  if (typeof title !== 'string')
    throw new ConfigurationError({
      option: 'title',
      problem: 'is not a string',
      fix: 'Write title: "Shop developers".',
    })

  const { apis } = auth
  const documents = readDocuments(apis, given)
  const assets = loadAssets()
  const register = registration && auth.registration.enabled
  const resources = new Map<string, Resource>()

  const index = indexPage({ title, apis, documents, registration: register, assets })
  resources.set('/', htmlResource(index, contentSecurityPolicy([])))
  for (const api of apis) {
    const document = documents.get(api.name)
    if (!document) continue
    const reference = referencePage({ title, api, document, registration: register, assets })
    const policy = contentSecurityPolicy(["'self'", new URL(api.resource).origin])
    resources.set(`/apis/${api.name}`, htmlResource(reference, policy))
    const json = Buffer.from(`${JSON.stringify(document, null, 2)}\n`)
    resources.set(`/apis/${api.name}/openapi.json`, resource(json, 'application/json; charset=utf-8', FRESH))
  }
  for (const { path, type, gzipped, plain } of Object.values(assets)) {
    resources.set(`/${path}`, { type, gzipped, plain, headers: FOR_EVER })
  }
  return createRouter({ resources, registrationRouter: register ? auth.registrationRouter : undefined })
}

/** The address changes with the content. */
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }
const FRESH = { 'Cache-Control': 'no-cache' }

/** Credentials are typed into pages: no page is kept, by the browser's way back neither, and none tells where it is. */
function htmlResource(text: string, policy: string): Resource {
  return resource(Buffer.from(text), 'text/html; charset=utf-8', {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
  })
}

function resource(content: Buffer, type: string, headers: Resource['headers']): Resource {
  return { type, headers, gzipped: gzipSync(content, { level: 9 }), plain: () => content }
}
