import type { PlatformAuth } from '../../index.js'

/** An API's part of the address space, and what is left of a path below it. */
export interface ApiAddress {
  readonly api: string
  /** `/items/:id`; empty for the API's own address. */
  readonly rest: string
}

/** The API to which a path belongs: below its resource identifier, or below its name where a proxy removes the path of `baseUrl`. */
export function findApiAddress(auth: Pick<PlatformAuth, 'apis'>, path: string): ApiAddress | undefined {
  const prefixes = auth.apis
    .flatMap(({ name, resource }) => [new URL(resource).pathname, `/${name}`].map((prefix) => ({ api: name, prefix })))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
  for (const { api, prefix } of prefixes) {
    if (`${path}/`.toLowerCase().startsWith(`${prefix}/`.toLowerCase())) return { api, rest: path.slice(prefix.length) }
  }
  return undefined
}
