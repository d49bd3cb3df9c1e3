import type { Api } from '../../index.js'
import { asObject, type JsonObject } from '../../openapi/document.js'
import { createUniqueNames } from '../../lib/unique-names.js'
import type { SampleBody } from '../../samples/call.js'
import { joinQuery, listCalls, listNeededEntries, readText, type ApiCall, type CallParameter, type ExampleEntry } from './calls.js' // prettier-ignore
import { writeSegment } from './postman.js'
import { createRequestBody, isJson } from './request-body.js'
import { hideCredentialVariables } from './variables.js'
import { stringifyYaml } from './yaml.js'

/** A file of a collection. */
interface BrunoFile {
  readonly path: string
  readonly text: string
}

/**
 * The files of a Bruno collection in OpenCollection's format, which the app (from version 3) imports as a ZIP archive and its
 * command line runs. Key and secret are variables of the environment `Default`.
 */
export function createBrunoCollection(api: Api, document: JsonObject): BrunoFile[] {
  const claim = createNames()
  const folders = new Map<string, { readonly path: string; readonly claim: (text: string) => string }>()
  const files = [
    createFile('opencollection.yml', createRoot(api, document)),
    createFile('environments/Default.yml', createEnvironment(api)),
  ]
  listCalls(api, document).forEach((call, index) => {
    const { tag } = call
    if (tag !== undefined && !folders.has(tag)) {
      const path = `${claim(tag)}/`
      folders.set(tag, { path, claim: createNames() })
      files.push(createFile(`${path}folder.yml`, { info: { name: tag, type: 'folder', seq: folders.size } }))
    }
    const folder = tag === undefined ? { path: '', claim } : folders.get(tag)!
    files.push(
      createFile(
        `${folder.path}${folder.claim(call.name)}.yml`,
        hideCredentialVariables(createRequest(document, call, index + 1)),
      ),
    )
  })
  return files.map(({ path, text }) => ({ path: `${api.name}/${path}`, text }))
}

/** Names that Bruno or Windows give a meaning. */
const RESERVED_NAMES = [
  'environments',
  'node-modules',
  'folder',
  'opencollection',
  'collection',
  'con',
  'prn',
  'aux',
  'nul',
]

/** Gives each text a name of its own, for a file or a folder. */
function createNames(): (text: string) => string {
  const claim = createUniqueNames(RESERVED_NAMES)
  return (text) => claim(text.normalize('NFKD').toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ').trim().replaceAll(' ', '-').slice(0, 60) || 'request') // prettier-ignore
}

function createFile(path: string, content: JsonObject): BrunoFile {
  return { path, text: stringifyYaml(content) }
}

function createRoot(api: Api, document: JsonObject): JsonObject {
  const { description, version } = asObject(document['info'])
  return {
    opencollection: '1.0.0',
    info: { name: api.title, version: readText(version) },
    request: { auth: createAuth(api) },
    docs: `${readText(description) || (api.description ?? api.title)}\n\n${HOW_TO[api.scheme]}`,
    extensions: { bruno: { presets: { defaultEnvironment: 'Default' } } },
  }
}

const HOW_TO = {
  oauth2:
    'Choose the environment Default. Write the key of your application into its variable `clientId`, and the secret into `clientSecret`.',
  apiKey: 'Choose the environment Default. Write the key of your application into its variable `apiKey`.',
} as const

function createAuth({ scheme, keyHeaders }: Api): JsonObject {
  if (scheme === 'apiKey') return { type: 'apikey', key: keyHeaders[0], value: '{{apiKey}}', placement: 'header' }
  return {
    type: 'oauth2',
    flow: 'client_credentials',
    accessTokenUrl: '{{tokenUrl}}',
    credentials: { clientId: '{{clientId}}', clientSecret: '{{clientSecret}}', placement: 'basic_auth_header' },
    tokenConfig: { id: 'credentials', placement: { header: 'Bearer' } },
    settings: { autoFetchToken: true, autoRefreshToken: false },
  }
}

/** Bruno keeps the values of secret variables outside of the collection. */
function createEnvironment({ scheme, resource, tokenEndpoint }: Api): JsonObject {
  const own =
    scheme === 'oauth2'
      ? [{ name: 'tokenUrl', value: tokenEndpoint }, { name: 'clientId', value: '' }, { name: 'clientSecret', secret: true }] // prettier-ignore
      : [{ name: 'apiKey', secret: true }]
  return { name: 'Default', variables: [{ name: 'baseUrl', value: resource }, ...own] }
}

function createRequest(document: JsonObject, call: ApiCall, seq: number): JsonObject {
  const { name, method, path, description, parameters, security } = call
  const segments = path.split('/').slice(1).map(writeSegment)
  const body = createRequestBody(document, call.body)
  const ofPath = parameters.filter(({ in: place, name: own }) => place === 'path' && segments.includes(`:${own}`))
  const ofQuery = parameters.filter((parameter) => parameter.in.startsWith('query'))
  const query = ofQuery.flatMap((each) => listEntries(each))
  const headers = parameters.filter((parameter) => parameter.in === 'header').flatMap((each) => listEntries(each))
  const contentType = body && !('fields' in body) ? [{ name: 'Content-Type', value: body.mediaType }] : []
  return {
    info: { name, type: 'http', seq },
    http: {
      method,
      url: `{{baseUrl}}/${segments.join('/')}${joinQuery(ofQuery.flatMap(listNeededEntries))}`,
      params: [
        ...ofPath.map((each) => ({ name: each.name, value: each.example[0]?.[1] ?? '', type: 'path' })),
        ...query.map((entry) => ({ ...entry, type: 'query' })),
      ],
      headers: [...contentType, ...headers],
      ...(body && { body: createBody(body) }),
      // Without `auth` nothing is sent, although the collection has one.
      ...(security.alternatives.length > 0 && { auth: 'inherit' }),
    },
    ...(description !== '' && { docs: description }),
  }
}

/** Those that the call does not need are switched off. */
function listEntries({ name, description, isRequired, example }: CallParameter): JsonObject[] {
  const entries: readonly ExampleEntry[] = example.length > 0 ? example : [[name, '']]
  return entries.map(([key, value = '']) => ({ name: key, value, ...(description !== '' && { description }), ...(!isRequired && { disabled: true }) })) // prettier-ignore
}

function createBody(body: SampleBody): JsonObject {
  if ('text' in body) return { type: isJson(body.mediaType) ? 'json' : 'text', data: body.text }
  if ('file' in body) return { type: 'file', data: [{ filePath: '', contentType: body.mediaType, selected: true }] }
  if (!body.mediaType.startsWith('multipart/'))
    return { type: 'form-urlencoded', data: body.fields.map((field) => ({ name: field.name, value: 'value' in field ? field.value : '' })) } // prettier-ignore
  const data = body.fields.map((field) =>
    'file' in field
      ? { name: field.name, type: 'file', value: [] }
      : { name: field.name, type: 'text', value: field.value },
  )
  return { type: 'multipart-form', data }
}
