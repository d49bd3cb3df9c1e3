import { asObject, followReference, type JsonObject } from '../../openapi/document.js'

/** What a reference within the document refers to, or the value itself. */
export function resolve(document: JsonObject, given: unknown): JsonObject {
  let value = asObject(given)
  for (let depth = 0; typeof value['$ref'] === 'string' && depth < MAX_DEPTH; depth++)
    value = asObject(followReference(document, value['$ref']))
  return value
}

/**
 * A value that a client could send: the example of a parameter, media type or schema if there is one, otherwise one made from
 * the schema. Undefined if nothing is known of it.
 */
export function createExampleValue(document: JsonObject, described: JsonObject): unknown {
  const given = readGivenExample(document, described)
  if (given !== undefined) return given
  const made = createFromSchema(document, described['schema'], 0)
  // A parameter of which only its type is known.
  return made === ANY_TEXT && typeof described['name'] === 'string' ? described['name'].toUpperCase() : made
}

const ANY_TEXT = 'text'

/** `example`, or the first of `examples`, of a parameter or a media type. OpenAPI 3.2 has added `dataValue`. */
function readGivenExample(document: JsonObject, described: JsonObject): unknown {
  if (described['example'] !== undefined) return described['example']
  const [first] = Object.values(asObject(described['examples']))
  const example = resolve(document, first)
  return example['value'] ?? example['dataValue']
}

/** Schemas may contain themselves. */
const MAX_DEPTH = 8

function createFromSchema(document: JsonObject, given: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return undefined
  const schema = resolve(document, given)
  const [known] = [schema['example'], listOf(schema['examples'])[0], schema['const'], schema['default'], listOf(schema['enum'])[0]].filter((value) => value !== undefined) // prettier-ignore
  if (known !== undefined) return known
  const parts = listOf(schema['allOf']).map((part) => createFromSchema(document, part, depth + 1))
  const [alternative] = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])]
  if (alternative !== undefined) parts.push(createFromSchema(document, alternative, depth + 1))
  const own = createOfType(document, schema, depth)
  const objects = [...parts, own].filter(isPlainObject)
  return objects.length > 0 ? Object.assign({}, ...objects) : (own ?? parts.find((part) => part !== undefined))
}

function createOfType(document: JsonObject, schema: JsonObject, depth: number): unknown {
  const type = [schema['type']].flat().find((each) => each !== 'null')
  if (type === 'object' || schema['properties'] !== undefined) return createObject(document, schema, depth)
  if (type === 'array' || schema['items'] !== undefined) {
    const item = createFromSchema(document, schema['items'], depth + 1)
    return item === undefined ? [] : [item]
  }
  if (type === 'string') return EXAMPLES_BY_FORMAT[String(schema['format'])] ?? ANY_TEXT
  if (type === 'integer' || type === 'number') return schema['minimum'] ?? 1
  return type === 'boolean' ? true : undefined
}

function createObject(document: JsonObject, schema: JsonObject, depth: number): object {
  const required = listOf(schema['required'])
  const entries = Object.entries(asObject(schema['properties'])).flatMap(([name, property]) => {
    // Deeper objects with what they need only, so that an example stays short.
    if (resolve(document, property)['readOnly'] === true || (depth > 1 && !required.includes(name))) return []
    const value = createFromSchema(document, property, depth + 1)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries) as object
}

const EXAMPLES_BY_FORMAT: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'name@example.com',
  uri: 'https://example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
})

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
