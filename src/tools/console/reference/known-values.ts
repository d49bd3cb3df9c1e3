import { isObject } from '../../../shared/lib/is-object.js'
import { asObject, listOperations, type JsonObject } from '../../../shared/openapi/document.js'
import { listGivenExamples } from './examples.js'
import { readSchema } from './read-schema.js'
import { resolve, resolveEntries } from './resolve.js'

/** The examples of a document's operations by the schema that they are of. */
const known = new WeakMap<JsonObject, ReadonlyMap<JsonObject, unknown>>()

/** A value of a schema that an example of an operation is, or contains; undefined if there is none. */
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
