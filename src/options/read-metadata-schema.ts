import { ConfigurationError } from '../contracts/errors.js'
import type { MetadataSchema } from '../contracts/metadata-schema.js'
import { isObject } from '../lib/is-object.js'

/** The option `metadata`, or another with that name. A schema may be a function (arktype), and may inherit its member. */
export function readMetadataSchema(schema: unknown, option = 'metadata'): MetadataSchema | undefined {
  if (schema === undefined) return undefined
  const standard: unknown = Object(schema) === schema ? (schema as Record<string, unknown>)['~standard'] : undefined
  if (isObject(standard) && typeof standard['validate'] === 'function') return schema as MetadataSchema
  throw new ConfigurationError({
    option,
    problem: 'is not a Standard Schema',
    fix: 'Give it a schema of an object, made with zod 3.24, valibot 1, arktype 2 or another library of https://standardschema.dev.',
  })
}
