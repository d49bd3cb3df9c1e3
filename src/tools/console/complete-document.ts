import type { Api } from '../../index.js'
import { asObject, listWrittenOperations, type JsonObject, type Operation } from '../../shared/openapi/document.js'
import { listScopesAt } from '../../shared/openapi/security.js'

export interface CompletionOptions {
  /** Whether credentials are sent by e-mail. */
  readonly hasEmails: boolean
}

/**
 * The document with the facts that the platform knows: the API's address (`servers`), its security scheme with the token
 * endpoint, and the `security` of each operation under that scheme's name. An operation without its own `security` has
 * the document's, and a document without one requires all scopes of the API.
 */
export function completeDocument(api: Api, document: JsonObject, { hasEmails }: CompletionOptions): JsonObject {
  const components = asObject(document['components'])
  for (const { pathItem, operation } of listWrittenOperations(document)) {
    delete pathItem['servers']
    delete operation['servers']
    if ('security' in operation) operation['security'] = renameSchemes(api, operation['security'])
  }
  const allScopes = [{ [api.scheme]: Object.keys(api.scopes) }]
  return {
    ...document,
    servers: [{ url: api.resource }],
    security: 'security' in document ? renameSchemes(api, document['security']) : allScopes,
    components: { ...components, securitySchemes: { [api.scheme]: createSecurityScheme(api, hasEmails) } },
  }
}

/** Whether an operation can be called without any parameter. */
export function needsNoValues({ path, pathItem, operation }: Operation): boolean {
  const parameters = [pathItem['parameters'], operation['parameters']].flat().map(asObject)
  return !path.includes('{') && !parameters.some(({ required }) => required === true)
}

function createSecurityScheme(api: Api, hasEmails: boolean): JsonObject {
  const origin = hasEmails ? 'came by e-mail when it was registered' : 'came from the operator of this platform'
  if (api.scheme === 'apiKey') {
    return {
      type: 'apiKey',
      in: 'header',
      name: api.keyHeaders[0],
      description: `The key of your application. It ${origin}.`,
    }
  }
  return {
    type: 'oauth2',
    description: `An access token, requested with the key (client_id) and the secret (client_secret) of your application. Both ${origin}. The id of the application may be the client_id instead of the key.`,
    flows: { clientCredentials: { tokenUrl: api.tokenEndpoint, scopes: api.scopes } },
  }
}

/** Puts each alternative under the name of the platform's scheme. `{}` stays: it means that no credential is needed. */
function renameSchemes(api: Api, security: unknown): JsonObject[] {
  return (security as unknown[]).map((requirement) => {
    if (Object.keys(asObject(requirement)).length === 0) return {}
    return { [api.scheme]: listScopesAt(api, requirement) }
  })
}
