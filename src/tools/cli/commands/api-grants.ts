import type { ApiGrants } from '../../../index.js'

/** The grants of `--api`: `orders` is all scopes, `orders=orders:read orders:write` is these; scopes of a repeated API add up. */
export function parseApiGrants(apis: readonly string[]): ApiGrants {
  const grants = new Map<string, { scopes?: readonly string[] }>()
  for (const api of apis) {
    const [, name = api, scopes] = /^([^=]+)=(.*)$/s.exec(api) ?? []
    const before = grants.get(name)?.scopes ?? []
    // A scope contains no space, but may contain a comma (RFC 6749 3.3).
    grants.set(name, scopes === undefined ? {} : { scopes: [...before, ...scopes.split(' ').filter(Boolean)] })
  }
  return Object.fromEntries(grants)
}
