import type { Api } from '../../../index.js'
import { asObject, listCallableOperations, type JsonObject, type Operation } from '../../../shared/openapi/document.js'
import { readSecurity } from '../../../shared/openapi/security.js'
import { formatCallCommand, formatTokenAssignment } from '../../../shared/samples/curl.js'
import { resolve, resolveEntries } from '../reference/read-schema.js'
import { isJson } from '../../../shared/samples/serialize.js'
import { createSampleBody, createSampleCall, listCodeSamples } from '../reference/sample-call.js'
import { listCallbacks, listParameters, listWebhooks, type Parameter } from '../reference/operations.js'
import { describeValue, listNamedSchemas, listProperties, toLine } from './schema-text.js'

export function writeReference(api: Api, document: JsonObject, registration: boolean): string {
  const info = asObject(document['info'])
  return joinParts([
    `# ${toLine(api.title)}`,
    readText(info['description']) || (api.description ?? ''),
    [
      `- Address: ${api.resource}`,
      `- Version: ${toLine(readText(info['version']))}`,
      `- OpenAPI document: [JSON](${api.name}/openapi.json), [YAML](${api.name}/openapi.yaml)`,
    ].join('\n'),
    writeAuthentication(api, registration),
    ...writeOperations(api, document),
    ...writeWebhooks(document),
    ...writeSchemas(document),
  ])
}

function writeAuthentication(api: Api, registration: boolean): string {
  const source = registration
    ? 'They come by e-mail after an application is registered [at the console](../register).'
    : 'They come from the operator of this platform.'
  const meanings = Object.entries(api.scopes).map(([scope, meaning]) => `- \`${scope}\`: ${toLine(meaning)}`)
  const describeScopes = (credential: string): string =>
    meanings.length > 0
      ? `Scopes, of which a ${credential} has those that the application was granted:\n\n${meanings.join('\n')}`
      : ''
  if (api.scheme === 'apiKey')
    return joinParts([
      '## Authentication',
      `Each call has the key of your application in the header \`${api.keyHeaders[0]}\`. The commands below expect it in the environment variable \`API_KEY\`. ${source.replace(/^They come/, 'It comes')}`,
      describeScopes('key'),
    ])
  return joinParts([
    '## Authentication',
    `OAuth 2.0 client credentials. Request an access token with the key (\`client_id\`) and the secret (\`client_secret\`) of your application. The commands below expect them in the environment variables \`CLIENT_ID\` and \`CLIENT_SECRET\`. ${source}`,
    writeCode('sh', formatTokenAssignment({ tokenEndpoint: api.tokenEndpoint ?? '' })),
    'The answer is JSON. This command puts its `access_token` into the variable `ACCESS_TOKEN`, which the commands below send in the header `Authorization: Bearer $ACCESS_TOKEN`, until `expires_in` seconds have passed.',
    describeScopes('token'),
  ])
}

function writeOperations(api: Api, document: JsonObject): string[] {
  const operations = listCallableOperations(document)
  const texts = operations.map((operation) => {
    const samples = listCodeSamples(operation.operation).map(({ language, code }) =>
      writeCode(/^[\w+#-]*/.exec(language.toLowerCase())![0], code),
    )
    return joinParts([
      writeTitle(operation),
      ...writeRequest(document, operation, describeSecurity(api, document, operation)),
      writeCode('sh', formatCallCommand(createSampleCall(api, document, operation))),
      ...samples,
      ...writeCallbacks(document, operation),
    ])
  })
  return texts.length > 0 ? ['## Operations', ...texts] : []
}

function writeWebhooks(document: JsonObject): string[] {
  const texts = listWebhooks(document).map((each) =>
    joinParts([writeTitle(each), ...writeRequest(document, each), ...writeCallbacks(document, each)]),
  )
  return texts.length > 0 ? ['## Webhooks', 'Requests that the provider sends to your application.', ...texts] : []
}

function writeCallbacks(document: JsonObject, { operation }: Operation): string[] {
  return listCallbacks(document, operation).map((each) =>
    joinParts([`#### Callback \`${each.name}\`: ${each.method} ${each.path}`, ...writeRequest(document, each)]),
  )
}

function writeTitle({ method, path, operation }: Operation): string {
  const address = `${method} ${path}`
  const name = readText(operation['summary']) || readText(operation['operationId']) || address
  return `### ${address}${name === address ? '' : `: ${toLine(name)}`}`
}

function writeRequest(document: JsonObject, request: Operation, security = ''): string[] {
  const { operation } = request
  const parameters = listParameters(document, request)
  return [
    operation['deprecated'] === true ? '**Deprecated.**' : '',
    readText(operation['description']),
    security,
    parameters.length > 0
      ? `Parameters:\n\n${parameters.map((each) => writeParameter(document, each)).join('\n')}`
      : '',
    writeBody(document, request),
    writeResponses(document, operation['responses']),
  ]
}

function describeSecurity(api: Api, document: JsonObject, { operation }: Operation): string {
  const { optional, alternatives } = readSecurity(api, document, operation)
  if (alternatives.length === 0) return 'Needs no credentials.'
  const needed = alternatives
    .filter((scopes) => scopes.length > 0)
    .map((scopes) => scopes.map((scope) => `\`${scope}\``).join(' and '))
  const scopes = needed.length > 0 ? `Scopes: ${needed.join(', or ')}.` : ''
  return [scopes, optional ? 'Works without credentials too.' : ''].filter(Boolean).join(' ')
}

function writeParameter(document: JsonObject, parameter: Parameter): string {
  const { name, place, required, deprecated, schema } = parameter
  const facts = [place, describeValue(document, schema), required && 'required', deprecated && 'deprecated']
  const description = toLine(parameter.description ?? '')
  const line = `- \`${name}\` (${facts.filter(Boolean).join(', ')})${description && `: ${description}`}`
  return [line, ...listProperties(document, schema, '  ')].join('\n')
}

function writeBody(document: JsonObject, request: Operation): string {
  const given = request.operation['requestBody']
  if (given === undefined) return ''
  const body = resolve(document, given)
  const example = createSampleBody(document, request)
  const types = Object.entries(asObject(body['content'])).map(([mediaType, described]) => {
    const content = resolve(document, described)
    const schema = content['schema'] ?? content['itemSchema']
    return [`- \`${mediaType}\`: ${describeValue(document, schema)}`, ...listProperties(document, schema, '  ')].join(
      '\n',
    )
  })
  const description = toLine(readText(body['description']))
  return joinParts([
    `Body${body['required'] === true ? '' : ' (optional)'}:${description && ` ${description}`}`,
    types.join('\n'),
    example && 'text' in example ? writeCode(isJson(example.mediaType) ? 'json' : '', example.text) : '',
  ])
}

function writeResponses(document: JsonObject, responses: unknown): string {
  const lines = resolveEntries(document, responses).flatMap(([status, response]) => {
    if (status.startsWith('x-')) return []
    const contents = resolveEntries(document, response['content']).map(
      ([type, content]) => [type, content['schema'] ?? content['itemSchema']] as const,
    )
    const types = contents.map(([type, schema]) => `\`${type}\`: ${describeValue(document, schema)}`)
    const headers = resolveEntries(document, response['headers']).map(([name, header]) => {
      const schema = header['schema'] ?? resolveEntries(document, header['content'])[0]?.[1]['schema']
      return `header \`${name}\` (${describeValue(document, schema)})`
    })
    const texts = [response['summary'], response['description']].map((text) => toLine(readText(text)))
    const line = [...texts, [...types, ...headers].join(', ')].filter(Boolean).join(' ')
    return [`- ${status}: ${line}`, ...contents.flatMap(([, schema]) => listProperties(document, schema, '  '))]
  })
  return lines.length > 0 ? `Answers:\n\n${lines.join('\n')}` : ''
}

function writeSchemas(document: JsonObject): string[] {
  const schemas = [...listNamedSchemas(document)].map(([name, schema]) =>
    joinParts([
      `### ${name}`,
      `${describeValue(document, schema)}${readText(schema['description']) && `: ${toLine(readText(schema['description']))}`}`,
      listProperties(document, schema).join('\n'),
    ]),
  )
  return schemas.length > 0 ? ['## Schemas', ...schemas] : []
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

function writeCode(language: string, code: string): string {
  const runs = code.match(/`{3,}/g) ?? []
  const fence = '`'.repeat(Math.max(3, ...runs.map(({ length }) => length + 1)))
  return `${fence}${language}\n${code}\n${fence}`
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}
