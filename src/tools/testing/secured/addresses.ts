import type { PlatformAuth } from '../../../index.js'
import { findApi } from '../credentials.js'

/** An API's part of the address space, and what is left of a path below it. */
export interface ApiAddress {
  readonly api: string
  /** `/items/:id`; empty for the API's own address. */
  readonly rest: string
}

/** The paths below which an API is: that of its resource identifier, and that of its name where a proxy removes the path of `baseUrl`. */
export function listBases({ name, resource }: PlatformAuth['apis'][number]): readonly string[] {
  return [...new Set([`/${name}`, new URL(resource).pathname])]
}

export function findApiAddress(auth: Pick<PlatformAuth, 'apis'>, path: string): ApiAddress | undefined {
  const prefixes = auth.apis
    .flatMap((api) => listBases(api).map((prefix) => ({ api: api.name, prefix })))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
  for (const { api, prefix } of prefixes) {
    if (`${path}/`.toLowerCase().startsWith(`${prefix}/`.toLowerCase())) return { api, rest: path.slice(prefix.length) }
  }
  return undefined
}

export function formatGuardCall(auth: PlatformAuth, api: string): string {
  return `auth.${findApi(auth, api).scheme === 'oauth2' ? 'requireBearer' : 'requireApiKey'}('${api}')`
}
