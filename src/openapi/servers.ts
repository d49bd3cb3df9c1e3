import type { Api } from '../contracts/api.js'
import { isObject } from '../lib/is-object.js'
import { asObject, listWrittenOperations, type JsonObject } from './document.js'
import type { DocumentProblem } from './security.js'

/**
 * Servers of a document whose path calls would lose: the platform replaces servers by the API's address. No problem if the
 * address ends with the path, or if another server of the same list has none.
 */
export function findLostServerPaths(api: Api, document: JsonObject): DocumentProblem[] {
  const places = [
    { where: '', members: document, paths: Object.keys(asObject(document['paths'])) },
    ...listWrittenOperations(document).flatMap(({ method, path, pathItem, operation }) => [
      { where: ` of ${path}`, members: pathItem, paths: [path] },
      { where: ` of ${method} ${path}`, members: operation, paths: [path] },
    ]),
  ]
  const problems = new Map<string, DocumentProblem>()
  for (const { where, members, paths: affected } of places) {
    const lost = findLostPath(api, members['servers'])
    const [first = '/items'] = affected
    if (lost === undefined || affected.every((path) => `${path}/`.startsWith(`${lost}/`))) continue
    problems.set(where, {
      problem: `has "servers"${where} with the path "${lost}", and the address of the API has not: ${api.resource}${first} would be called`,
      fix: `Write "${lost}${first}" instead of "${first}"${affected.length > 1 ? ', and so on' : ''}, if the app serves it there. Otherwise remove these "servers": the console fills them in.`,
    })
  }
  return [...problems.values()]
}

/** The path of the servers that is not the end of the API's address; undefined if nothing is lost. */
function findLostPath(api: Api, servers: unknown): string | undefined {
  if (!Array.isArray(servers)) return undefined
  const given = servers.filter(isObject).map(readServerPath)
  const address = new URL(api.resource).pathname
  if (given.some((path) => path === undefined || address.endsWith(path) || address.startsWith(`${path}/`)))
    return undefined
  return given[0]
}

/** The path without a slash at the end; undefined for a URL that cannot be read. */
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
