import type { Credentials } from './core/applications/credentials/credentials.js'
import type { LastUsed } from './core/applications/credentials/last-used.js'
import type { ApplicationWriter } from './core/applications/records/application-writer.js'
import type { CoreCalls } from './core/applications/late-calls.js'
import type { ApiObserver } from './shared/contracts/api-observer.js'
import type { ConfigurationProblem } from './shared/contracts/errors.js'
import type { Emit } from './shared/contracts/events.js'
import type { ImportedCredentials } from './shared/contracts/imports.js'
import type { Logger } from './shared/contracts/logger.js'
import type { MetadataSchema } from './shared/contracts/metadata-schema.js'
import type { Offers } from './shared/contracts/offers.js'
import type { StorePart, StoreWith } from './shared/contracts/store.js'
import type { PaceStarts } from './core/http/endpoints.js'
import type { LogRefusal } from './core/http/refusal-log.js'
import type { MaybePromise } from './shared/lib/maybe-promise.js'
import type { CoreSettings } from './core/options/settings.js'
import type { RateLimits, PlanLimits, RateLimit } from './core/rate-limits/rate-limits.js'
import type { ClientLimits } from './core/store-client/client-limits.js'

/**
 * An entry of the option `features`: a description without state, so that one value can be given to several platforms. It is
 * recognized by its shape, because `import` and `require()` load two copies of the package.
 */
export interface Feature<Name extends string = string> {
  /** The name of its member of `auth`, and of its subpath. */
  readonly name: Name
  /** Features that must be given too, and those that it uses if they are given. They are created before it, in whatever order they are listed. */
  readonly needs?: readonly string[]
  readonly mayUse?: readonly string[]
  /** Options that are given and need another feature, by their paths: `{ 'plans.notify': 'emails' }`. */
  readonly optionNeeds?: Readonly<Record<string, string>>
  /** The parts of the store that it needs. */
  readonly storeParts?: readonly StorePart[]
  /** The pages that it serves, by name, with their paths below `developersUrl`: `{ portal: '/applications' }`. */
  readonly pages?: Readonly<Record<string, string>>
  /**
   * Validates its options, which the factory has only kept, and returns the function that creates its part of one platform, where
   * nothing is open yet. Throws `ConfigurationError`. `checkOptions()` calls it too, and creates nothing.
   */
  prepare(settings: CoreSettings, warn: (warning: ConfigurationProblem) => unknown): (core: Core) => FeaturePart
  /** For the compiler only: the type of `auth.NAME`, which may use the platform's, `this['apis']` and `this['schema']`. */
  readonly calls?: object
  readonly apis?: unknown
  readonly schema?: MetadataSchema
}

/** What a platform gets of a feature. */
export interface FeaturePart {
  /** `auth.NAME`. */
  readonly calls: object
  /** The calls that change an application, made of another writer: for callers who may change it only as it was read. */
  createCalls?(writer: ApplicationWriter): object
  /** What other features may use beyond the calls: `Core.find()`. */
  readonly offers?: object
  /** Called once for each API when the platform is created. */
  observe?(api: { readonly name: string }): ApiObserver
  /**
   * May refuse a request, after scopes and limits of the API and before `allow`. One feature at most; with none, a platform does not start on a store in which applications have plans.
   */
  readonly planLimits?: PlanLimits
  /** Recognizes credentials that another system issued. One feature at most. */
  readonly importedCredentials?: ImportedCredentials
  /** Called when an e-mail has become due. One feature at most; with none, calls that send e-mails are refused. */
  readonly wakeSender?: () => void
  /** Its settings that processes on one store must have alike, by their paths, in words: `health()` names those that differ. */
  readonly settings?: Readonly<Record<string, string>>
  /** For `health()`: undefined if nothing is wrong. */
  problem?(): string | undefined
  /** For the doctor: may ask services, and changes nothing. */
  diagnose?(): Promise<readonly Diagnosis[]>
  /** Starts timers and workers, once the platform has started. Not called with `background: false`. */
  start?(): void
  /** Stops them and stores what was collected, before the store is closed. Called in the reverse order. */
  stop?(): MaybePromise<void>
  /** Stores what was collected and sends what is due, also if `start()` was not called. Called in the reverse order, but last for the one that sends e-mails. */
  flush?(): MaybePromise<void>
}

/** A finding of the doctor. */
export interface Diagnosis extends ConfigurationProblem {
  /** Whether it says something that is worth knowing, and is no problem. */
  readonly isNote?: boolean
}

/** What features get of the core. */
export interface Core extends Pick<ClientLimits, 'limitLookups' | 'limitChanges'> {
  readonly settings: CoreSettings
  /** With time-outs; the parts that the feature states are there. */
  readonly store: StoreWith
  readonly writer: ApplicationWriter
  /** The calls of `auth.applications` on one application, which reject with what `check` throws for the record that they would change. */
  readonly createGuardedCalls: CoreCalls['createGuardedCalls']
  /** Resolves once the store is open; for calls. */
  opened(): Promise<Credentials>
  /** For requests: usually synchronous, and rejects where the answer is 503. */
  available(): MaybePromise<void>
  /** Throws before the platform has started. */
  credentials(): Credentials
  /** Derives a key from the session secret. */
  deriveKey(label: string): Uint8Array
  /** Sends e-mails that have become due; no effect without the feature that sends them. */
  wakeSender(): void
  readonly lastUsed: Pick<LastUsed, 'flush'>
  readonly rateLimits: Pick<RateLimits, 'create' | 'defineScript'>
  readonly limitFailures: RateLimit | undefined
  readonly paceStarts: PaceStarts
  readonly emit: Emit
  readonly logRefusal: LogRefusal
  readonly logger: Logger
  readonly now: () => number
  /** The absolute address of a page that one of the given features serves; undefined if none does, or without `developersUrl`. */
  pageUrl(page: string): string | undefined
  /** What a feature offers; undefined if it is not given. One that is not named in `needs` or `mayUse` may not be created yet. */
  find<Name extends keyof Offers>(name: Name): Offers[Name] | undefined
}

/** An entry of the option `features`; `false`, `undefined` and `''` are left out, so that a feature can depend on a setting. */
export type FeatureEntry = Feature | false | undefined | ''

type Given<Entry> = Exclude<Entry, false | undefined | ''>
type NameOf<Entry> = Given<Entry> extends Feature<infer Name> ? (string extends Name ? never : Name) : never
type CallsOf<Entry, Apis, Schema> =
  Given<Entry> extends Feature
    ? NonNullable<(Given<Entry> & { readonly apis: Apis; readonly schema: Schema })['calls']>
    : never
/** The names that one list has in any case: none if its length is not known. */
type CertainOf<Features extends readonly unknown[]> = number extends Features['length']
  ? never
  : { [Index in keyof Features]: Features[Index] extends Feature ? NameOf<Features[Index]> : never }[number]
/** The names that depend on a setting, as an entry or as the choice of one of several lists. */
type Possible<Features extends readonly unknown[], All = NameOf<Features[number]>> = Features extends unknown
  ? Exclude<All, CertainOf<Features>>
  : never
type Certain<Features extends readonly unknown[]> = Exclude<NameOf<Features[number]>, Possible<Features>>
type EntryOf<Features extends readonly unknown[], Name> = Extract<Given<Features[number]>, { readonly name: Name }>

/** One member of `auth` for each feature, named as the feature. */
export type FeatureCalls<Features extends readonly unknown[], Apis, Schema> = {
  readonly [Name in Certain<Features>]: CallsOf<EntryOf<Features, Name>, Apis, Schema>
} & { readonly [Name in Possible<Features>]?: CallsOf<EntryOf<Features, Name>, Apis, Schema> }
