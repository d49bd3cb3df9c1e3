import type { ApiObserver } from '../../shared/contracts/api-observer.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { Offers } from '../../shared/contracts/offers.js'
import type { Core, Diagnosis, FeaturePart } from '../../feature.js'
import type { Settings } from '../options/read-platform-options.js'
import type { ApiSettings, CoreSettings } from '../options/settings.js'
import type { ApplicationWriter } from '../applications/records/application-writer.js'
import type { ApplicationParts, FeatureHooks } from './application-parts.js'
import type { Foundation } from './foundation.js'

export type CreatedFeatures = ReturnType<typeof createFeatures>

export function createFeatures(foundation: Foundation, applicationParts: ApplicationParts, hooks: FeatureHooks) {
  const { settings } = foundation
  const parts = new Map<string, FeaturePart>()
  const core = createCore(foundation, applicationParts, hooks, parts)
  for (const { name, create } of settings.features) parts.set(name, ownMembers(create(core)))
  const inOrder = [...parts.values()]
  const started = new Set<FeaturePart>()
  return {
    core,
    calls: Object.fromEntries([...parts].map(([name, { calls }]) => [name, calls])),
    createCalls: (writer: ApplicationWriter): Record<string, object> =>
      Object.fromEntries(
        [...parts].flatMap(([name, { createCalls }]) => (createCalls ? [[name, createCalls(writer)]] : [])),
      ),
    plans: findOnly(inOrder, 'planLimits', 'one limits requests by plans'),
    importedCredentials: findOnly(inOrder, 'importedCredentials', 'one recognizes imported credentials'),
    wakeSender: findOnly(inOrder, 'wakeSender', 'one sends e-mails'),
    problems: () => inOrder.map((part) => part.problem?.()),
    sharedSettings: Object.assign(
      {},
      describeSharedSettings(settings),
      ...inOrder.map((part) => part.settings),
    ) as Readonly<Record<string, string>>,
    observers: new Map([...settings.apis].map(([name]) => [name, observe(inOrder, name)])),
    async diagnose(): Promise<readonly Diagnosis[]> {
      return (await Promise.all(inOrder.map(async (part) => part.diagnose?.() ?? []))).flat()
    },
    start(): void {
      // The start is tried again when one of them throws; those that have started are not started again.
      for (const part of inOrder.filter((each) => !started.has(each))) {
        part.start?.()
        started.add(part)
      }
    },
    stop: () => callAll(inOrder.toReversed(), 'stop'),
    /** In the reverse order, but e-mails last: the others queue some while they flush. */
    flush: () => callAll(inOrder.toSorted((a, b) => sends(b) - sends(a)).toReversed(), 'flush'),
  }
}

function sends({ wakeSender }: FeaturePart): number {
  return Number(wakeSender !== undefined)
}

/** One after another. An error keeps none of them from being called. */
async function callAll(parts: readonly FeaturePart[], name: 'stop' | 'flush'): Promise<void> {
  const errors: unknown[] = []
  for (const part of parts) {
    try {
      await part[name]?.()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

function findOnly<Name extends 'planLimits' | 'importedCredentials' | 'wakeSender'>(
  parts: readonly FeaturePart[],
  name: Name,
  what: string,
): FeaturePart[Name] | undefined {
  const [only, another] = parts.filter((part) => part[name] !== undefined)
  if (!another) return only?.[name]
  const fix = `Give one of them: ${what}.`
  throw new ConfigurationError({ option: 'features', problem: 'has two features that do the same', fix })
}

function createCore(
  foundation: Foundation,
  { writer, lastUsed, calls }: ApplicationParts,
  hooks: FeatureHooks,
  parts: ReadonlyMap<string, FeaturePart>,
): Core {
  const { settings, credentials, sessionSecret, clientLimits } = foundation
  return {
    settings,
    store: foundation.store,
    limitLookups: clientLimits.limitLookups,
    limitChanges: clientLimits.limitChanges,
    opened: foundation.opened,
    available: foundation.available,
    rateLimits: foundation.rateLimits,
    limitFailures: foundation.limitFailures,
    paceStarts: foundation.paceStarts,
    emit: foundation.emit,
    logRefusal: foundation.logRefusal,
    logger: foundation.logger,
    now: foundation.now,
    writer,
    createGuardedCalls: calls.createGuardedCalls,
    credentials: credentials.get,
    deriveKey: sessionSecret.deriveKey,
    wakeSender: () => hooks.wakeSender?.(),
    lastUsed,
    pageUrl: (page) => findPage(settings, page),
    find: <Name extends keyof Offers>(name: Name) => parts.get(name)?.offers as Offers[Name] | undefined,
  }
}

function findPage({ developersUrl, features }: Settings, page: string): string | undefined {
  const path = features.find(({ pages }) => Object.hasOwn(pages, page))?.pages[page]
  return developersUrl === undefined || path === undefined ? undefined : developersUrl + path
}

/** The observers of an API, joined: a request calls one function, or none. */
function observe(parts: readonly FeaturePart[], name: string): ApiObserver {
  const observers = parts.flatMap((part) => part.observe?.({ name }) ?? []).map(ownMembers)
  return {
    allowed: join(observers.flatMap(({ allowed }) => allowed ?? [])),
    noted: join(observers.flatMap(({ noted }) => noted ?? [])),
    tokenIssued: join(observers.flatMap(({ tokenIssued }) => tokenIssued ?? [])),
    refused: join(observers.flatMap(({ refused }) => refused ?? [])),
    reported: join(observers.flatMap(({ reported }) => reported ?? [])),
  }
}

/** Has four parameters and no list of them, because a guard calls it for every request. */
function join<Observe extends (...four: [never, never, never, never]) => void>(functions: readonly Observe[]) {
  if (functions.length === 0) return undefined
  return functions.reduce((earlier, next) => {
    const both = (first: never, second: never, third: never, fourth: never): void => {
      earlier(first, second, third, fourth)
      next(first, second, third, fourth)
    }
    return both as Observe
  })
}

/** The settings that processes on one store must have alike, by their paths, in words. */
function describeSharedSettings({ baseUrl, apis, tokens }: CoreSettings): Readonly<Record<string, string>> {
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
    rateLimit: api.rateLimit ? `${api.rateLimit.limit} in ${api.rateLimit.window} seconds` : 'none',
    credentialMaxAge: `${api.credentialMaxAge ?? 'none'}`,
    registration: api.registration,
    registrationScopes: describeList(api.registrationScopes.toSorted()),
  }
}

function describeList(values: readonly string[] = []): string {
  return values.join(' ') || 'none'
}
