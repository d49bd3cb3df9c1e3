import {
  createPlatformAuth,
  memoryStore,
  type ApisOptions,
  type Logger,
  type MetadataSchema,
  type PlatformAuth,
  type PlatformAuthOptions,
  type StandardSchema,
} from '../index.js'
import { createAdvancingClock, type FakeClock } from './clock.js'
import { memoryMailer, type MemoryMailer } from './mailer.js'

/** The type of an application's metadata without the option `applicationMetadata`: any JSON object. */
type AnyMetadata = StandardSchema<object, Record<string, unknown>>

/** A platform for tests. */
export interface TestPlatform<Apis extends ApisOptions, Schema extends MetadataSchema> {
  readonly auth: PlatformAuth<Apis, Schema>
  /** A clock that goes on with `Date.now()`, so that fake timers rule it too; `advance(seconds)` puts it ahead. */
  readonly clock: FakeClock
  /** Receives every e-mail of the platform, unless the options give another mailer. */
  readonly mailer: MemoryMailer
}

/** `apis`, and every other option of `createPlatformAuth()` that a test needs. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in PlatformAuthOptions
export type TestPlatformOptions<Apis extends ApisOptions, Schema extends MetadataSchema = any> = Partial<
  PlatformAuthOptions<Apis, Schema>
> &
  Pick<PlatformAuthOptions<Apis, Schema>, 'apis'>

/**
 * A platform for tests: in memory, quiet except for errors, without rate limits, with a clock that can be advanced and a
 * mailer that sends nothing. With `rateLimits` it has these, and those of the APIs. Pass the `apis` of your own platform.
 *
 * @example
 * ```ts
 * import { createTestPlatform } from 'express-platform-auth/testing'
 *
 * const { auth, clock, mailer } = createTestPlatform({ apis: { orders: { scheme: 'oauth2' } } })
 * clock.advance(3600)
 * ```
 */
export function createTestPlatform<const Apis extends ApisOptions, Schema extends MetadataSchema = AnyMetadata>(
  options: TestPlatformOptions<Apis, Schema>,
): TestPlatform<Apis, Schema> {
  const clock = createAdvancingClock()
  const mailer = memoryMailer()
  const auth = createPlatformAuth<Apis, Schema>({
    baseUrl: 'http://localhost',
    store: memoryStore(),
    mailer,
    logger: ERRORS_ONLY,
    now: clock.now,
    rateLimits: { requests: false, tokenRequests: false, failedAuthentication: false, registration: false },
    ...options,
    apis: options.rateLimits === undefined ? withoutLimits(options.apis) : options.apis,
  })
  return { auth, clock, mailer }
}

const ERRORS_ONLY: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error(...details: unknown[]) {
    // oxlint-disable-next-line eslint/no-console -- where the platform logs unless told otherwise
    console.error(...details)
  },
}

function withoutLimits<Apis extends ApisOptions>(apis: Apis): Apis {
  const unlimited = Object.entries(apis).map(([name, api]) => [name, { ...api, rateLimit: false }])
  return Object.fromEntries(unlimited) as Apis
}
