import { createHash } from 'node:crypto'
import { createBoundedCache } from '../../lib/bounded-cache.js'
import { createAssetResource, createLatePageResource, createPageResource, type Resource } from '../resource.js'
import type { Reference } from './operation.js'
import { renderOperationPage, renderReferencePage, type ReferencePageOptions } from './page.js'
import { createSearchIndex } from './search-index.js'

type PageOptions = Omit<ReferencePageOptions, 'search'> & {
  /** The Content-Security-Policy of the pages. */
  readonly policy: string
}

/** Rendering a page takes milliseconds, so nearly all pages are kept, compressed. The cache bounds their bytes. */
const KEPT_PAGES = 2000

/** The reference of an API and the pages of its operations, by the path below the reference. */
export function listReferenceResources(
  reference: Reference,
  options: PageOptions,
): [path: string, resource: Resource | (() => Resource)][] {
  const search = Buffer.from(JSON.stringify(createSearchIndex(reference.document, reference.operations)))
  const searchPath = `/search.${createHash('sha256').update(search).digest('hex').slice(0, 16)}.json`
  const pageOptions = { ...options, search: reference.api.name + searchPath }
  const kept = createBoundedCache<Resource>({ entries: KEPT_PAGES, bytesOf: ({ gzipped }) => gzipped.length })

  return [
    ['', createLatePageResource(() => renderReferencePage(reference, pageOptions), options.policy)],
    [searchPath, createAssetResource('application/json; charset=utf-8', search)],
    ...reference.operations.map((operation): [string, () => Resource] => [
      `/operations/${operation.key}`,
      () => {
        const known = kept.get(operation.key)
        if (known) return known
        const made = createPageResource(renderOperationPage(reference, operation, pageOptions), options.policy)
        kept.set(operation.key, made)
        return made
      },
    ]),
  ]
}
