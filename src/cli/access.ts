import type { ApiGrants } from '../index.js'

/** What `--api` asks for: `orders` with all its scopes, `'orders=orders:read orders:write'` with those; again for the next. */
export function accessFrom(apis: readonly string[]): ApiGrants {
  const access = new Map<string, { scopes?: readonly string[] }>()
  for (const api of apis) {
    const [, name = api, scopes] = /^([^=]+)=(.*)$/s.exec(api) ?? []
    const before = access.get(name)?.scopes ?? []
    // A scope has no space in it (RFC 6749 3.3), but may have a comma.
    access.set(name, scopes === undefined ? {} : { scopes: [...before, ...scopes.split(' ').filter(Boolean)] })
  }
  return Object.fromEntries(access)
}
