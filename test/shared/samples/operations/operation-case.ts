import { listCallableOperations, type JsonObject, type Operation } from '../../../../src/shared/openapi/document.js'
import { asObject } from '../../../../src/shared/openapi/document.js'
import type { SampleLanguage } from '../../../../src/shared/samples/prepare.js'

/** An operation, and what must arrive when it is called with its examples. */
export interface OperationCase {
  readonly method?: string
  /** The version of OpenAPI; 3.1.1 by default. */
  readonly version?: string
  /** What is in the path after the part that is the operation's own. */
  readonly path?: string
  readonly parameters?: readonly object[]
  /** The media type and its object; `required` is that of the body, true by default. */
  readonly body?: Body
  readonly required?: boolean
  readonly components?: object
  readonly expected: Expected
  /** Languages that cannot send it, and `browser`. They say so. */
  readonly unable?: readonly (SampleLanguage | 'browser')[]
}

/** By their titles. */
export type OperationCases = Readonly<Record<string, OperationCase>>

export type Body = readonly [mediaType: string, content: object]

interface Expected {
  /** Path and query after the own part; empty by default. */
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The media type without boundary. */
  readonly type?: string
  /** A text, the fields of a form, or parts; no body by default. */
  readonly body?: string | readonly Field[] | readonly Part[]
}

export type Field = readonly [name: string, value: string]

/** A part of `multipart/...`. */
export interface Part {
  readonly name: string
  readonly content: string
  readonly file?: string
  readonly headers?: Readonly<Record<string, string>>
}

const RESPONSES = { 200: { description: 'Fine.', content: { 'application/json': {}, 'text/plain': {} } } }

/** The document of an operation, whose path nothing else begins with. */
export function createDocument(each: OperationCase, index: number): JsonObject {
  const { method = each.body ? 'post' : 'get', path = '', parameters = [], body, required = true, version } = each
  const requestBody = body && { required, content: { [body[0]]: body[1] } }
  const operation = { parameters, ...(requestBody && { requestBody }), responses: RESPONSES, security: [] }
  return asObject({
    openapi: version ?? '3.1.1',
    info: { title: 'Cases', version: '1' },
    paths: { [`/${ownPart(index)}${path}`]: { [method]: operation } },
    components: each.components,
  })
}

export function readOperation(document: JsonObject): Operation {
  return listCallableOperations(document)[0]!
}

export function ownPart(index: number): string {
  return `case${String(index).padStart(3, '0')}`
}
