import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import { findJsonProblem } from '../../shared/lib/plain-json.js'
import { isObject } from '../../shared/lib/own-members.js'

/** The option `metadata`, or another with that name. A schema may be a function (arktype), and may inherit its member. */
export function readMetadataSchema(schema: unknown, option = 'metadata'): MetadataSchema | undefined {
  if (schema === undefined) return undefined
  const standard: unknown = Object(schema) === schema ? (schema as Record<string, unknown>)['~standard'] : undefined
  if (isObject(standard) && typeof standard['validate'] === 'function') {
    refuseNoJson(schema as MetadataSchema, option)
    return schema as MetadataSchema
  }
  throw new ConfigurationError({
    option,
    problem: 'is not a Standard Schema',
    fix: 'Give it a schema of an object, made with zod 3.24, valibot 1, arktype 2 or another library of https://standardschema.dev.',
  })
}

/** Shows at the start what a schema makes of nothing, such as a default that is a Date. One that needs members tells at its first value. */
function refuseNoJson(schema: MetadataSchema, option: string): void {
  let result
  try {
    result = schema['~standard'].validate({})
  } catch {
    return
  }
  if (result instanceof Promise) return void result.catch(() => undefined)
  const problem = result.issues ? undefined : findJsonProblem('metadata', result.value)
  if (problem === undefined) return
  throw new ConfigurationError({
    option,
    problem: `makes no JSON of {}: ${problem}`,
    fix: 'Let the schema return what JSON has, such as text in place of a Date: z.iso.date() in place of z.coerce.date().',
  })
}
