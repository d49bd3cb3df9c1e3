import type {
  ApisOptions,
  BackgroundOptions,
  FeatureEntry,
  Limit,
  MetadataSchema,
  PlatformAuth,
  PlatformAuthOptions,
  TokensOptions,
} from '../../src/index.js'
import type { StoreWith } from '../../src/store.js'
import { emails, type EmailsFeature, type EmailsOptions } from '../../src/features/emails/index.js'
import { imports, type ImportsFeature, type ImportsOptions } from '../../src/features/imports/index.js'
import { portal, type PortalFeature, type PortalOptions } from '../../src/features/portal/index.js'
import {
  registration,
  type RegistrationFeature,
  type RegistrationLimits,
  type RegistrationOptions,
} from '../../src/features/registration/index.js'
import type { PlansFeature } from '../../src/features/plans/index.js'
import { usage, type UsageFeature, type UsageOptions } from '../../src/features/usage/index.js'

/** The features of a platform of tests, for the compiler: `translate()` gives those that its options name. */
export type EveryFeature = readonly [
  UsageFeature,
  PlansFeature,
  EmailsFeature,
  RegistrationFeature,
  PortalFeature,
  ImportsFeature,
]

/** A platform whose features a test knows. */
// oxlint-disable-next-line typescript/no-explicit-any -- any platform
export type FullPlatform<Apis extends ApisOptions = any, Schema extends MetadataSchema = any> = PlatformAuth<
  Apis,
  Schema,
  EveryFeature
>

/**
 * The options of features beside those of the core, so that a test names only what it is about. With `mailer` there are emails() and
 * registration(), with `developersUrl` too portal(); usage() unless it is false.
 */
export interface TestOptions extends Omit<
  PlatformAuthOptions,
  'apis' | 'store' | 'baseUrl' | 'rateLimits' | 'features'
> {
  readonly baseUrl?: string
  readonly store?: StoreWith
  readonly mailer?: EmailsOptions['mailer'] | undefined
  readonly delivery?: EmailsOptions['delivery']
  readonly compose?: EmailsOptions['compose']
  readonly remindBefore?: EmailsOptions['remindBefore']
  readonly operators?: RegistrationOptions['operators']
  readonly registration?:
    | (Omit<RegistrationOptions, 'operators' | 'limits'> & Pick<RegistrationLimits, 'foldTags' | 'ipv6Prefix'>)
    | false
    | undefined
  readonly portal?: PortalOptions['actions'] | false
  readonly usage?: UsageOptions | false | undefined
  readonly plans?: PlansFeature | undefined
  readonly imports?: ImportsOptions | boolean | undefined
  readonly rateLimits?: PlatformAuthOptions['rateLimits'] & {
    readonly registration?: Limit | false | undefined
    readonly allRegistrations?: Limit | false | undefined
    readonly signIn?: Limit | false | undefined
    readonly portalActions?: Limit | false | undefined
  }
  readonly background?: false | BackgroundOptions | undefined
  readonly tokens?: TokensOptions | undefined
  /** In place of those that the options above name. */
  readonly features?: readonly FeatureEntry[] | undefined
}

/** The options of `createPlatformAuth()`, with the features that the options of a test name. */
export function translate<Options extends TestOptions & { readonly baseUrl: string }>(options: Options) {
  const {
    mailer,
    delivery,
    compose,
    remindBefore,
    operators,
    registration: forRegistration,
    portal: actions,
    usage: forUsage,
    plans,
    imports: forImports,
    rateLimits,
    features,
    ...core
  } = options
  const { registration: perCaller, allRegistrations, signIn, portalActions, ...limits } = rateLimits ?? {}
  const { foldTags, ipv6Prefix, ...registrationOptions } = forRegistration || {}
  const sent = mailer && {
    emails: emails({ mailer, ...given({ delivery, compose, remindBefore }) }),
    registration:
      forRegistration !== false &&
      registration(
        given({
          operators,
          ...registrationOptions,
          limits: given({ registration: perCaller, allRegistrations, foldTags, ipv6Prefix }),
        }),
      ),
    portal:
      actions !== false &&
      core.developersUrl !== undefined &&
      portal(given({ actions, limits: given({ signIn, actions: portalActions }) })),
  }
  return {
    ...core,
    ...(rateLimits && { rateLimits: limits }),
    features: features ?? [
      forUsage !== false && usage(forUsage),
      plans,
      ...Object.values(sent ?? {}),
      forImports && imports(forImports === true ? undefined : forImports),
    ],
  }
}

/** Without members that are left out: some options tell `undefined` from them. */
function given<Members extends object>(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Members
}
