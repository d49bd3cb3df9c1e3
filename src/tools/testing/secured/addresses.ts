import type { PlatformAuth } from '../../../index.js'
import { findApi } from '../credentials.js'

/** The paths below which an API is: that of its resource identifier, and that of its name where a proxy removes the path of `baseUrl`. */
export function listBases({ name, resource }: PlatformAuth['apis'][number]): readonly string[] {
  return [...new Set([`/${name}`, new URL(resource).pathname])]
}

/** The API below whose address a path is, and the rest of the path, such as `/items/:id`. */
export function findApiAddress(auth: Pick<PlatformAuth, 'apis'>, path: string) {
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
