import { asObject, type JsonObject } from '../../openapi/document.js'
import { isObject } from '../../lib/is-object.js'
import { ownMembers } from '../../lib/own-members.js'
import { readSchema } from './read-schema.js'
import { readList, readText, resolve, resolveEntries } from './resolve.js'
import { findDiscriminatorValues, listChoices } from './schema-choices.js'
import { readTypes, readValues } from './schema-type.js'
import { words } from '../words.js'

/** A value to begin with. */
export interface Example {
  readonly label: string
  readonly value: unknown
  /** The value as it is sent, if the document says that. */
  readonly serialized?: string | undefined
}

/** The examples that the document itself gives. */
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

/** Deeper values are left out. */
const MAX_DEPTH = 6
const MAX_VALUES = 500

/** A value that a schema allows; undefined if nothing is known about it. Properties that only answers have are left out of requests. */
export function createExample(
  document: JsonObject,
  given: unknown,
  omit: 'readOnly' | 'writeOnly' = 'writeOnly',
): unknown {
  let values = 0
  return create(given, [])

  function create(part: unknown, above: readonly JsonObject[]): unknown {
    const resolved = resolve(document, part)
    if (++values > MAX_VALUES || above.length > MAX_DEPTH || above.includes(resolved)) return undefined
    const schema = readSchema(document, part)
    const stated = readStated(schema)
    if (stated !== undefined) return stated
    const inside = [...above, resolved]
    const choice = listChoices(document, part)[0]?.choices.find((each) => isObject(each.part))?.part
    const types = readTypes(schema)
    const chosen = choice === undefined ? undefined : create(choice, inside)
    if (choice !== undefined && !isObject(schema['properties'])) return discriminate(schema, choice, chosen)
    if (types.includes('object')) return discriminate(schema, choice ?? part, createObject(schema, chosen, inside))
    if (types.includes('array')) return createList(schema, inside)
    return createScalar(schema, types[0])
  }

  /** Writes which of several schemas a value is of. */
  function discriminate(schema: JsonObject, choice: unknown, value: unknown): unknown {
    const name = readText(asObject(schema['discriminator'])['propertyName'])
    if (name === undefined || !isObject(value)) return value
    const own = readValues(readSchema(document, asObject(readSchema(document, choice)['properties'])[name]))
    const given = own.length === 1 ? own[0] : findDiscriminatorValues(document, schema, choice)[0]
    return given === undefined ? value : ownMembers({ ...value, [name]: given })
  }

  function createObject(schema: JsonObject, chosen: unknown, above: readonly JsonObject[]): object {
    const object = ownMembers(asObject(chosen))
    for (const [name, property] of Object.entries(asObject(schema['properties']))) {
      if (Object.hasOwn(object, name) || readSchema(document, property)[omit] === true) continue
      const value = create(property, above)
      if (value !== undefined) object[name] = value
    }
    const additional = schema['additionalProperties']
    if (Object.keys(object).length === 0 && isObject(additional)) {
      const value = create(additional, above)
      if (value !== undefined) object['name'] = value
    }
    return object
  }

  function createList({ items, prefixItems }: JsonObject, above: readonly JsonObject[]): unknown[] {
    const values = readList(prefixItems).map((item) => create(item, above))
    if (values.length > 0) return values
    const value = create(items, above)
    return value === undefined ? [] : [value]
  }
}

function readStated(schema: JsonObject): unknown {
  if ('example' in schema) return schema['example']
  const [example] = readList(schema['examples'])
  if (example !== undefined) return example
  if ('default' in schema && schema['default'] !== null) return schema['default']
  return readValues(schema).find((value) => value !== null)
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'name@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
}

function createScalar({ format, minimum, minLength }: JsonObject, type: string | undefined): unknown {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 0
  if (type !== 'string') return undefined
  const known = typeof format === 'string' && Object.hasOwn(BY_FORMAT, format) ? BY_FORMAT[format] : undefined
  const length = typeof minLength === 'number' ? Math.min(minLength, 100) : 0
  return known ?? 'string'.padEnd(length, 'x')
}
