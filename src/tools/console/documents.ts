import type { Api } from '../../index.js'
import { isObject } from '../../shared/lib/own-members.js'
import { listOperations, type JsonObject, asObject, listWrittenOperations } from '../../shared/openapi/document.js'
import { findRepeatedPrefix, takeBelow } from '../../shared/openapi/prefix.js'
import { describeShortly, readDocument, readSource } from '../../shared/openapi/read-document.js'
import { findSecurityProblems, refuseProblems, listScopesAt } from '../../shared/openapi/security.js'
import { listPathVariables } from '../../shared/samples/request.js'
import { listDescribedParameters } from './reference/operations.js'
import { wrongOption } from '../../shared/lib/option-checks.js'

/** Reads the option `documents` and completes each document; throws `ConfigurationError` for one that cannot be shown. */
export function readDocuments(
  apis: readonly Api[],
  documents: unknown,
  { hasEmails }: { readonly hasEmails: boolean },
): ReadonlyMap<string, JsonObject> {
  const names = apis.map(({ name }) => name)
  if (!isObject(documents))
    throw wrongOption('documents', `is ${describeShortly(documents)}`, `Write { ${names[0]}: './openapi.json' }.`)
  const documentByApi = new Map<string, JsonObject>()
  for (const [name, given] of Object.entries(documents)) {
    const api = apis.find((each) => each.name === name)
    if (!api) throw wrongOption(`documents.${name}`, 'names no API', `There are: ${names.join(', ')}.`)
    if (given === undefined) continue
    const option = `documents.${name}`
    const { document: source, prefix } = readSource(given)
    const document = takeBelow(`${option}.prefix`, readDocument(option, source), prefix)
    refuseProblems(option, findSecurityProblems(api, document))
    warnOfAddresses(api, document)
    documentByApi.set(name, completeDocument(api, document, hasEmails))
  }
  return documentByApi
}

/** These are warnings only: `{baseUrl}/orders/orders` may exist, and the app may serve the API below another path than before. */
function warnOfAddresses(api: Api, document: JsonObject): void {
  for (const [line, ...others] of [describeLostServerPaths(api, document), describeUnknownVariables(document)])
    if (line !== undefined)
      warn(`documents.${api.name} ${line}${others.length > 0 ? ` (There are ${others.length + 1} such places.)` : ''}`)
  const repeated = findRepeatedPrefix(api, document)
  if (!repeated?.isEveryPath) return
  const { prefix, path } = repeated
  warn(
    `documents.${api.name} begins every path with "${prefix}", so the console calls ${api.resource}${path}. Remove "${prefix}" if that is wrong: paths are relative to ${api.resource}.`,
  )
}

/** The console asks for it all the same, as text: nothing can be called without it. */
function describeUnknownVariables(document: JsonObject): string[] {
  return listOperations(document['paths']).flatMap((operation) => {
    const described = listDescribedParameters(document, operation).map(({ place, name }) => `${place} ${name}`)
    return listPathVariables(operation.path)
      .filter((name) => !described.includes(`path ${name}`))
      .map(
        (name) =>
          `has the variable "${name}" in ${operation.method} ${operation.path}, and no parameter describes it. Add { name: "${name}", in: "path", required: true } to its "parameters".`,
      )
  })
}

function warn(message: string): void {
  process.emitWarning(message, 'ExpressPlatformAuthWarning')
}

/**
 * The document with the facts that the platform knows: the API's address (`servers`), its security scheme with the token
 * endpoint, and the `security` of each operation under that scheme's name. An operation without its own `security` has
 * the document's, and a document without one requires all scopes of the API.
 */
function completeDocument(api: Api, document: JsonObject, hasEmails: boolean): JsonObject {
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

function createSecurityScheme(api: Api, hasEmails: boolean): JsonObject {
  const origin = hasEmails ? 'came by e-mail when it was registered' : 'came from the operator of this platform'
  if (api.scheme === 'apiKey')
    return {
      type: 'apiKey',
      in: 'header',
      name: api.keyHeaders[0],
      description: `The key of your application. It ${origin}.`,
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

/**
 * Sentences about servers of a document whose path calls lose, because the platform replaces servers by the API's address.
 * None if the address ends with the path, if another server of the same list has none, or if the paths repeat it.
 */
function describeLostServerPaths(api: Api, document: JsonObject): string[] {
  const places = [
    { where: '', members: document, paths: Object.keys(asObject(document['paths'])) },
    ...listWrittenOperations(document).flatMap(({ method, path, pathItem, operation }) => [
      { where: ` of ${path}`, members: pathItem, paths: [path] },
      { where: ` of ${method} ${path}`, members: operation, paths: [path] },
    ]),
  ]
  const lines = new Map<string, string>()
  for (const { where, members, paths: affected } of places) {
    const lost = findLostPath(api, members['servers'])
    const [first = '/items'] = affected
    if (lost === undefined || affected.every((path) => `${path}/`.startsWith(`${lost}/`))) continue
    lines.set(
      where,
      `has "servers"${where} with the path "${lost}", and the address of the API has not: the console calls ${api.resource}${first}. Write "${lost}${first}" instead of "${first}"${affected.length > 1 ? ', and so on' : ''}, if the app serves it there. Otherwise remove these "servers": the console fills them in.`,
    )
  }
  return [...lines.values()]
}

function findLostPath(api: Api, servers: unknown): string | undefined {
  if (!Array.isArray(servers)) return undefined
  const given = servers.filter(isObject).map(readServerPath)
  const address = new URL(api.resource).pathname
  if (given.some((path) => path === undefined || address.endsWith(path) || address.startsWith(`${path}/`)))
    return undefined
  return given[0]
}

function readServerPath(server: JsonObject): string | undefined {
  const variables = asObject(server['variables'])
  const text = typeof server['url'] === 'string' ? server['url'] : ''
  const url = text.replaceAll(/\{([^{}]*)\}/g, (_whole, name: string) => {
    const preset = asObject(variables[name])['default']
    return typeof preset === 'string' ? preset : ''
  })
  try {
    return new URL(url, 'https://relative.invalid/').pathname.replace(/\/+$/, '')
  } catch {
    return undefined
  }
}
