import { createBoundedCache } from '../../../shared/lib/bounded-cache.js'
import { createDocumentResource, createLatePageResource, type MakeResource, type Resource } from '../resource.js'
import type { Reference } from './operation.js'
import { renderOperationPage, renderReferencePage } from './page.js'
import type { ReferencePageOptions } from './frame.js'
import { renderSchemaPage, renderSchemasPage } from './schema-pages.js'
import { listNamedSchemas } from './named-schemas.js'
import { createSearchIndex } from './search-index.js'

/** Rendering a page takes milliseconds, so nearly all pages are kept, compressed. The cache bounds their bytes. */
const KEPT_PAGES = 2000

/** The reference of an API, the pages of its operations and schemas, and what its search needs, by the path below the reference. */
export function listReferenceResources(
  reference: Reference,
  options: ReferencePageOptions,
  policy: string,
): [path: string, resource: MakeResource][] {
  const { document, operations } = reference
  const schemas = listNamedSchemas(document)
  const kept = createBoundedCache<Resource>({ entries: KEPT_PAGES, bytesOf: ({ gzipped }) => gzipped.length })
  const keep = (path: string, render: () => string): [path: string, resource: MakeResource] => [
    path,
    createLatePageResource(render, policy, kept, path),
  ]
  const writeSearch = (): string => JSON.stringify(createSearchIndex(document, operations, schemas))

  return [
    ['', createLatePageResource(() => renderReferencePage(reference, options), policy)],
    ['/search.json', createDocumentResource('application/json; charset=utf-8', writeSearch)],
    ['/schemas', createLatePageResource(() => renderSchemasPage(reference, options), policy)],
    ...schemas.map((each) => keep(`/schemas/${each.key}`, () => renderSchemaPage(reference, each, options))),
    ...operations.map((each) => keep(`/operations/${each.key}`, () => renderOperationPage(reference, each, options))),
  ]
}
