import {
  createPlatformAuth,
  memoryStore,
  type AnyMetadata,
  type ApisOptions,
  type FeatureEntry,
  type MetadataSchema,
  type PlatformAuth,
  type PlatformAuthOptions,
} from '../../index.js'
import { wrongOption } from '../../shared/lib/option-checks.js'
import { isObject } from '../../shared/lib/own-members.js'
import { createAdvancingClock, type FakeClock } from './clock.js'

/** A platform for tests. */
export interface TestPlatform<
  Apis extends ApisOptions,
  Schema extends MetadataSchema,
  Features extends readonly FeatureEntry[] = readonly [],
> {
  readonly auth: PlatformAuth<Apis, Schema, Features>
  /** A clock that goes on with `Date.now()`, so that fake timers rule it too; `advance(seconds)` puts it ahead. */
  readonly clock: FakeClock
}

/** `apis`, and every other option of `createPlatformAuth()` that a test needs. */
export type TestPlatformOptions<
  Apis extends ApisOptions,
  // oxlint-disable-next-line typescript/no-explicit-any -- as in PlatformAuthOptions
  Schema extends MetadataSchema = any,
  Features extends readonly FeatureEntry[] = readonly FeatureEntry[],
> = Partial<PlatformAuthOptions<Apis, Schema, Features>> & Pick<PlatformAuthOptions<Apis, Schema, Features>, 'apis'>

/**
 * A platform for tests: in memory, quiet except for errors, without rate limits, and with a clock that can be advanced. With
 * `rateLimits` it has these, and those of the APIs; features have their own limits. Pass the `apis` of your own platform, and the
 * features that the test needs: `emails()` with a `memoryMailer()`.
 *
 * @example
 * ```ts
 * import { emails } from 'express-platform-auth/emails'
 * import { createTestPlatform, memoryMailer } from 'express-platform-auth/testing'
 *
 * const mailer = memoryMailer()
 * const { auth, clock } = createTestPlatform({ apis: { orders: { scheme: 'oauth2' } }, features: [emails({ mailer })] })
 * clock.advance(3600)
 * ```
 */
export function createTestPlatform<
  const Apis extends ApisOptions,
  Schema extends MetadataSchema = AnyMetadata,
  const Features extends readonly FeatureEntry[] = readonly [],
>(options: TestPlatformOptions<Apis, Schema, Features>): TestPlatform<Apis, Schema, Features> {
  const clock = createAdvancingClock()
  if (!isObject(options) || !isObject(options.apis))
    throw wrongOption('apis', 'is missing', 'Write createTestPlatform({ apis }) with the APIs of your platform.')
  const unlimited = Object.entries(options.apis).map(([name, api]) => [name, { ...api, rateLimit: false }])
  const auth = createPlatformAuth<Apis, Schema, Features>({
    baseUrl: 'http://localhost',
    store: memoryStore(),
    logger: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error(...details: unknown[]) {
        // oxlint-disable-next-line eslint/no-console -- where the platform logs unless told otherwise
        console.error(...details)
      },
    },
    now: clock.now,
    rateLimits: { requests: false, tokenRequests: false, failedAuthentication: false },
    ...options,
    apis: options.rateLimits === undefined ? (Object.fromEntries(unlimited) as Apis) : options.apis,
  })
  return { auth, clock }
}
