import type { Api } from '../../index.js'
import { asObject, listCallableOperations, type JsonObject, type Operation } from '../../openapi/document.js'
import { readSecurity, type Security } from '../../openapi/security.js'
import { createExample, listGivenExamples } from '../reference/example.js'
import { listParameters, type Parameter } from '../reference/parameters.js'
import { resolve } from '../reference/resolve.js'

/** A call of an operation, with an example of each value. References are followed. */
export interface ApiCall {
  readonly operation: Operation
  readonly method: string
  /** The path with the templates of the document, such as `/items/{id}`. */
  readonly path: string
  /** The summary, or what there is instead. */
  readonly name: string
  readonly description: string
  readonly isDeprecated: boolean
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
  return {
    operation: described,
    method,
    path,
    name: readText(operation['summary']) || readText(operation['operationId']) || `${method} ${path}`,
    description: readText(operation['description']),
    isDeprecated: operation['deprecated'] === true,
    security: readSecurity(api, document, operation),
    parameters: listParameters(document, described).map(describeParameter),
    body: operation['requestBody'] === undefined ? undefined : readBody(document, operation['requestBody']),
    responses: asObject(operation['responses']),
  }
}

function describeParameter({ place, name, description = '', required, schema }: Parameter): CallParameter {
  return { in: place, name, description, isRequired: required, schema }
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
