import {
  listCallableOperations,
  asObject,
  listOperations,
  type JsonObject,
  type Operation,
} from '../../../shared/openapi/document.js'
import { createUniqueNames } from '../../../shared/lib/unique-names.js'
import { readList, readText, resolve, resolveEntries } from './read-schema.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { words } from '../words.js'
import { listPathVariables } from '../../../shared/samples/request.js'

export interface ReferenceOperation extends Operation {
  /** Unique within the document: its place in the URL, and its id in the page. */
  readonly key: string
  readonly summary: string | undefined
  readonly deprecated: boolean
  /** A webhook is called by the provider, so that it cannot be tried. Its `path` is its name. */
  readonly isWebhook: boolean
  readonly tag: string | undefined
}

export const RESERVED_IDS = ['sidebar', 'reference', 'copied', 'content']

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

export interface TagGroup {
  readonly id: string
  readonly title: string
  readonly above: readonly string[]
  readonly description: string | undefined
  readonly externalDocs: unknown
  readonly operations: readonly ReferenceOperation[]
  /** Operations that have the tag too, and are under their first one. */
  readonly others: readonly ReferenceOperation[]
}

/** The operations by their first tag, in the document's order, then others; below `parent` or `x-tagGroups`. */
export function groupByTag(document: JsonObject, operations: readonly ReferenceOperation[]): TagGroup[] {
  const listed = readList(document['tags']).map(asObject)
  const described = new Map(listed.map((tag) => [readText(tag['name']), tag]))
  described.delete(undefined)
  const called = operations.filter(({ isWebhook }) => !isWebhook)
  // Undefined stands for operations without a tag.
  const names = new Set([...described.keys(), ...called.map(({ tag }) => tag), ...called.flatMap(listTags)])
  const isOnly = new Set(called.map(({ tag }) => tag)).size === 1
  const claimId = createUniqueNames(operations.map(({ key }) => key))
  const seen = new Set<string | undefined>()
  const groups: TagGroup[] = []

  function add(title: string, above: readonly string[], tag: JsonObject, own: Pick<TagGroup, 'operations' | 'others'>) {
    const description = readText(tag['description'])
    groups.push({
      id: claimId(`tag-${slug(title)}`),
      title,
      above,
      description,
      externalDocs: tag['externalDocs'],
      ...own,
    })
  }

  function findParent(name: string | undefined): string | undefined {
    const parent = readText(described.get(name)?.['parent'])
    return described.has(parent) ? parent : undefined
  }

  /** Adds a tag and those below it. A group without operations stays only as the heading of others. */
  function visit(name: string | undefined, above: readonly string[]): void {
    if (!names.has(name) || seen.has(name)) return
    seen.add(name)
    const tag = described.get(name) ?? asObject(undefined)
    const title =
      readText(tag['summary']) ??
      readText(tag['x-displayName']) ??
      name ??
      (isOnly ? words().operations : words().otherOperations)
    const own = called.filter((each) => each.tag === name)
    const others = called.filter((each) => each.tag !== name && listTags(each).includes(name))
    const at = groups.length
    add(title, above, tag, { operations: own, others })
    if (name !== undefined) for (const child of names) if (findParent(child) === name) visit(child, [...above, title])
    if (groups.length === at + 1 && own.length + others.length === 0) groups.pop()
  }

  for (const { name, tags } of readList(document['x-tagGroups']).map(asObject)) {
    const title = readText(name)
    const at = groups.length
    if (title !== undefined) add(title, [], asObject(undefined), { operations: [], others: [] })
    for (const tag of readList(tags)) visit(readText(tag), title === undefined ? [] : [title])
    if (title !== undefined && groups.length === at + 1) groups.pop()
  }
  for (const name of names) if (findParent(name) === undefined) visit(name, [])
  for (const name of names) visit(name, [])
  const webhooks = operations.filter(({ isWebhook }) => isWebhook)
  if (webhooks.length > 0) add(words().webhooks, [], asObject(undefined), { operations: webhooks, others: [] })
  return groups
}

function listTags({ operation }: ReferenceOperation): (string | undefined)[] {
  return readList(operation['tags']).map(readText)
}

export interface Parameter {
  readonly name: string
  readonly place: Place
  readonly required: boolean
  readonly deprecated: boolean
  readonly style: string
  readonly explode: boolean
  /** Whether characters with a meaning in URLs stay as they are. */
  readonly allowReserved: boolean
  readonly description: string | undefined
  readonly schema: unknown
  readonly mediaType: string | undefined
  /** The parameter object, and its media type object, which may have examples. */
  readonly members: JsonObject
  readonly content: JsonObject
}

const PLACES = ['path', 'query', 'querystring', 'header', 'cookie'] as const
type Place = (typeof PLACES)[number]
/** OpenAPI says that parameters with these names have no effect. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization']
const STYLES: Readonly<Record<string, string>> = { path: 'simple', header: 'simple' }

/** The parameters, and those of the path item, required ones first; also a variable that nothing describes. */
export function listParameters(document: JsonObject, each: Operation): Parameter[] {
  const { path } = each
  const described = listDescribedParameters(document, each)
  const all = new Map(described.map((parameter) => [`${parameter.place} ${parameter.name}`, parameter]))
  for (const name of path.startsWith('/') ? listPathVariables(path) : []) {
    const parameter = readParameter(document, asObject({ name, in: 'path', schema: { type: 'string' } }))
    if (parameter && !all.has(`path ${name}`)) all.set(`path ${name}`, parameter)
  }
  const order = ({ place, required }: Parameter): number => PLACES.indexOf(place) + (required ? 0 : PLACES.length)
  return [...all.values()].toSorted((a, b) => order(a) - order(b))
}

export function listDescribedParameters(document: JsonObject, { pathItem, operation }: Operation): Parameter[] {
  const given = [...readList(pathItem['parameters']), ...readList(operation['parameters'])]
  const all = given.flatMap((each) => readParameter(document, resolve(document, each)) ?? [])
  return [...new Map(all.map((parameter) => [`${parameter.place} ${parameter.name}`, parameter])).values()]
}

function readParameter(document: JsonObject, members: JsonObject): Parameter | undefined {
  const name = readText(members['name'])
  const place = PLACES.find((each) => each === members['in'])
  if (name === undefined || place === undefined) return undefined
  if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return undefined
  const [mediaType, content = asObject(undefined)] = resolveEntries(document, members['content'])[0] ?? []
  const style = readText(members['style']) ?? STYLES[place] ?? 'form'
  const explode = members['explode']
  return {
    name,
    place,
    required: place === 'path' || members['required'] === true,
    deprecated: members['deprecated'] === true,
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form' || style === 'cookie',
    allowReserved: members['allowReserved'] === true,
    description: readText(members['description']),
    schema: members['schema'] ?? content['schema'],
    mediaType,
    members,
    content,
  }
}
