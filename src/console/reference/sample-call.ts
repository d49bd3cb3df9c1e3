import type { Api } from '../../index.js'
import { isObject } from '../../lib/is-object.js'
import { asObject, type JsonObject, type Operation } from '../../openapi/document.js'
import { readSecurity } from '../../openapi/security.js'
import type { SampleBody, SampleCall } from '../../samples/call.js'
import { formatBody, listBodyContents, listBodyExamples, type BodyContent } from './body.js'
import { createExample, listGivenExamples } from './example.js'
import { listParameters, type Parameter } from './parameters.js'
import { readList, resolve } from './resolve.js'
import { isBinary } from './schema-type.js'

/** A call of an operation with example values for all that it requires. A path parameter without example is a word in capitals. */
export function createSampleCall(api: Api, document: JsonObject, operation: Operation): SampleCall {
  const required = listParameters(document, operation).filter((parameter) => parameter.required)
  const values = required.map((parameter) => [parameter, readParameterExample(document, parameter)] as const)
  const known = values.filter(([, value]) => value !== undefined)
  const listPlace = (place: string): (readonly [string, string])[] =>
    known.filter(([parameter]) => parameter.place === place).map(([{ name }, value]) => [name, formatValue(value)])
  let { path } = operation
  for (const [name, value] of listPlace('path')) path = path.replaceAll(`{${name}}`, () => encodeURIComponent(value))
  const query = new URLSearchParams(
    listPlace('query').map(([name, value]): [string, string] => [name, value]),
  ).toString()
  const { alternatives } = readSecurity(api, document, operation.operation)
  const [content] = listBodyContents(document, operation)
  return {
    scheme: alternatives.length === 0 ? 'none' : api.scheme,
    method: operation.method,
    url: api.resource + path + (query === '' ? '' : `?${query.replaceAll('+', '%20')}`),
    headers: listPlace('header'),
    body: content && createBody(document, content),
    tokenEndpoint: api.tokenEndpoint,
    keyHeader: api.keyHeaders[0],
  }
}

/** The example of a parameter: one that the document gives, or one made of its schema. */
export function readParameterExample(
  document: JsonObject,
  { name, members, content, schema, place }: Parameter,
): unknown {
  const given = [members, content].flatMap((each) => listGivenExamples(document, each))[0]?.value
  if (given !== undefined) return given
  const { example, default: preset, enum: values } = resolve(document, schema)
  const stated = example ?? preset ?? readList(values)[0]
  // In a path, the name of the parameter says more than an example that means nothing.
  return stated ?? (place === 'path' ? name.replaceAll(/\W+/g, '_').toUpperCase() : createExample(document, schema))
}

function createBody(document: JsonObject, content: BodyContent): SampleBody | undefined {
  const { mediaType, kind, schema } = content
  if (kind === 'file') return { mediaType, file: { name: 'FILE' } }
  const [example] = listBodyExamples(document, content)
  if (kind === 'text') return example && { mediaType, text: formatBody(example.value, mediaType) }
  const values = isObject(example?.value) ? example.value : {}
  const required = readList(schema['required'])
  const fields = Object.entries(asObject(schema['properties']))
    .filter(([name]) => required.length === 0 || required.includes(name))
    .map(([name, property]) =>
      isBinary(resolve(document, property))
        ? { name, file: { name: 'FILE' } }
        : { name, value: formatValue(Object.hasOwn(values, name) ? values[name] : '') },
    )
  return { mediaType, fields }
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
