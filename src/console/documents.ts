import { ConfigurationError, type Api } from '../index.js'
import { isObject } from '../lib/is-object.js'
import { asObject, type JsonObject } from '../openapi/document.js'
import { describeShortly, readDocument } from '../openapi/read-document.js'
import { findLostServerPaths } from '../openapi/servers.js'
import { findSecurityProblems, refuseProblems } from '../openapi/security.js'
import { completeDocument, type CompletionOptions } from './complete-document.js'

/** Reads the option `documents` and completes each document; throws `ConfigurationError` for one that cannot be shown. */
export function readDocuments(
  apis: readonly Api[],
  documents: unknown,
  options: CompletionOptions,
): ReadonlyMap<string, JsonObject> {
  const names = apis.map(({ name }) => name)
  if (!isObject(documents))
    throw new ConfigurationError({
      option: 'documents',
      problem: `is ${describeShortly(documents)}`,
      fix: `Write { ${names[0]}: './openapi.json' }.`,
    })
  const documentByApi = new Map<string, JsonObject>()
  for (const [name, given] of Object.entries(documents)) {
    const api = apis.find((each) => each.name === name)
    if (!api)
      throw new ConfigurationError({
        option: `documents.${name}`,
        problem: 'names no API',
        fix: `There are: ${names.join(', ')}.`,
      })
    if (given === undefined) continue
    const option = `documents.${name}`
    const document = readDocument(option, given)
    refuseProblems(option, [...findSecurityProblems(api, document), ...findLostServerPaths(api, document)])
    warnOfRepeatedPrefix(api, document)
    documentByApi.set(name, completeDocument(api, document, options))
  }
  return documentByApi
}

/** A warning only: `{baseUrl}/orders/orders` may exist. */
function warnOfRepeatedPrefix(api: Api, document: JsonObject): void {
  const paths = Object.keys(asObject(document['paths'])).filter((path) => path.startsWith('/'))
  const prefixes = [`/${api.name}`, new URL(api.resource).pathname]
  const repeated = prefixes.find(
    (prefix) => paths.length > 0 && paths.every((path) => `${path}/`.startsWith(`${prefix}/`)),
  )
  if (repeated === undefined) return
  process.emitWarning(
    `documents.${api.name} begins every path with "${repeated}", so the console calls ${api.resource}${paths[0]}. Remove "${repeated}" if that is wrong: paths are relative to ${api.resource}.`,
    'ExpressPlatformAuthWarning',
  )
}
