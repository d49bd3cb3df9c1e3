import type { Api, ApisOptions, CoreAuth, Middleware, PlatformAuth } from '../../index.js'
import type { WithEmails } from '../../features/emails/index.js'
import type { WithPortal } from '../../features/portal/index.js'
import type { WithRegistration } from '../../features/registration/index.js'
import { asObject, type JsonObject } from '../../shared/openapi/document.js'
import { createPageBrand } from '../../shared/web/page-brand.js'
import { escapeHidden } from '../../shared/lib/visible-text.js'
import { findFirstPath } from './api-samples.js'
import { loadAssets } from './assets.js'
import { readDocuments } from './documents.js'
import { listExports, MARKDOWN_TYPE, writeLlmsIndex } from './export/exports.js'
import { renderIndexPage, renderSamplesPage } from './index-page.js'
import { createContentSecurityPolicy, listDeveloperPages, type Site } from './page.js'
import { listReferenceOperations } from './reference/operations.js'
import { readText } from './reference/read-schema.js'
import {
  createDocumentResource,
  createLatePageResource,
  type MakeResource,
  type Resource,
  createRouter,
} from './router.js'
import { renderTextPage, readChangelog, readGuides } from './texts.js'
import { words } from './words.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { readPlatform, refuseUnknown, wrongOption } from '../../shared/lib/option-checks.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { Reference } from './reference/operation.js'
import { renderOperationPage, renderReferencePage, renderSchemaPage, renderSchemasPage } from './reference/page.js'
import { listNamedSchemas } from './reference/named-schemas.js'
import { createSearchIndex } from './reference/search-index.js'

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
  readPlatform<{ readonly core: object }>(auth, 'core', 'developerConsole(auth)')
  const { documents: given, title, registration: isWanted, ...texts } = readConsoleOptions(options)
  const { emails, registration: registrationCalls, portal }: Partial<PlatformWithPages> = auth
  if (options?.registration === true && registrationCalls === undefined)
    throw wrongOption(
      'registration',
      'needs registration(), which is not given',
      'Add registration() from "express-platform-auth/registration" to the option features, or leave it out.',
    )
  const hasEmails = emails !== undefined
  const registration = isWanted && registrationCalls !== undefined
  const documents = readDocuments(auth.apis, given, { hasEmails })
  const apis = auth.apis.map((api) => ({ ...api, title: readTitle(api, documents.get(api.name)) }))
  const site: Site = {
    get title() {
      return title ?? words().console
    },
    apis,
    documents,
    registration,
    hasEmails,
    portal: portal !== undefined,
    guides: readGuides(texts.guides),
    changelog: readChangelog(texts.changelog),
    assets: loadAssets(),
    brand: createPageBrand(auth.brand),
    schemes: [...new Set(apis.map(({ scheme }) => scheme))],
  }
  const resources = new Map<string, Resource | MakeResource>([
    ...Object.values(site.assets).map((asset) => [`/${asset.path}`, asset] as const),
    ...listDocumentResources(site),
    ...listTextResources(site),
    ...listPages(site),
  ])
  const firstCalls = new Map(
    site.apis.flatMap((api) => {
      const path = findFirstPath(api, documents.get(api.name))
      return path === undefined ? [] : [[api.name, api.resource + path] as const]
    }),
  )
  const pages = { ...listDeveloperPages(site), title, firstCalls }
  return createRouter(resources, listRouters(auth, registration), pages)
}

function readTitle({ name, title }: Api, document: JsonObject | undefined): string {
  return title === name ? (readText(asObject(document?.['info'])['title']) ?? title) : title
}

type PlatformWithPages = WithEmails & WithRegistration & WithPortal

type Paths = [path: string, resource: Resource | MakeResource][]

function listPages(site: Site): Paths {
  const { apis, documents, brand } = site
  const references = apis.flatMap((api) => {
    const document = documents.get(api.name)
    if (!document) return []
    // Images that an API answers with.
    const policy = createContentSecurityPolicy(["'self'", new URL(api.resource).origin], ['blob:'])
    const reference = { api, document, operations: listReferenceOperations(document) }
    return listReferenceResources(reference, site, brand.extendPolicy(policy))
  })
  const samples = apis.map((api): Paths[number] => [
    `/apis/${api.name}/samples`,
    createTextPage(site, () => renderSamplesPage(api, site), ["'self'", new URL(api.resource).origin]),
  ])
  return [['/', createTextPage(site, () => renderIndexPage(site))], ...samples, ...references]
}

function listTextResources(site: Site): Paths {
  const { guides, changelog } = site
  return [...guides, ...(changelog ? [changelog] : [])].flatMap((text) => [
    [`/${text.path}`, createTextPage(site, () => renderTextPage(site, text))],
    [`/${text.path}.md`, createDocumentResource(MARKDOWN_TYPE, () => escapeHidden(text.markdown))],
  ])
}

function listDocumentResources(site: Site): Paths {
  const { apis, documents } = site
  const index = createDocumentResource('text/plain; charset=utf-8', () => escapeHidden(writeLlmsIndex(site)))
  const exports = apis.flatMap((api) => {
    const document = documents.get(api.name)
    return document ? listExports(api, document, site.registration) : []
  })
  return [['/llms.txt', index], ...exports]
}

function createTextPage({ brand }: Site, render: () => string, connect: readonly string[] = []): MakeResource {
  return createLatePageResource(render, brand.extendPolicy(createContentSecurityPolicy(connect)))
}

function listRouters(auth: CoreAuth, hasRegistration: boolean): ReadonlyMap<string, Middleware> {
  const { emails, registration, portal }: Partial<PlatformWithPages> = auth
  const routers = new Map<string, Middleware>([['suspended', auth.suspensionRouter]])
  const register = hasRegistration ? registration?.router : undefined
  // The claim page of `emails()` is below the path of registration.
  if (register && emails)
    routers.set('register', (req, res, next) =>
      register(req, res, (error) => (error === undefined ? emails.router(req, res, next) : next(error))),
    )
  else if (emails) routers.set('register', emails.router)
  if (portal) routers.set('applications', portal.router)
  return routers
}

/** The options of `developerConsole()`. */
export interface DeveloperConsoleOptions<Name extends string = string> {
  /**
   * OpenAPI 3.0, 3.1 or 3.2 documents by API name, as objects or as paths of JSON or YAML files. YAML needs the package `yaml`.
   * `{ document, prefix: '/orders' }` takes what a document of several APIs has below a path.
   * Their paths are relative to `{baseUrl}/{api}`; `servers` and `securitySchemes` are filled in. An API without a document has no reference.
   */
  readonly documents?: { readonly [api in Name]?: object | string | undefined } | undefined
  /** The console's title; `Developer console` by default, in the reader's language. */
  readonly title?: string | undefined
  /** Whether applications can register at `/register`; true by default. It also needs `registration()`, a feature of the platform. */
  readonly registration?: boolean | undefined
  /**
   * Guides: a pattern of Markdown files in one folder, such as `docs/guides/*.md`, relative to the working directory of the process.
   * Shown at `/guides/{name}` in the order of their names, with their first heading as title. They are read once, at the start.
   */
  readonly guides?: string | undefined
  /** The path of a Markdown file, such as `CHANGELOG.md`, shown at `/changelog`. */
  readonly changelog?: string | undefined
}

function readConsoleOptions(options: DeveloperConsoleOptions) {
  const own = ownMembers(options)
  const names = [
    'documents',
    'title',
    'registration',
    'guides',
    'changelog',
  ] satisfies (keyof DeveloperConsoleOptions)[]
  refuseUnknown('', own, names)
  const { documents = {}, title, registration = true, guides, changelog } = own
  if (title !== undefined && typeof title !== 'string')
    throw wrongOption('title', 'is not a string', 'Write title: "Shop developers".')
  return { documents, title, registration, guides, changelog }
}

/** Rendering a page takes milliseconds, so nearly all pages are kept, compressed. The cache bounds their bytes. */
const KEPT_PAGES = 2000

function listReferenceResources(reference: Reference, options: Site, policy: string): Paths {
  const { api, document, operations } = reference
  const schemas = listNamedSchemas(document)
  const kept = createBoundedCache<Resource>({ entries: KEPT_PAGES, bytesOf: ({ gzipped }) => gzipped.length })
  const root = `/apis/${api.name}`
  const keep = (path: string, render: () => string): Paths[number] => [
    root + path,
    createLatePageResource(render, policy, kept, path),
  ]
  const writeSearch = (): string => JSON.stringify(createSearchIndex(document, operations, schemas))

  return [
    [root, createLatePageResource(() => renderReferencePage(reference, options), policy)],
    [`${root}/search.json`, createDocumentResource('application/json; charset=utf-8', writeSearch)],
    [`${root}/schemas`, createLatePageResource(() => renderSchemasPage(reference, options), policy)],
    ...schemas.map((each) => keep(`/schemas/${each.key}`, () => renderSchemaPage(reference, each, options))),
    ...operations.map((each) => keep(`/operations/${each.key}`, () => renderOperationPage(reference, each, options))),
  ]
}
