import { ConfigurationError } from '../../shared/contracts/errors.js'
import { readBoolean, readList, readObject, readText, type Members } from './read-answer.js'
import { didYouMean } from '../../shared/lib/suggest.js'
import type { Api } from '../../index.js'
import type { RemoteSettings } from './read-remote-options.js'

/** What of an API decides how guards judge, and so must be alike on both sides. */
export function describeApi({ scheme, scopes, defaultScopes, keyHeaders }: Api): Members {
  return { scheme, scopes: Object.keys(scopes).toSorted(), defaultScopes: defaultScopes ?? [], header: keyHeaders }
}

export function checkPlatformSettings(answer: Members, { baseUrl, apis }: Pick<RemoteSettings, 'baseUrl' | 'apis'>) {
  const theirs = readText(answer['baseUrl'])
  if (theirs !== baseUrl)
    throw new ConfigurationError({
      option: 'platform',
      problem: `is "${baseUrl}", and the platform's baseUrl is "${theirs}"`,
      fix: 'Write it as the option baseUrl of createPlatformAuth(); where it is reached is the option address.',
    })
  const known = readObject(answer['apis'])
  const names = Object.keys(known)
  for (const api of apis.values()) {
    if (!names.includes(api.name)) {
      const all = [...names, api.name].map((name) => `'${name}'`).join(', ')
      const advice = `At the platform: auth.applications.update(id, { resourceServer: [${all}] }). Or remove it here.`
      throw new ConfigurationError({
        option: `apis.${api.name}`,
        problem: 'is an API that this resource server does not serve',
        fix: `${didYouMean(api.name, names)} ${advice}`.trimStart(),
      })
    }
    compare(api, readObject(known[api.name]))
  }
  return { acceptsImported: readBoolean(answer['acceptsImported']) }
}

function compare(api: Api, theirs: Members): void {
  for (const [member, here] of Object.entries(describeApi(api))) {
    const given = theirs[member]
    const there = typeof given === 'string' ? given : readList(given, readText)
    // One that is added at the platform first is none of this service yet.
    const isKnown =
      member === 'scopes' && (here as readonly string[]).every((scope) => (there as readonly string[]).includes(scope))
    if (isKnown || JSON.stringify(here) === JSON.stringify(there)) continue
    throw new ConfigurationError({
      option: `apis.${api.name}.${member}`,
      problem: `is ${JSON.stringify(here)}, and ${JSON.stringify(there)} at the platform`,
      fix: 'Guards would judge differently: give both the same APIs.',
    })
  }
}
