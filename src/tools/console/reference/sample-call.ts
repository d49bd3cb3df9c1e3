import type { Api } from '../../../index.js'
import { asObject, type JsonObject, type Operation } from '../../../shared/openapi/document.js'
import { readSecurity } from '../../../shared/openapi/security.js'
import { createBody, type FieldInput } from '../../../shared/samples/body.js'
import type { SampleBody, SampleCall } from '../../../shared/samples/prepare.js'
import { buildHeaders, buildUrl } from '../../../shared/samples/request.js'
import type { Parameter as FilledParameter, Value } from '../../../shared/samples/serialize.js'
import { isLeftOut, listBodyContents, listBodyTexts } from './body-contents.js'
import { createExample, listGivenExamples } from './examples.js'
import { listFormFields, readFileKind, type FormField } from './form-fields.js'
import { listParameters, type Parameter } from './operations.js'
import { readList, resolve, resolveEntries, readText } from './read-schema.js'
import { needsKeySet } from '../../../shared/lib/key-set-text.js'
import { words } from '../words.js'

/** A call of an operation with example values for all that it requires. A path parameter without example is a word in capitals. */
export function createSampleCall(api: Api, document: JsonObject, operation: Operation): SampleCall {
  const { method, path } = operation
  const parameters = listParameters(document, operation)
    .filter(({ required }) => required)
    .flatMap((parameter) => fillParameter(document, parameter))
  const accept = readAccepted(document, operation)
  const input = { method, path, resource: api.resource, parameters, accept }
  const { alternatives } = readSecurity(api, document, operation.operation)
  return {
    scheme: alternatives.length === 0 ? 'none' : api.scheme,
    method,
    url: buildUrl(input),
    headers: buildHeaders(input),
    body: createSampleBody(document, operation),
    tokenEndpoint: api.tokenEndpoint,
    keyHeader: api.keyHeaders[0],
    ...(needsKeySet(api) && { credentials: { provesKey: true } }),
  }
}

export function readAccepted(document: JsonObject, { operation }: Operation): string | undefined {
  const responses = resolveEntries(document, operation['responses'])
  const types = responses.flatMap(([, { content }]) => Object.keys(asObject(content)))
  return types.length === 0 ? undefined : [...new Set(types)].join(', ')
}

function fillParameter(document: JsonObject, parameter: Parameter): FilledParameter[] {
  const { place, name, style, explode, allowReserved, mediaType } = parameter
  const value = readParameterExample(document, parameter)
  if (value === undefined || value === null) return []
  const type = mediaType === undefined ? {} : { mediaType }
  return [{ in: place, name, style, explode, allowReserved, ...type, value: value as Value }]
}

function readParameterExample(document: JsonObject, { name, members, content, schema, place }: Parameter): unknown {
  const given = [members, content].flatMap((each) => listGivenExamples(document, each))[0]?.value
  if (given !== undefined) return given
  const { example, default: preset, enum: values } = resolve(document, schema)
  const stated = example ?? preset ?? readList(values)[0]
  // The name of a path parameter says more than an example that means nothing.
  return stated ?? (place === 'path' ? name.replaceAll(/\W+/g, '_').toUpperCase() : createExample(document, schema))
}

export function createSampleBody(document: JsonObject, operation: Operation): SampleBody | undefined {
  const [content] = listBodyContents(document, operation)
  if (!content || isLeftOut(document, operation)) return undefined
  const { mediaType, kind, members } = content
  if (kind === 'file') return createBody({ mediaType, file: FILE })
  if (kind === 'fields')
    return createBody({
      mediaType,
      fields: listFormFields(document, content).flatMap((field) => fillField(document, field)),
    })
  const [example] = listBodyTexts(document, mediaType, members, 'readOnly')
  return example && createBody({ mediaType, text: example.text })
}

const FILE = { name: 'FILE' }

function fillField(document: JsonObject, { name, schema, required, encoding, value }: FormField): FieldInput[] {
  if (readFileKind(document, schema) !== undefined)
    return required || value !== undefined ? [{ ...encoding, name, files: [FILE] }] : []
  const sent = value ?? (required ? createExample(document, schema, 'readOnly') : undefined)
  return sent === undefined || sent === null || sent === '' ? [] : [{ ...encoding, name, value: sent as Value }]
}

/** The samples of `x-codeSamples`, which Redocly and others read; `x-code-samples` is its older name. */
export function listCodeSamples(operation: JsonObject) {
  return readList(operation['x-codeSamples'] ?? operation['x-code-samples']).flatMap((given) => {
    const { lang, label, source } = asObject(given)
    const [language, code] = [readText(lang) ?? '', readText(source)]
    return code === undefined ? [] : [{ label: readText(label) ?? (language || words().sample), language, code }]
  })
}
