import type { Api } from '../contracts/api.js'
import { isObject } from '../lib/is-object.js'
import { asObject, listWrittenOperations, type JsonObject } from './document.js'

/**
 * A sentence about servers of a document whose path calls lose, because the platform replaces servers by the API's address.
 * Undefined if the address ends with the path, if another server of the same list has none, or if the paths repeat it.
 */
export function describeLostServerPaths(api: Api, document: JsonObject): string | undefined {
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
  const [line] = lines.values()
  return lines.size > 1 ? `${line} (There are ${lines.size} such places.)` : line
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
