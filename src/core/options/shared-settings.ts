import type { Limit } from '../../shared/contracts/api.js'
import type { ApiSettings, CoreSettings } from './settings.js'

/** The settings that processes on one store must have alike, by their paths, in words. */
export function describeSharedSettings({ baseUrl, apis, tokens }: CoreSettings): Readonly<Record<string, string>> {
  const ofApis = [...apis.values()].flatMap((api) =>
    Object.entries(describeApi(api)).map(([name, value]) => [`apis.${api.name}.${name}`, value] as const),
  )
  return { baseUrl, 'tokens.signer': tokens.signer ? 'given' : 'none', ...Object.fromEntries(ofApis) }
}

/** What only one scheme has is left out for the other: of two schemes, only the scheme differs. */
function describeApi(api: ApiSettings): Readonly<Record<string, string>> {
  return {
    scheme: api.scheme,
    scopes: describeList(Object.keys(api.scopes).toSorted()),
    ...(api.scheme === 'oauth2'
      ? { accessTokenLifetime: `${api.accessTokenLifetime}` }
      : {
          header: describeList(api.keyHeaders.map((name) => name.toLowerCase())),
          defaultScopes: describeList(api.defaultScopes?.toSorted()),
        }),
    rateLimit: describeLimit(api.rateLimit),
    credentialMaxAge: `${api.credentialMaxAge ?? 'none'}`,
    registration: api.registration,
    registrationScopes: describeList(api.registrationScopes.toSorted()),
  }
}

function describeList(values: readonly string[] = []): string {
  return values.join(' ') || 'none'
}

function describeLimit(limit: Limit | false): string {
  return limit === false ? 'none' : `${limit.limit} in ${limit.window} seconds`
}
