import * as z from 'zod/mini'

export type JsonSchema = Readonly<Record<string, unknown>>

/** JSON Schema 2020-12 of a schema, whose named parts are references below `root`, and are returned in `parts`. */
export function toJsonSchema(
  schema: z.ZodMiniType,
  io: 'input' | 'output',
  root = '#/$defs/',
): { readonly schema: JsonSchema; readonly parts: Readonly<Record<string, JsonSchema>> } {
  // Within an object, a schema that has a name is a reference too.
  const made = z.toJSONSchema(z.strictObject({ schema }), {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // Zod's pattern of a time is 300 characters long, and the format says the same.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      // Readers must ignore members that later versions add.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (jsonSchema.propertyNames) delete jsonSchema.propertyNames
      if (Math.abs(jsonSchema.maximum ?? 0) === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (Math.abs(jsonSchema.minimum ?? 0) === Number.MAX_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  const text = JSON.stringify(made).replaceAll('"#/$defs/', `"${root}`)
  const { $defs = {}, properties } = JSON.parse(text) as {
    $defs?: Record<string, Record<string, unknown>>
    properties: { schema: JsonSchema }
  }
  const parts = Object.entries($defs).map(([name, { id: _name, ...part }]) => [name, part] as const)
  return { schema: properties.schema, parts: Object.fromEntries(parts) }
}
