import type { Api } from '../../index.js'
import { isObject } from '../../lib/is-object.js'
import { asObject, type JsonObject, type Operation } from '../../openapi/document.js'
import { readSecurity } from '../../openapi/security.js'
import type { SampleBody, SampleCall } from '../../samples/call.js'
import { buildHeaders, buildUrl } from '../../samples/request.js'
import type { Parameter as FilledParameter, Value } from '../../samples/serialize.js'
import { formatBody, listBodyContents, listBodyExamples, type BodyContent } from './body.js'
import { createExample, listGivenExamples } from './example.js'
import { listParameters, type Parameter } from './parameters.js'
import { readList, resolve } from './resolve.js'
import { isBinary } from './schema-type.js'

/** A call of an operation with example values for all that it requires. A path parameter without example is a word in capitals. */
export function createSampleCall(api: Api, document: JsonObject, operation: Operation): SampleCall {
  const { method, path } = operation
  const parameters = listParameters(document, operation)
    .filter(({ required }) => required)
    .flatMap((parameter) => fillParameter(document, parameter))
  const input = { method, path, resource: api.resource, parameters }
  const { alternatives } = readSecurity(api, document, operation.operation)
  const [content] = listBodyContents(document, operation)
  return {
    scheme: alternatives.length === 0 ? 'none' : api.scheme,
    method,
    url: buildUrl(input),
    headers: buildHeaders(input),
    body: content && createBody(document, content),
    tokenEndpoint: api.tokenEndpoint,
    keyHeader: api.keyHeaders[0],
  }
}

/** A parameter with its example, as it is sent; empty without one. */
function fillParameter(document: JsonObject, parameter: Parameter): FilledParameter[] {
  const { place, name, style, explode, allowReserved, mediaType } = parameter
  const value = readParameterExample(document, parameter)
  if (value === undefined || value === null) return []
  const type = mediaType === undefined ? {} : { mediaType }
  return [{ in: place, name, style, explode, allowReserved, ...type, value: value as Value }]
}

/** The example of a parameter: one that the document gives, or one made of its schema. */
function readParameterExample(document: JsonObject, { name, members, content, schema, place }: Parameter): unknown {
  const given = [members, content].flatMap((each) => listGivenExamples(document, each))[0]?.value
  if (given !== undefined) return given
  const { example, default: preset, enum: values } = resolve(document, schema)
  const stated = example ?? preset ?? readList(values)[0]
  // The name of a path parameter says more than an example that means nothing.
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
