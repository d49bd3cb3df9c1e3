/** Members that may hold arbitrary JSON. A `$ref` in them is data, not a reference. */
const ARBITRARY_VALUES = new Set(['default', 'enum', 'const', 'example', 'examples', 'value'])

/** Members whose own members have names of the provider's: an `example` or `x-id` in them is no keyword and no extension. */
const MAPS = new Set([
  'headers',
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'schemas',
  'dependentSchemas',
  'parameters',
  'requestBodies',
  'securitySchemes',
  'links',
  'callbacks',
  'pathItems',
  'encoding',
  'variables',
  'webhooks',
  'responses',
  'content',
])

/**
 * The references of a document, or of a part of it. Members of an extension are no OpenAPI objects, so a `$ref` in them is data, too.
 */
export function* listReferences(value: unknown, isMap = false): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [member, content] of Object.entries(value)) {
    if (isMap) yield* listReferences(content)
    else if (member === '$ref' && typeof content === 'string') yield content
    else if (!ARBITRARY_VALUES.has(member) && !member.startsWith('x-'))
      yield* listReferences(content, MAPS.has(member) && !Array.isArray(content))
  }
}
