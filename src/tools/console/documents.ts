import { ConfigurationError, type Api } from '../../index.js'
import { isObject } from '../../shared/lib/is-object.js'
import { listOperations, type JsonObject } from '../../shared/openapi/document.js'
import { findRepeatedPrefix, takeBelow } from '../../shared/openapi/prefix.js'
import { describeShortly, readDocument, readSource } from '../../shared/openapi/read-document.js'
import { describeLostServerPaths } from '../../shared/openapi/servers.js'
import { findSecurityProblems, refuseProblems } from '../../shared/openapi/security.js'
import { listPathVariables } from '../../shared/samples/request.js'
import { listDescribedParameters } from './reference/parameters.js'
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
    const { document: source, prefix } = readSource(given)
    const document = takeBelow(`${option}.prefix`, readDocument(option, source), prefix)
    refuseProblems(option, findSecurityProblems(api, document))
    warnOfAddresses(api, document)
    documentByApi.set(name, completeDocument(api, document, options))
  }
  return documentByApi
}

/** These are warnings only: `{baseUrl}/orders/orders` may exist, and the app may serve the API below another path than before. */
function warnOfAddresses(api: Api, document: JsonObject): void {
  const lost = describeLostServerPaths(api, document)
  if (lost !== undefined) warn(`documents.${api.name} ${lost}`)
  const unknown = findUndescribedVariable(document)
  if (unknown !== undefined) warn(`documents.${api.name} ${unknown}`)
  const repeated = findRepeatedPrefix(api, document)
  if (!repeated?.isEveryPath) return
  const { prefix, path } = repeated
  warn(
    `documents.${api.name} begins every path with "${prefix}", so the console calls ${api.resource}${path}. Remove "${prefix}" if that is wrong: paths are relative to ${api.resource}.`,
  )
}

/** The console asks for it all the same, as text: nothing can be called without it. */
function findUndescribedVariable(document: JsonObject): string | undefined {
  const lines = listOperations(document['paths']).flatMap((operation) => {
    const described = listDescribedParameters(document, operation).map(({ place, name }) => `${place} ${name}`)
    return listPathVariables(operation.path)
      .filter((name) => !described.includes(`path ${name}`))
      .map(
        (name) =>
          `has the variable "${name}" in ${operation.method} ${operation.path}, and no parameter describes it. Add { name: "${name}", in: "path", required: true } to its "parameters".`,
      )
  })
  return lines.length > 1 ? `${lines[0]} (There are ${lines.length} such places.)` : lines[0]
}

function warn(message: string): void {
  process.emitWarning(message, 'ExpressPlatformAuthWarning')
}
