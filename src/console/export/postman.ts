import type { Api } from '../../index.js'
import type { JsonObject } from '../../openapi/document.js'
import type { SampleBody } from '../../samples/call.js'
import { joinQuery, listCalls, listNeededEntries, readText, type ApiCall, type CallParameter, type ExampleEntry } from './calls.js' // prettier-ignore
import { createRequestBody, isJson } from './request-body.js'
import { hideCredentialVariables } from './variables.js'
import { asObject } from '../../openapi/document.js'

/**
 * A Postman collection (v2.1) of the operations of a document. Key and secret are variables of the collection, which are empty.
 * A script requests an access token where there is none or it has expired, so that the collection runs in newman too.
 */
export function createPostmanCollection(api: Api, document: JsonObject): JsonObject {
  const calls = listCalls(api, document)
  const tags = [...new Set(calls.map(({ tag }) => tag).filter((tag) => tag !== undefined))]
  const createItems = (tag: string | undefined): JsonObject[] =>
    calls.filter((call) => call.tag === tag).map((call) => hideCredentialVariables(createItem(document, call)))
  return {
    info: {
      name: api.title,
      description: [readText(asObject(document['info'])['description']) || api.description, HOW_TO[api.scheme]].filter(Boolean).join('\n\n'), // prettier-ignore
      version: readText(asObject(document['info'])['version']),
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: createAuth(api),
    ...(api.scheme === 'oauth2' && { event: [{ listen: 'prerequest', script: { type: 'text/javascript', exec: TOKEN_SCRIPT.split('\n') } }] }), // prettier-ignore
    variable: createVariables(api),
    item: [...tags.map((name) => ({ name, item: createItems(name) })), ...createItems(undefined)],
  }
}

const HOW_TO = {
  oauth2:
    'Write the key of your application into the current value of the variable `clientId`, and its secret into that of `clientSecret`. Access tokens are requested as they are needed.',
  apiKey: 'Write the key of your application into the current value of the variable `apiKey`.',
} as const

function createVariables(api: Api): JsonObject[] {
  const own = api.scheme === 'oauth2' ? { tokenUrl: api.tokenEndpoint, clientId: '', clientSecret: '', accessToken: '' } : { apiKey: '' } // prettier-ignore
  return Object.entries({ baseUrl: api.resource, ...own }).map(([key, value]) => ({ key, value, type: 'string' }))
}

function createAuth({ scheme, keyHeaders }: Api): JsonObject {
  if (scheme === 'apiKey')
    return { type: 'apikey', apikey: listEntries({ key: keyHeaders[0], value: '{{apiKey}}', in: 'header' }) }
  return {
    type: 'oauth2',
    oauth2: listEntries({
      grant_type: 'client_credentials',
      accessTokenUrl: '{{tokenUrl}}',
      clientId: '{{clientId}}',
      clientSecret: '{{clientSecret}}',
      client_authentication: 'header',
      accessToken: '{{accessToken}}',
      addTokenTo: 'header',
      headerPrefix: 'Bearer',
    }),
  }
}

function listEntries(values: JsonObject): JsonObject[] {
  return Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' }))
}

/** Runs before each request. newman does not request access tokens itself. */
const TOKEN_SCRIPT = `const clientId = pm.variables.get('clientId')
const clientSecret = pm.variables.get('clientSecret')
const isUsable = pm.variables.get('accessTokenOf') === clientId && Date.now() < Number(pm.variables.get('accessTokenExpires'))
if (clientId && clientSecret && !isUsable) {
  const url = pm.variables.replaceIn('{{tokenUrl}}')
  const header = { Authorization: 'Basic ' + require('btoa')(clientId + ':' + clientSecret), 'Content-Type': 'application/x-www-form-urlencoded' }
  pm.sendRequest({ url, method: 'POST', header, body: { mode: 'raw', raw: 'grant_type=client_credentials' } }, (error, response) => {
    if (error || response.code !== 200) throw new Error('No access token: ' + (error || response.text()))
    const { access_token, expires_in } = response.json()
    pm.collectionVariables.set('accessToken', access_token)
    pm.collectionVariables.set('accessTokenOf', clientId)
    pm.collectionVariables.set('accessTokenExpires', String(Date.now() + expires_in * 1000 - 10000))
  })
}`

function createItem(document: JsonObject, call: ApiCall): JsonObject {
  const { name, method, description, parameters, security } = call
  const body = createRequestBody(document, call.body)
  const headers = parameters.filter((parameter) => parameter.in === 'header').flatMap(listParameterEntries)
  const contentType = body && !('fields' in body) ? [{ key: 'Content-Type', value: body.mediaType }] : []
  return {
    name,
    request: {
      method,
      header: [...contentType, ...headers],
      url: createUrl(call),
      ...(body && { body: createBody(body) }),
      ...(security.alternatives.length === 0 && { auth: { type: 'noauth' } }),
      ...(description !== '' && { description }),
    },
    response: [],
  }
}

function createUrl({ path, parameters }: ApiCall): JsonObject {
  const ofPath = parameters.filter((parameter) => parameter.in === 'path')
  const segments = path.split('/').slice(1).map(writeSegment)
  const ofQuery = parameters.filter((parameter) => parameter.in.startsWith('query'))
  const query = ofQuery.flatMap(listParameterEntries)
  const search = joinQuery(ofQuery.flatMap(listNeededEntries))
  const variable = ofPath
    .filter(({ name }) => segments.includes(`:${name}`))
    .map(({ name, description, example }) => ({ key: name, value: example[0]?.[1] ?? '', description }))
  return {
    raw: `{{baseUrl}}/${segments.join('/')}${search}`,
    host: ['{{baseUrl}}'],
    path: segments,
    ...(query.length > 0 && { query }),
    ...(variable.length > 0 && { variable }),
  }
}

/** `:id` for `{id}`. A parameter that is a part of a segment is a variable, which must be defined. */
export function writeSegment(segment: string): string {
  const [, name] = /^\{([^{}:]+)\}$/.exec(segment) ?? []
  return name === undefined ? segment.replaceAll(/\{([^{}]+)\}/g, '{{$1}}') : `:${name}`
}

/** Those that the call does not need are switched off. */
function listParameterEntries({ name, description, isRequired, example }: CallParameter): JsonObject[] {
  const entries: readonly ExampleEntry[] = example.length > 0 ? example : [[name, '']]
  return entries.map(([key, value = null]) => ({ key, value, description, ...(!isRequired && { disabled: true }) }))
}

function createBody(body: SampleBody): JsonObject {
  if ('text' in body)
    return { mode: 'raw', raw: body.text, options: { raw: { language: isJson(body.mediaType) ? 'json' : 'text' } } }
  if ('file' in body) return { mode: 'file', file: { src: '' } }
  const mode = body.mediaType.startsWith('multipart/') ? 'formdata' : 'urlencoded'
  const entries = body.fields.map((field) =>
    'file' in field
      ? { key: field.name, type: 'file', src: [] }
      : { key: field.name, value: field.value, type: 'text' },
  )
  return { mode, [mode]: entries }
}
