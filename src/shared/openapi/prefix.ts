import type { Api } from '../contracts/api.js'
import { ownMembers } from '../lib/own-members.js'
import { asObject, listCallableOperations, listOperations, type JsonObject } from './document.js'
import { connect, escapeStep, listObjects, readReference, unescapeStep } from './references.js'
import { describeValue, wrongOption } from '../lib/option-checks.js'

/** Copies the part of a document whose paths are below `prefix`. Throws `ConfigurationError` if there is nothing below it. */
export function takeBelow(option: string, document: JsonObject, prefix: unknown): JsonObject {
  if (prefix === undefined) return document
  if (typeof prefix !== 'string' || !/^(?:\/[^/?#]+)+$/.test(prefix))
    throw wrongOption(
      option,
      `is ${describeValue(prefix)}`,
      "Write the beginning of the API's paths in the document, without a slash at the end: '/orders'.",
    )
  const paths = Object.entries(asObject(document['paths'])).filter(([path]) => path.startsWith('/'))
  const below = paths.filter(([path]) => `${path}/`.startsWith(`${prefix}/`))
  if (below.length === 0)
    throw wrongOption(
      option,
      `is "${prefix}", and no path of the document begins with it`,
      `Its paths begin with ${listBeginnings(paths.map(([path]) => path))}.`,
    )
  const taken: JsonObject = ownMembers({
    ...document,
    paths: ownMembers(Object.fromEntries(below.map(([path, item]) => [path.slice(prefix.length) || '/', item]))),
  })
  moveReferences(taken, document, prefix)
  return withoutOthers(taken, document)
}

/** Bundlers write references to parts of paths, which have other names now. Other paths that are referred to become an extension. */
function moveReferences(taken: JsonObject, { paths }: JsonObject, prefix: string): void {
  const others = ownMembers<JsonObject>({})
  const pending: unknown[] = [taken]
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    for (const { object } of listObjects(part)) {
      const [, step, rest = ''] = /^#\/paths\/([^/]*)(.*)$/.exec(readReference(object) ?? '') ?? []
      if (step === undefined) continue
      const path = unescapeStep(step)
      const isBelow = `${path}/`.startsWith(`${prefix}/`)
      const moved = isBelow ? `#/paths/${escapeStep(path.slice(prefix.length) || '/')}` : `#/${OTHER_PATHS}/${step}`
      object['$ref'] = moved + rest
      connect(object, moved + rest)
      if (isBelow || Object.hasOwn(others, path)) continue
      others[path] = asObject(paths)[path]
      pending.push(others[path])
    }
  }
  if (Object.keys(others).length > 0) taken[OTHER_PATHS] = others
}

const OTHER_PATHS = 'x-other-paths'

function listBeginnings(paths: readonly string[]): string {
  const beginnings = new Set(paths.map((path) => `"${/^\/[^/]*/.exec(path)![0]}"`))
  return [...beginnings].slice(0, 10).join(', ') || 'nothing: it has none'
}

/** Removes what no remaining operation uses: the `security` of the whole document, path items, tags. */
function withoutOthers(taken: JsonObject, whole: JsonObject): JsonObject {
  const operations = listCallableOperations(taken)
  if (operations.every(({ operation }) => Object.hasOwn(operation, 'security'))) delete taken['security']
  const components = asObject(taken['components'])
  if (Object.hasOwn(components, 'pathItems')) {
    const others = listObjects({ ...taken, components: { ...components, pathItems: undefined } })
    const used = new Set(others.map(({ object }) => readReference(object)))
    const isUsed = ([name]: readonly [string, unknown]): boolean =>
      used.has(`#/components/pathItems/${escapeStep(name)}`)
    const pathItems = ownMembers(Object.fromEntries(Object.entries(asObject(components['pathItems'])).filter(isUsed)))
    taken['components'] = ownMembers({ ...components, pathItems })
  }
  if (Array.isArray(taken['tags'])) {
    const [here, anywhere] = [operations, listOperations(whole['paths'])].map(
      (all) => new Set(all.flatMap(({ operation }): unknown[] => [operation['tags'] ?? []].flat())),
    )
    taken['tags'] = (taken['tags'] as unknown[]).filter((tag) => {
      const { name } = asObject(tag)
      return here!.has(name) || !anywhere!.has(name)
    })
  }
  return taken
}

/** The path of an API with which paths of its document begin, so that callers would reach `/orders/orders/items`. */
export interface RepeatedPrefix {
  readonly prefix: string
  readonly path: string
  readonly isEveryPath: boolean
}

export function findRepeatedPrefix(api: Api, document: JsonObject): RepeatedPrefix | undefined {
  const paths = Object.keys(asObject(document['paths'])).filter((path) => path.startsWith('/'))
  for (const prefix of [`/${api.name}`, new URL(api.resource).pathname]) {
    const repeating = paths.filter((path) => `${path}/`.startsWith(`${prefix}/`))
    const [path] = repeating
    if (path !== undefined) return { prefix, path, isEveryPath: repeating.length === paths.length }
  }
  return undefined
}
