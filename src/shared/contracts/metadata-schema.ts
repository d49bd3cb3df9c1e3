/**
 * Standard Schema 1 (https://standardschema.dev), which zod, valibot and arktype implement: the part that is used. Copied,
 * as its authors recommend, so that nobody has to install it.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    /** Types for the compiler only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** The value, which the schema may have changed; or its problems. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema for the metadata of applications: its output is an object. */
export type MetadataSchema = StandardSchema<unknown, object>

/** The type of metadata without the option `metadata`: any JSON object. */
export type AnyMetadata = StandardSchema<object, Record<string, unknown>>

/** The type that writers give. */
export type MetadataInput<Schema> =
  IsAny<Schema> extends true
    ? // oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its schema
      any
    : // oxlint-disable-next-line typescript/no-explicit-any -- any output
      Schema extends StandardSchema<infer Input, any>
      ? Input
      : never

/** The type that is stored, and that readers get. */
export type MetadataOutput<Schema> =
  IsAny<Schema> extends true
    ? // oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its schema
      any
    : // oxlint-disable-next-line typescript/no-explicit-any -- any input
      Schema extends StandardSchema<any, infer Output>
      ? Output
      : never

type IsAny<Type> = 0 extends 1 & Type ? true : false
