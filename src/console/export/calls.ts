import { asObject, type JsonObject, type Operation } from '../../openapi/document.js'
import { listParameters, type Parameter } from '../reference/parameters.js'
import { resolve } from '../reference/resolve.js'

/** A call of an operation. References are followed. */
export interface ApiCall {
  readonly operation: Operation
  readonly method: string
  /** The path with the templates of the document, such as `/items/{id}`. */
  readonly path: string
  /** The summary, or what there is instead. */
  readonly name: string
  readonly description: string
  readonly isDeprecated: boolean
  readonly parameters: readonly CallParameter[]
  readonly body: CallBody | undefined
  readonly responses: JsonObject
}

export interface CallParameter {
  readonly in: string
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  readonly isDeprecated: boolean
  readonly schema: unknown
}

export interface CallBody {
  readonly description: string
  readonly isRequired: boolean
  readonly contents: readonly { readonly mediaType: string; readonly schema: unknown }[]
}

export function describeCall(document: JsonObject, described: Operation): ApiCall {
  const { method, path, operation } = described
  return {
    operation: described,
    method,
    path,
    name: readText(operation['summary']) || readText(operation['operationId']) || `${method} ${path}`,
    description: readText(operation['description']),
    isDeprecated: operation['deprecated'] === true,
    parameters: listParameters(document, described).map(describeParameter),
    body: operation['requestBody'] === undefined ? undefined : readBody(document, operation['requestBody']),
    responses: asObject(operation['responses']),
  }
}

function describeParameter({ place, name, description = '', required, deprecated, schema }: Parameter): CallParameter {
  return { in: place, name, description, isRequired: required, isDeprecated: deprecated, schema }
}

function readBody(document: JsonObject, given: unknown): CallBody {
  const body = resolve(document, given)
  const contents = Object.entries(asObject(body['content'])).map(([mediaType, described]) => {
    const content = resolve(document, described)
    return { mediaType, schema: content['schema'] ?? content['itemSchema'] }
  })
  return { description: readText(body['description']), isRequired: body['required'] === true, contents }
}

export function readText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
