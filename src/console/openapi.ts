import type { Api } from '../index.js'

/** A JSON object whose shape OpenAPI says, and the providers' documents may miss. */
export type JsonObject = Record<string, unknown>

interface Operation {
  readonly method: string
  readonly path: string
  readonly pathItem: JsonObject
  readonly operation: JsonObject
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/**
 * Puts into a document what the platform knows better than whoever wrote it: where the API is, where its access tokens
 * come from, and what each operation needs. The scopes of an operation are those of its own `security`, whatever that
 * calls the scheme; without one they are the document's, and else the API's.
 */
export function finishDocument(api: Api, document: JsonObject): JsonObject {
  const components = asObject(document['components'])
  for (const { pathItem, operation } of [
    ...operationsIn(document['paths']),
    ...operationsIn(components['pathItems']),
  ]) {
    delete pathItem['servers']
    delete operation['servers']
    if ('security' in operation) operation['security'] = securityOf(api, operation['security'])
  }
  const everything = [{ [api.scheme]: Object.keys(api.scopes) }]
  return {
    ...document,
    servers: [{ url: api.resource }],
    security: 'security' in document ? securityOf(api, document['security']) : everything,
    components: { ...components, securitySchemes: { [api.scheme]: securityScheme(api) } },
  }
}

/** What stands below `paths`, in its order. */
export function operationsIn(paths: unknown): Operation[] {
  return Object.entries(asObject(paths)).flatMap(([path, value]) => {
    const pathItem = asObject(value)
    const methods = Object.keys(pathItem).filter((member) => METHODS.includes(member))
    return methods.map((method) => ({ method, path, pathItem, operation: asObject(pathItem[method]) }))
  })
}

/** The scopes that a requirement names, whatever it calls the scheme. */
export function scopesOf(requirement: unknown): string[] {
  return Object.values(asObject(requirement)).flat().map(String)
}

/** Whether it can be called without a value for anything. */
export function isPlain({ path, pathItem, operation }: Operation): boolean {
  const parameters = [pathItem['parameters'], operation['parameters']].flat().map(asObject)
  return !path.includes('{') && !parameters.some(({ required }) => required === true)
}

function securityScheme(api: Api): JsonObject {
  if (api.scheme === 'apiKey') {
    return {
      type: 'apiKey',
      in: 'header',
      name: 'X-Api-Key',
      description: 'The key of your application. It came by e-mail when the application was registered.',
    }
  }
  return {
    type: 'oauth2',
    description:
      'An access token, got with the key (client_id) and the secret (client_secret) of your application. They came by e-mail when it was registered.',
    flows: { clientCredentials: { tokenUrl: api.tokenEndpoint, scopes: api.scopes } },
  }
}

/** Each alternative, by our scheme's name. `{}` stays: nothing is needed. */
function securityOf(api: Api, security: unknown): JsonObject[] {
  return (security as unknown[]).map((requirement) => {
    if (Object.keys(asObject(requirement)).length === 0) return {}
    return { [api.scheme]: api.scheme === 'oauth2' ? scopesOf(requirement) : [] }
  })
}

export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
