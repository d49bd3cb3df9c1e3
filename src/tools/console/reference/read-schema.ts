import { isObject } from '../../../shared/lib/is-object.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import type { JsonObject } from '../../../shared/openapi/document.js'
import { readReference } from '../../../shared/openapi/references.js'
import { readList, resolve } from './resolve.js'

/** One `allOf` has at most so many parts, with theirs: a few lines can describe millions. */
const MAX_PARTS = 300
const MAX_LEVELS = 30

/** Keywords of which a schema has one, and its `allOf` may have more; each with those that belong to it. */
const CONDITIONS = [
  ['oneOf'],
  ['anyOf'],
  ['not'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['propertyNames'],
] as const

/**
 * A schema as pages, controls, examples and Markdown read it: references are followed, and the members of all its `allOf` are its
 * own. An alternative that stands alone counts as a part of `allOf`, and one that is `null` as `nullable`, whatever the version.
 * What cannot be merged, such as a second `oneOf`, stays in `allOf`. Each part counts once, so that a schema may contain itself.
 */
export function readSchema(document: JsonObject, given: unknown): JsonObject {
  const seen = new Set<unknown>()
  let count = 0
  return merge(resolve(document, given), 0)

  function merge(whole: JsonObject, level: number): JsonObject {
    const { own, parts, hasNull } = takeParts(document, whole)
    if (own === whole) return whole
    seen.add(whole)
    const merged = Object.create(null) as JsonObject
    for (const part of parts) {
      const resolved = resolve(document, part)
      // Members beside `$ref` make a new object each time, so the reference is remembered too.
      if (level > MAX_LEVELS || seen.has(part) || seen.has(resolved) || ++count > MAX_PARTS) continue
      seen.add(part).add(resolved)
      addMembers(merged, merge(resolved, level + 1))
    }
    addMembers(merged, own)
    if (hasNull) merged['nullable'] = true
    return merged
  }
}

/** The parts that a schema consists of, and its own members. */
export function takeParts(document: JsonObject, schema: JsonObject) {
  if (!COMBINATIONS.some((member) => member in schema)) return { own: schema, parts: [], hasNull: false }
  const parts = [...readList(schema['allOf'])]
  const own = ownMembers({ ...schema })
  let hasNull = false
  for (const member of ['oneOf', 'anyOf']) {
    const all = readList(schema[member])
    const others = all.filter((each) => !isNull(document, each))
    const isAlone = others.length === 1 && !('discriminator' in schema)
    if (isAlone) parts.push(others[0])
    if (isAlone || others.length === 0) delete own[member]
    else own[member] = others
    if (others.length < all.length) hasNull = true
  }
  if (parts.length === 0 && !hasNull) return { own: schema, parts, hasNull }
  delete own['allOf']
  return { own, parts, hasNull }
}

const COMBINATIONS = ['allOf', 'oneOf', 'anyOf']

/** Whether `null` is the only value of a schema. */
function isNull(document: JsonObject, given: unknown): boolean {
  const { type, const: only, enum: values } = resolve(document, given)
  return (
    [type].flat().join() === 'null' || only === null || (Array.isArray(values) && values.every((each) => each === null))
  )
}

export function isNullable(schema: JsonObject): boolean {
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  const types = schema['type'] ?? (readList(values).includes(null) ? 'null' : undefined)
  return schema['nullable'] === true || [types].flat().includes('null')
}

function addMembers(merged: JsonObject, schema: JsonObject): void {
  const again = CONDITIONS.filter(([name]) => name in merged && name in schema && merged[name] !== schema[name])
  const others = again.map((names) => pickMembers(schema, names))
  // A value must match every part, so one that has a type and forbids null is enough.
  if ('type' in schema && !isNullable(schema)) delete merged['nullable']
  for (const [name, value] of Object.entries(schema)) {
    const before = merged[name]
    if (again.some((names) => (names as readonly string[]).includes(name))) continue
    if (name === 'properties' && isObject(before) && isObject(value)) merged[name] = mergeProperties(before, value)
    else if (name === 'items') merged[name] = mergeBoth(before, value)
    else if (name === 'type' && before !== undefined) merged[name] = intersect(before, value)
    else if (name === 'enum' && Array.isArray(before)) merged[name] = [intersect(before, value)].flat()
    else if (typeof before === 'number' && typeof value === 'number') merged[name] = narrow(name, before, value)
    else if ((name === 'required' || name === 'allOf') && Array.isArray(before) && Array.isArray(value))
      merged[name] = [...before, ...value]
    else merged[name] = value
  }
  if (others.length > 0) merged['allOf'] = [...readList(merged['allOf']), ...others]
}

function mergeProperties(before: JsonObject, later: JsonObject): JsonObject {
  const merged = ownMembers({ ...before, ...later })
  for (const [name, value] of Object.entries(later)) merged[name] = mergeBoth(before[name], value)
  return merged
}

/** What two parts describe must match both. */
function mergeBoth(before: unknown, value: unknown): unknown {
  if (before === value || !isObject(before) || !isObject(value)) return value
  const reference = readReference(value)
  return reference !== undefined && readReference(before) === reference ? value : { allOf: [before, value] }
}

function pickMembers(schema: JsonObject, names: readonly string[]): JsonObject {
  return ownMembers(Object.fromEntries(names.filter((name) => name in schema).map((name) => [name, schema[name]])))
}

/** The bound that both allow. */
function narrow(name: string, before: number, value: number): number {
  if (/^(?:exclusiveM|m)in/.test(name)) return Math.max(before, value)
  return /^(?:exclusiveM|m)ax/.test(name) ? Math.min(before, value) : value
}

/** The types or values that both allow; those of the later part if they name them differently, such as `number` and `integer`. */
function intersect(before: unknown, value: unknown): unknown {
  const both = [before].flat().filter((type) => [value].flat().includes(type))
  return both.length > 1 ? both : (both[0] ?? value)
}

/** A schema with the members of its first alternative, unless it has properties without one: examples are of that. */
export function readChosenSchema(document: JsonObject, given: unknown): JsonObject {
  const schema = readSchema(document, given)
  const { oneOf, anyOf, ...own } = schema
  const [choice] = [...readList(oneOf), ...readList(anyOf)]
  if (choice === undefined || isObject(schema['properties'])) return schema
  return readSchema(document, { allOf: [choice, own] })
}
