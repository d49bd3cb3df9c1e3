import { isObject, ownMembers } from '../../../shared/lib/own-members.js'
import { asObject, type JsonObject, listOperations } from '../../../shared/openapi/document.js'
import { createScalar } from './create-scalar.js'
import {
  isNullable,
  readSchema,
  readList,
  readText,
  resolve,
  resolveEntries,
  readTypes,
  readValues,
  readNumber,
} from './read-schema.js'
import { findDiscriminatorValues, listChoices } from './schema-choices.js'
import { words } from '../words.js'

/** Optional members that are deeper, or more, are left out. */
const MAX_DEPTH = 6
const MAX_VALUES = 500
/** A document can require millions, level below level. */
const MAX_REQUIRED_DEPTH = 60
const MAX_REQUIRED_VALUES = 3000
const MAX_ITEMS = 100

interface Place {
  /** The schemas around it, so that one that contains itself ends. */
  readonly above: readonly JsonObject[]
  readonly nth: number
  readonly isRequired: boolean
  /** Whether something around it can be left out if it cannot be made. */
  readonly mayFail: boolean
}

/** A value that is valid by a schema; undefined if nothing is known. Requests lack what only answers have. */
export function createExample(document: JsonObject, given: unknown, omit: 'readOnly' | 'writeOnly' = 'writeOnly') {
  let values = 0
  return create(given, { above: [], nth: 0, isRequired: false, mayFail: false })

  function create(part: unknown, place: Place): unknown {
    const { above } = place
    const written = resolve(document, part)
    const schema = readSchema(document, part)
    if (part === false || ++values > MAX_REQUIRED_VALUES || above.length > MAX_REQUIRED_DEPTH) return undefined
    if (above.includes(written)) return isNullable(schema) ? null : undefined
    return createOf(schema, part, { ...place, above: [...above, written] })
  }

  function createOf(schema: JsonObject, part: unknown, place: Place): unknown {
    const stated = listStated(schema)
    const value = stated[place.nth]
    if (isObject(value) && omit === 'readOnly') return createObject(schema, { ...place, isRequired: true }, value)
    if (value !== undefined || readValues(schema).length > 0) return value
    const further = { ...place, nth: Math.max(0, place.nth - stated.length) }
    const taken = takeChoices(schema)
    if (!taken) return createHeir(schema, part, further) ?? createTyped(schema, part, further)
    const { choices, rest } = taken
    const targets = choices.map((choice) => resolve(document, choice))
    // A schema around this one is one of the choices already.
    if (targets.some((target) => place.above.includes(target))) return createOf(rest, part, further)
    for (const [at, choice] of choices.entries()) {
      const inside = {
        ...further,
        above: [...place.above, targets[at]!],
        mayFail: place.mayFail || at < choices.length - 1,
      }
      const merged = readSchema(document, { allOf: [choice, rest] })
      const made = choice === false ? undefined : createOf(merged, choice, inside)
      if (made !== undefined) return discriminate(schema, choice, made)
    }
    return undefined
  }

  function createHeir(schema: JsonObject, part: unknown, place: Place): unknown {
    const heir = 'discriminator' in schema ? listChoices(document, part)[0]?.choices[0]?.part : undefined
    if (heir === undefined) return undefined
    return discriminate(schema, heir, create(heir, place) ?? createTyped(schema, part, place))
  }

  function discriminate(schema: JsonObject, choice: unknown, value: unknown): unknown {
    const name = readText(asObject(schema['discriminator'])['propertyName'])
    if (name === undefined || !isObject(value)) return value
    const own = readValues(readSchema(document, asObject(readSchema(document, choice)['properties'])[name]))
    const named: readonly unknown[] = findDiscriminatorValues(document, schema, choice)
    const given = own.find((each) => named.includes(each)) ?? own[0] ?? named[0]
    return given === undefined ? value : ownMembers({ ...value, [name]: given })
  }

  function createTyped(schema: JsonObject, part: unknown, place: Place): unknown {
    const types = guessTypes(schema)
    if (types.includes('object')) return discriminate(schema, part, createObject(schema, place))
    if (types.includes('array')) return createList(schema, place)
    const [type = place.isRequired ? 'string' : undefined] = types
    return isNullable(schema) && types.length === 0 ? null : createScalar(schema, type, place.nth)
  }

  /** An object with what it must have besides what is stated; if nothing is, with what it can have. */
  function createObject(schema: JsonObject, place: Place, stated?: JsonObject): object | undefined {
    const object = ownMembers(stated ?? {})
    const properties = asObject(schema['properties'])
    const required = listRequired(schema)
    const others = findOthers(schema)
    const room = readNumber(schema['maxProperties'], Infinity) - required.size
    for (const name of new Set([...Object.keys(properties), ...required])) {
      const isRequired = required.has(name)
      const isTooMuch = place.above.length > MAX_DEPTH || values > MAX_VALUES || Object.keys(object).length >= room
      if (Object.hasOwn(object, name) || (!isRequired && (stated || isTooMuch))) continue
      const part = Object.hasOwn(properties, name) ? properties[name] : others.part
      if (readSchema(document, part)[omit] === true) continue
      const value = create(part, { ...place, isRequired, mayFail: place.mayFail || !isRequired })
      if (value !== undefined) object[name] = value
      else if (isRequired && place.mayFail) return undefined
    }
    if (stated) return object
    const least = readNumber(schema['minProperties'], 0)
    const count = Object.keys(object).length
    const wanted = Math.min(MAX_ITEMS, Math.max(least, count === 0 && others.isKnown ? 1 : 0)) - count
    for (let at = 0; at < wanted; at++) {
      const name = create(others.names, { ...place, nth: at, isRequired: true, mayFail: true })
      const value = create(others.part, { ...place, isRequired: count + at < least, mayFail: true })
      if (typeof name !== 'string' || value === undefined) break
      object[name] = value
    }
    return object
  }

  function createList(schema: JsonObject, place: Place): unknown[] | undefined {
    const { items, uniqueItems, contains, minContains } = schema
    const first = readList(schema['prefixItems'])
    const least = readNumber(schema['minItems'], 0)
    const contained = contains === undefined ? 0 : readNumber(minContains, 1)
    const wanted = Math.max(least, contained, first.length || 1)
    const length = Math.min(wanted, readNumber(schema['maxItems'], Infinity), MAX_ITEMS)
    const list: unknown[] = []
    for (let at = 0; at < length; at++) {
      const part = at < first.length ? first[at] : items
      const value = create(at < contained ? { allOf: [contains, ...(part === undefined ? [] : [part])] } : part, {
        ...place,
        nth: uniqueItems === true ? place.nth + at : place.nth,
        isRequired: at < least || at < first.length,
        mayFail: true,
      })
      if (value === undefined) break
      list.push(value)
    }
    return list.length < least && place.mayFail ? undefined : list
  }
}

function listStated(schema: JsonObject): unknown[] {
  const { default: preset, example } = schema
  const values = readValues(schema)
  const listed = [...values.filter((value) => value !== null), ...values.filter((value) => value === null)]
  const stated = [...('example' in schema ? [example] : []), ...readList(schema['examples'])]
  const all = [...stated, ...(preset === undefined || preset === null ? [] : [preset]), ...listed]
  return [...new Map(all.map((value) => [JSON.stringify(value), value])).values()]
}

function takeChoices(schema: JsonObject) {
  const parts = readList(schema['allOf']).map(asObject)
  for (const holder of [schema, ...parts])
    for (const member of ['oneOf', 'anyOf']) {
      const choices = readList(holder[member])
      if (choices.length === 0) continue
      const { [member]: _taken, ...rest } = holder
      const allOf = parts.map((each) => (each === holder ? rest : each))
      return { choices, rest: holder === schema ? rest : { ...schema, allOf } }
    }
  return undefined
}

function guessTypes(schema: JsonObject): string[] {
  const types = readTypes(schema)
  if (types.length > 0 || 'type' in schema) return types
  return KEYWORDS.filter(([, ...names]) => names.some((name) => name in schema)).map(([type]) => type!)
}

const KEYWORDS = [
  ['object', 'required', 'minProperties', 'patternProperties', 'propertyNames', 'dependentRequired'],
  ['array', 'minItems', 'contains', 'uniqueItems'],
  ['string', 'minLength', 'maxLength', 'pattern', 'format', 'contentEncoding'],
  ['number', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]

function listRequired({ required, properties, dependentRequired }: JsonObject): Set<string> {
  const names = new Set(readList(required).map(String))
  for (const [name, others] of Object.entries(asObject(dependentRequired)))
    if (names.has(name) || Object.hasOwn(asObject(properties), name))
      for (const other of readList(others)) names.add(String(other))
  return names
}

function findOthers(schema: JsonObject): {
  readonly names: unknown
  readonly part: unknown
  readonly isKnown: boolean
} {
  const { patternProperties, propertyNames, additionalProperties, unevaluatedProperties } = schema
  const [matching] = Object.entries(asObject(patternProperties))
  if (matching) return { names: { type: 'string', pattern: matching[0] }, part: matching[1], isKnown: true }
  const part = additionalProperties ?? unevaluatedProperties ?? {}
  const names = isObject(propertyNames) ? { allOf: [{ type: 'string' }, propertyNames] } : NAMES
  return { names, part, isKnown: isObject(part) && Object.keys(part).length > 0 }
}

const NAMES = { examples: ['name', 'name2', 'name3'], type: 'string' }

export interface Example {
  readonly label: string
  readonly value: unknown
  readonly serialized?: string | undefined
}

export function listGivenExamples(document: JsonObject, holder: JsonObject): Example[] {
  const named = resolveEntries(document, holder['examples']).flatMap(([name, example]) => {
    // OpenAPI 3.2 has a parsed and a written form of the value.
    const serialized = readText(example['serializedValue'])
    const member = ['value', 'dataValue', 'serializedValue'].find((each) => each in example)
    const label = readText(example['summary']) ?? name
    return member === undefined ? [] : [{ label, value: example[member], serialized }]
  })
  if (named.length > 0) return named
  return 'example' in holder ? [{ label: words().example, value: holder['example'] }] : []
}

/**
 * The value that a control begins with, and the one to show beside it. A value is filled in only if it is required, because
 * optional values are not sent unasked: the example that the document gives, otherwise one made of the schema if it has parts.
 */
export function readInitial(
  document: JsonObject,
  given: unknown,
  { required, stated }: { readonly required: boolean; readonly stated: unknown },
): { readonly value: unknown; readonly example: unknown } {
  const schema = readSchema(document, given)
  const { default: preset, example: own, examples } = schema
  const example = stated ?? own ?? readList(examples)[0]
  const [only, ...others] = readValues(schema)
  const hasParts = readTypes(schema).some((type) => type === 'object' || type === 'array')
  const made = (): unknown => (hasParts ? createExample(document, given, 'readOnly') : undefined)
  return {
    value: required ? (example ?? preset ?? (others.length === 0 ? only : undefined) ?? made()) : undefined,
    example,
  }
}

const known = new WeakMap<JsonObject, ReadonlyMap<JsonObject, unknown>>()

export function findKnownValue(document: JsonObject, schema: unknown): unknown {
  let values = known.get(document)
  if (!values) known.set(document, (values = readKnownValues(document)))
  return values.get(resolve(document, schema))
}

const MAX_LEVELS = 6

/** Each schema has its first value, in answers before requests, which lack what only answers have. */
function readKnownValues(document: JsonObject): ReadonlyMap<JsonObject, unknown> {
  const values = new Map<JsonObject, unknown>()
  const operations = listOperations(document['paths']).map(({ operation }) => operation)
  const answers = operations.flatMap(({ responses }) => resolveEntries(document, responses).map(([, each]) => each))
  const bodies = operations.map(({ requestBody }) => resolve(document, requestBody))
  for (const { content } of [...answers, ...bodies])
    for (const [, members] of resolveEntries(document, content))
      for (const { value } of listGivenExamples(document, members)) add(members['schema'], value, 0)
  return values

  function add(part: unknown, value: unknown, depth: number): void {
    const schema = resolve(document, part)
    if (value === undefined || value === null || depth > MAX_LEVELS || values.has(schema)) return
    values.set(schema, value)
    const { items, properties } = readSchema(document, part)
    if (Array.isArray(value)) add(items, value[0], depth + 1)
    else if (isObject(value))
      for (const [name, member] of Object.entries(asObject(properties)))
        if (Object.hasOwn(value, name)) add(member, value[name], depth + 1)
  }
}
