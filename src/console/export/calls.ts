import type { Api } from '../../index.js'
import { asObject, listCallableOperations, type JsonObject, type Operation } from '../../openapi/document.js'
import { readSecurity, type Security } from '../../openapi/security.js'
import { createExample, listGivenExamples } from '../reference/example.js'
import { listParameters, type Parameter } from '../reference/parameters.js'
import { resolve } from '../reference/resolve.js'
import { readParameterExample } from '../reference/sample-call.js'

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
  /** As names and values of a URL or header; empty if there is no example. */
  readonly example: readonly (readonly [name: string, value: string])[]
}

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
  const { place, name, description = '', required, schema, members } = parameter
  const example = writeExample(members, readParameterExample(document, parameter))
  return { in: place, name, description, isRequired: required, schema, example }
}

/** A value in the default style of its place, or as `deepObject`. Other styles are rare in examples. */
function writeExample(parameter: JsonObject, value: unknown): [name: string, value: string][] {
  const name = String(parameter['name'])
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return [[name, writeItem(value)]]
  if (parameter['content'] !== undefined) return [[name, JSON.stringify(value)]]
  const isExploded = parameter['in'] === 'query' && parameter['explode'] !== false
  if (Array.isArray(value))
    return isExploded ? value.map((each) => [name, writeItem(each)]) : [[name, value.map(writeItem).join(',')]]
  if (parameter['style'] === 'deepObject')
    return Object.entries(value).map(([key, each]) => [`${name}[${key}]`, writeItem(each)])
  return isExploded
    ? Object.entries(value).map(([key, each]) => [key, writeItem(each)])
    : [[name, Object.entries(value).flat().map(writeItem).join(',')]]
}

function writeItem(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
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
