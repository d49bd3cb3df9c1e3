import type { Api } from '../../index.js'
import { asObject, listCallableOperations, type JsonObject, type Operation } from '../../openapi/document.js'
import { readSecurity, type Security } from '../../openapi/security.js'
import { createExample, listGivenExamples } from '../reference/example.js'
import { listParameters, type Parameter } from '../reference/parameters.js'
import { resolve } from '../reference/resolve.js'
import {
  serializeHeader,
  serializePathParameter,
  serializeQueryParameter,
  type Parameter as FilledParameter,
} from '../../samples/serialize.js'
import { fillParameter } from '../reference/sample-call.js'

/** A call of an operation, with an example of each value. References are followed. */
export interface ApiCall {
  readonly operation: Operation
  readonly method: string
  /** With the templates of the document, such as `/items/{id}`. */
  readonly path: string
  /** The summary, or what there is instead. */
  readonly name: string
  readonly description: string
  readonly isDeprecated: boolean
  /** The first tag. */
  readonly tag: string | undefined
  readonly security: Security
  readonly parameters: readonly CallParameter[]
  readonly body: CallBody | undefined
  readonly responses: JsonObject
}

export interface CallParameter {
  readonly in: string
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  readonly schema: unknown
  /** As names and values of a URL or header, not encoded; empty if there is no example. A query that is one text has no value. */
  readonly example: readonly ExampleEntry[]
}

export type ExampleEntry = readonly [name: string, value?: string]

export interface CallBody {
  readonly description: string
  readonly isRequired: boolean
  readonly contents: readonly { readonly mediaType: string; readonly schema: unknown; readonly example: unknown }[]
}

/** The calls that a document describes, in its order. */
export function listCalls(api: Api, document: JsonObject): ApiCall[] {
  return listCallableOperations(document).map((operation) => createCall(api, document, operation))
}

function createCall(api: Api, document: JsonObject, described: Operation): ApiCall {
  const { method, path, operation } = described
  const [tag] = [operation['tags']].flat()
  return {
    operation: described,
    method,
    path,
    name: readText(operation['summary']) || readText(operation['operationId']) || `${method} ${path}`,
    description: readText(operation['description']),
    isDeprecated: operation['deprecated'] === true,
    tag: typeof tag === 'string' ? tag : undefined,
    security: readSecurity(api, document, operation),
    parameters: listParameters(document, described).map((each) => describeParameter(document, each)),
    body: operation['requestBody'] === undefined ? undefined : readBody(document, operation['requestBody']),
    responses: asObject(operation['responses']),
  }
}

function describeParameter(document: JsonObject, parameter: Parameter): CallParameter {
  const { place, name, description = '', required, schema } = parameter
  const example = fillParameter(document, parameter).flatMap(listEntries)
  return { in: place, name, description, isRequired: required, schema, example }
}

/** What a collection has of a parameter: it encodes names and values itself. */
function listEntries(parameter: FilledParameter): ExampleEntry[] {
  const { in: place, name } = parameter
  if (place === 'header') return [[name, serializeHeader(parameter)]]
  if (place === 'path') return [[name, decodeURIComponent(serializePathParameter(parameter))]]
  return serializeQueryParameter(parameter).map((pair) => {
    const [key = '', value] = pair.split(/=(.*)/s, 2)
    return value === undefined ? [decodeURIComponent(key)] : [decodeURIComponent(key), decodeURIComponent(value)]
  })
}

/** What a collection sends of a parameter at first; the rest is switched off. */
export function listNeededEntries({ name, isRequired, example }: CallParameter): readonly ExampleEntry[] {
  if (!isRequired) return []
  return example.length > 0 ? example : [[name, '']]
}

/** The query of a URL with these entries, which stay as they are. */
export function joinQuery(entries: readonly ExampleEntry[]): string {
  const pairs = entries.map(([name, value]) => (value === undefined ? name : `${name}=${value}`))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function readBody(document: JsonObject, given: unknown): CallBody {
  const body = resolve(document, given)
  const contents = Object.entries(asObject(body['content'])).map(([mediaType, described]) => {
    const content = resolve(document, described)
    const [given] = listGivenExamples(document, content)
    const example = given ? given.value : createExample(document, content['schema'], 'readOnly')
    return { mediaType, schema: content['schema'], example }
  })
  return { description: readText(body['description']), isRequired: body['required'] === true, contents }
}

export function readText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
