import { listCallableOperations, type JsonObject, type Operation } from '../../../shared/openapi/document.js'
import { createUniqueNames } from '../../../shared/lib/unique-names.js'
import { readList, readText } from './resolve.js'
import { listWebhooks } from './webhooks.js'

/** An operation or a webhook, as the reference shows it. */
export interface ReferenceOperation extends Operation {
  /** Unique within the document: its place in the URL, and its id in the page. */
  readonly key: string
  readonly summary: string | undefined
  readonly deprecated: boolean
  /** A webhook is called by the provider, so that it cannot be tried. Its `path` is its name. */
  readonly isWebhook: boolean
  /** The first of its tags. */
  readonly tag: string | undefined
}

/** Ids that the page has already. */
export const RESERVED_IDS = ['sidebar', 'reference', 'copied', 'content']

/** The operations and webhooks of a document, in its order, each with a key. */
export function listReferenceOperations(document: JsonObject): ReferenceOperation[] {
  const claimKey = createUniqueNames(RESERVED_IDS)
  const describe = (each: Operation, isWebhook: boolean): ReferenceOperation => ({
    ...each,
    key: claimKey(formatKey(each, isWebhook)),
    summary: readText(each.operation['summary']) ?? readText(each.pathItem['summary']),
    deprecated: each.operation['deprecated'] === true,
    isWebhook,
    tag: readText(readList(each.operation['tags'])[0]),
  })
  return [
    ...listCallableOperations(document).map((each) => describe(each, false)),
    ...listWebhooks(document).map((each) => describe(each, true)),
  ]
}

/** The `operationId` with hyphens for what URLs and selectors do not like; without one, method and path. */
function formatKey({ method, path, operation }: Operation, isWebhook: boolean): string {
  const name = readText(operation['operationId'])
  return (name && slug(name)) || slug(`${isWebhook ? 'webhook-' : ''}${method.toLowerCase()}-${path}`) || 'operation'
}

/** Letters, digits, `_`, `.` and single hyphens. The browser's script makes the same of the hash of a URL. */
export function slug(text: string): string {
  return text.replaceAll(/[^\w.]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '')
}
