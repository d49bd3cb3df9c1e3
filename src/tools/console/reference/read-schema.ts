import { isObject, ownMembers } from '../../../shared/lib/own-members.js'
import { asObject, followReference, type JsonObject } from '../../../shared/openapi/document.js'
import { readReference, unescapeStep } from '../../../shared/openapi/references.js'
import { textWith, words } from '../words.js'

const MAX_REFERENCES = 10

/**
 * An object of a document, or what it refers to if it is a reference. A description, an example and other annotations beside
 * `$ref` win. Keywords of JSON Schema that both have, such as `properties`, must both hold, so they become an `allOf`.
 */
export function resolve(document: JsonObject, given: unknown, depth = 0): JsonObject {
  const own = asObject(given)
  const reference = readReference(own)
  if (reference === undefined || depth > MAX_REFERENCES) return own
  const { $ref: _reference, $dynamicRef: _dynamic, ...siblings } = own
  const target = resolve(document, reference === '#' ? document : followReference(document, reference), depth + 1)
  if (Object.keys(siblings).length === 0) return target
  const isShared = Object.keys(siblings).some((name) => name in target && KEYWORDS.test(name))
  if (!isShared || typeof siblings['required'] === 'boolean') return ownMembers({ ...target, ...siblings })
  return ownMembers({ ...siblings, allOf: [{ $ref: reference }, ...readList(siblings['allOf'])] })
}

const KEYWORDS =
  /^(?:min|max|exclusive)[A-Z]|^(?:minimum|maximum|multipleOf|required|enum|items|allOf|oneOf|anyOf|not|if|contains)$|properties$/i

export function resolveEntries(document: JsonObject, given: unknown): (readonly [name: string, value: JsonObject])[] {
  return Object.entries(asObject(given))
    .filter(([, value]) => isObject(value))
    .map(([name, value]) => [name, resolve(document, value)])
}

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

export function readNumber(given: unknown, otherwise: number): number {
  return typeof given === 'number' ? given : otherwise
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

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

function mergeBoth(before: unknown, value: unknown): unknown {
  if (before === value || !isObject(before) || !isObject(value)) return value
  const reference = readReference(value)
  return reference !== undefined && readReference(before) === reference ? value : { allOf: [before, value] }
}

function pickMembers(schema: JsonObject, names: readonly string[]): JsonObject {
  return ownMembers(Object.fromEntries(names.filter((name) => name in schema).map((name) => [name, schema[name]])))
}

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

/** `string`, `list of Order`, `integer (int64) or null`. */
export function describeType(document: JsonObject, part: unknown, depth = 0): string {
  if (part === false) return words().noValue
  const schema = readSchema(document, part)
  const kind = describeChoices(document, schema, depth) ?? describeOwnType(document, schema, depth)
  const name = readText(resolve(document, part)['title']) ?? readTypeName(document, part)
  const shown = name !== undefined && (kind === undefined || kind === 'object') ? name : kind
  if (!isNullable(schema)) return shown ?? words().any
  const isOnlyNull = shown === undefined && schema['nullable'] !== true
  return isOnlyNull ? 'null' : `${shown ?? words().any} ${words().or} null`
}

/** The types of a few alternatives; undefined if there are none, or many, or if one of them can be anything. */
function describeChoices(document: JsonObject, schema: JsonObject, depth: number): string | undefined {
  const choices = [...readList(schema['oneOf']), ...readList(schema['anyOf'])]
  if (choices.length === 0 || choices.length > (depth === 0 ? MAX_CHOICES : SHOWN_KINDS) || depth > 2) return undefined
  const kinds = new Set(choices.map((each) => readName(each) ?? describeType(document, each, depth + 1)))
  return kinds.size > SHOWN_KINDS || kinds.has(words().any) ? undefined : [...kinds].join(` ${words().or} `)
}

const MAX_CHOICES = 30
const SHOWN_KINDS = 4

function describeOwnType(document: JsonObject, schema: JsonObject, depth: number): string | undefined {
  const format = readText(schema['format']) ?? readText(schema['contentMediaType'])
  const types = readTypes(schema).map((type) => {
    if (type === 'array' && depth < 3) return describeList(document, schema, depth)
    return format === undefined ? type : `${type} (${format})`
  })
  return types.length > 0 ? types.join(` ${words().or} `) : format && `${words().any} (${format})`
}

function describeList(document: JsonObject, { items, prefixItems }: JsonObject, depth: number): string {
  const { any, list, or } = words()
  const kind = prefixItems === undefined ? describeType(document, items, depth + 1) : any
  return kind === any ? list : textWith('listOf', { type: kind.includes(` ${or} `) ? `(${kind})` : kind })
}

function readTypeName(document: JsonObject, part: unknown, depth = 0): string | undefined {
  const name = readName(part)
  if (name !== undefined || !isObject(part) || depth > 3) return name
  const { parts } = takeParts(document, part)
  return parts.length === 1 && !isObject(part['properties']) ? readTypeName(document, parts[0], depth + 1) : undefined
}

/** The types that a schema allows, without `null`: OpenAPI 3.0 has one, 3.1 a list. Guessed from other members if missing. */
export function readTypes(schema: JsonObject): string[] {
  const given = [schema['type']].flat().filter((each) => typeof each === 'string')
  const types = given.filter((type) => type !== 'null')
  if (given.length > 0) return types
  if (isObject(schema['properties']) || 'additionalProperties' in schema) return ['object']
  if ('items' in schema || 'prefixItems' in schema) return ['array']
  const values = 'const' in schema ? [schema['const']] : readList(schema['enum'])
  return [...new Set(values.filter((value) => value !== null).map(nameType))]
}

export function readValues(schema: JsonObject): readonly unknown[] {
  return 'const' in schema ? [schema['const']] : readList(schema['enum'])
}

/** Whether a value of the schema is a file: OpenAPI 3.0 has the format `binary`, 3.1 a media type without encoding. */
export function isBinary(schema: JsonObject): boolean {
  if (schema['format'] === 'binary') return true
  const { contentMediaType, contentEncoding, contentSchema } = schema
  return readText(contentMediaType) !== undefined && contentEncoding === undefined && contentSchema === undefined
}

/** The name of a reference's target: `Order` of `#/components/schemas/Order`. */
export function readName(given: unknown): string | undefined {
  const step = readReference(given)?.split('/').at(-1)
  return step === undefined ? undefined : unescapeStep(step)
}

/** The name of a schema that the document keeps under `components`. */
export function readSchemaName(given: unknown): string | undefined {
  return /^#\/components\/schemas\/[^/]+$/.test(readReference(given) ?? '') ? readName(given) : undefined
}

function nameType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
