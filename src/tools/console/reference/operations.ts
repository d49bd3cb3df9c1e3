import {
  listCallableOperations,
  type JsonObject,
  type Operation,
  asObject,
  listOperations,
} from '../../../shared/openapi/document.js'
import { createUniqueNames } from '../../../shared/lib/unique-names.js'
import { readList, readText, resolve, resolveEntries } from './resolve.js'
import { ownMembers } from '../../../shared/lib/own-members.js'

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

/** The requests that the provider sends by itself; their paths are names. `x-webhooks` is what documents of OpenAPI 3.0 use. */
export function listWebhooks(document: JsonObject): Operation[] {
  return listResolved(document, Object.entries(asObject(document['webhooks'] ?? document['x-webhooks'])))
}

/** A request that the provider sends because of an operation. Its path is an expression for an address. */
export interface Callback extends Operation {
  readonly name: string
}

export function listCallbacks(document: JsonObject, operation: JsonObject): Callback[] {
  return resolveEntries(document, operation['callbacks']).flatMap(([name, callback]) => {
    const items = Object.entries(callback).filter(([expression]) => !expression.startsWith('x-'))
    return listResolved(document, items).map((each) => ({ ...each, name }))
  })
}

function listResolved(document: JsonObject, items: readonly (readonly [string, unknown])[]): Operation[] {
  const resolved = items.map(([path, item]) => [path, resolve(document, item)] as const)
  return listOperations(ownMembers(Object.fromEntries(resolved)))
}
