import { isObject, ownMembers } from '../lib/own-members.js'
import { decodePercent, readReference } from './references.js'

/** A JSON object of a provider's document. Its members may be missing or of the wrong type. It inherits nothing. */
export type JsonObject = Record<string, unknown>

export interface Operation {
  /** The method in capital letters, except that an additional method of OpenAPI 3.2 is as the document writes it. */
  readonly method: string
  readonly path: string
  readonly pathItem: JsonObject
  readonly operation: JsonObject
}

/** The members of a path item that are operations. OpenAPI 3.2 has added `query`. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** The operations of a `paths` or `pathItems` object, in its order. References are not followed. */
export function listOperations(paths: unknown): Operation[] {
  return Object.entries(asObject(paths)).flatMap(([path, pathItem]) => describeOperations(path, asObject(pathItem)))
}

function describeOperations(path: string, pathItem: JsonObject): Operation[] {
  const methods = Object.keys(pathItem).filter((member) => METHODS.includes(member))
  const additional = Object.entries(asObject(pathItem['additionalOperations']))
  const describe = (method: string, operation: unknown): Operation => ({
    method,
    path,
    pathItem,
    operation: asObject(operation),
  })
  return [
    ...methods.map((method) => describe(method.toUpperCase(), pathItem[method])),
    ...additional.map(([method, operation]) => describe(method, operation)),
  ]
}

/** The operations of `paths` and `components.pathItems`, and those that a path refers to. Each once, as written. */
export function listWrittenOperations(document: JsonObject): Operation[] {
  const items = new Map<JsonObject, string>()
  const add = (path: string, given: unknown, depth = 0): void => {
    const item = asObject(given)
    if (depth > MAX_REFERENCES || items.has(item)) return
    items.set(item, path)
    const reference = readReference(item)
    if (reference !== undefined) add(path, followReference(document, reference), depth + 1)
  }
  for (const paths of [document['paths'], asObject(document['components'])['pathItems']])
    for (const [path, item] of Object.entries(asObject(paths))) add(path, item)
  return [...items].flatMap(([item, path]) => describeOperations(path, item))
}

/** The operations that can be called, with path items that are references, in the order of the document. */
export function listCallableOperations(document: JsonObject): Operation[] {
  const paths = Object.entries(asObject(document['paths'])).filter(([path]) => path.startsWith('/'))
  const resolved = paths.map(([path, pathItem]) => [path, resolvePathItem(document, pathItem)] as const)
  return listOperations(ownMembers(Object.fromEntries(resolved)))
}

/** A path item that is a reference has the members of what it refers to. `readOperations` refuses one that has operations too. */
function resolvePathItem(document: JsonObject, given: unknown, depth = 0): JsonObject {
  const own = asObject(given)
  const reference = readReference(own)
  if (reference === undefined || depth > MAX_REFERENCES) return own
  return ownMembers({ ...own, ...resolvePathItem(document, followReference(document, reference), depth + 1) })
}

const MAX_REFERENCES = 10

/** Follows a reference within the document: RFC 6901 sections 4 and 6, member names escaped with ~ and %. */
export function followReference(document: JsonObject, reference: string): unknown {
  let target: unknown = document
  for (const step of decodePercent(reference).slice(1).split('/').slice(1))
    target = (target as JsonObject | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')]
  return target
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : (Object.create(null) as JsonObject)
}
