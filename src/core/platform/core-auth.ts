import type { IncomingMessage } from 'node:http'
import type { Applications } from '../applications/applications-api.js'
import type { Activate } from '../applications/records/status.js'
import type { CredentialSource } from '../../shared/contracts/credential-source.js'
import type { ChangeWaits } from '../store-client/change-feed.js'
import type { Audit } from '../applications/records/audit-log.js'
import type { WriteGuard } from '../applications/records/application-writer.js'
import type { Api, ApisOptions } from '../../shared/contracts/api.js'
import type { PlatformEvents } from '../../shared/contracts/events.js'
import type { MetadataInput, MetadataOutput, MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import type { Core, Diagnosis, FeatureCalls, FeatureEntry } from '../../feature.js'
import type { Middleware } from '../http/middleware.js'
import type { BrandOptions } from '../../shared/contracts/brand.js'
import type { Form } from '../http/form.js'
import type { ResourceServer } from '../authorization-server/resource-server-endpoints.js'
import type { GuardParts } from '../resource-server/guards.js'
import type { GuardsApi } from '../resource-server/guards-api.js'
import type { Health, ReadyOptions } from '../store-client/readiness.js'
import type { SessionSecretCalls } from '../store-client/session-secret.js'
import type { RotateOnce, SigningKeyRotation } from '../tokens/key-rotation.js'

/** Guards, and the life of the process: what a platform has in common with the guards of `createRemoteAuth()`, which have no store. */
// oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any of them can't know its APIs' names and its schema
export interface GuardAuth<Apis extends ApisOptions = any, Schema extends MetadataSchema = any> extends GuardsApi<
  Apis,
  Schema
> {
  /** The APIs, in the order of the option `apis`. */
  readonly apis: readonly Api[]
  /** Events; they never hold a secret, a key or a token. A listener that throws affects no request. */
  readonly events: PlatformEvents
  /**
   * Resolves when the store is migrated and has a signing key. Rejects with `ConfigurationError` for what no retry can correct (a
   * wrong secret, a newer schema, a missing driver, a mistake in the store's code), and for what waiting alone does not cure: a
   * missing right, folder, database or password. Its `fix` names the path, or the GRANT; the platform goes on trying, so a later call may
   * resolve. An unavailable store is retried, unless `retry` is false; the process stays alive meanwhile. Until then, requests wait up to 5 seconds and then get 503.
   */
  ready(options?: ReadyOptions): Promise<void>
  /** Tells whether the data is fresh enough to answer (`maxStaleness`), and what is wrong; in about half a second. */
  health(): Promise<Health>
  /**
   * Stores what was collected (usage, quotas, when credentials were last used) and sends the e-mails that are due, also with
   * `background: false`: for a process that is frozen between requests, before it is. Never rejects, and resolves within about 5
   * seconds: what is not done by then is logged, and left to the next call. Does nothing before the start, or after `close()`.
   */
  flush(): Promise<void>
  /** Waits for e-mails that are being sent, stores usage and when credentials were last used, and closes the store. */
  close(): Promise<void>
}

/** The core of a platform; the guards are in `GuardAuth`. No method needs `this`, so it can be destructured. */
// oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its APIs' names and its schema
export interface CoreAuth<Apis extends ApisOptions = any, Schema extends MetadataSchema = any> extends GuardAuth<
  Apis,
  Schema
> {
  readonly brand: BrandOptions | undefined
  /** Token, revocation and introspection endpoints, metadata and key set. Mount it at the path of `baseUrl`, before the guarded routes. */
  readonly router: Middleware
  /** The metadata documents at the root of the origin (RFC 8414 3), for a `baseUrl` with a path: `app.use(auth.wellKnownRouter)`. */
  readonly wellKnownRouter: Middleware
  /**
   * `POST /` with `client_id` and `client_secret` as a form: `{ "suspended": true }` for the right secret of a suspended application,
   * otherwise `{ "suspended": false }`. The console serves it at `/suspended`, and asks it when a reader's credentials are refused.
   */
  readonly suspensionRouter: Middleware
  readonly applications: Applications<keyof Apis & string, MetadataInput<Schema>, MetadataOutput<Schema>>
  readonly signingKeys: SigningKeyRotation
  /** The secret behind sessions of the portal, sign-in links and the links in operators' e-mails. */
  readonly sessionSecret: SessionSecretCalls
  readonly audit: Audit
}

/** The result of `createPlatformAuth()`: the core, and one member for each feature, named as the feature. */
export type PlatformAuth<
  // oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its APIs' names
  Apis extends ApisOptions = any,
  // oxlint-disable-next-line typescript/no-explicit-any -- nor its schema
  Schema extends MetadataSchema = any,
  Features extends readonly FeatureEntry[] = readonly [],
> = CoreAuth<Apis, Schema> & FeatureCalls<Features, Apis, Schema>

/** What tools get of a platform: `auth[PLATFORM_PARTS]`. */
export interface PlatformParts {
  readonly guards: GuardParts
  readonly core: Core
  /** Those that processes on one store must have alike, by their paths. */
  readonly sharedSettings: Readonly<Record<string, string>>
  diagnose(): Promise<readonly Diagnosis[]>
  /** For processes without a database, whose guards know applications through this one. */
  readonly source: CredentialSource
  readonly activate: Activate
  readonly nextChange: ChangeWaits['next']
  /**
   * Authenticates a resource server, by HTTP Basic or the form. Rejects with `OAuthError`: 401 `invalid_client` also for an application that
   * is none, 429, 503. The caller bounds the time that it takes.
   */
  readonly authenticateResourceServer: (req: IncomingMessage, form: Form) => Promise<ResourceServer>
  /** The calls of core and features that change applications, by the member of `auth` that they are of. */
  readonly createGuardedCalls: (guard: WriteGuard) => Readonly<Record<string, object>>
  /** `auth.signingKeys.rotate()` of a request that has its effect once: rejects as `check` does, before anything is made. */
  readonly rotateSigningKey: RotateOnce
}
