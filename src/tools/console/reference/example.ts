import type { JsonObject } from '../../../shared/openapi/document.js'
import { createExample } from './create-example.js'
import { readSchema } from './read-schema.js'
import { readList, readText, resolveEntries } from './resolve.js'
import { readTypes, readValues } from './schema-type.js'
import { words } from '../words.js'

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
