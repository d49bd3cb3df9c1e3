import type { CacheOptions, OnDenied, RateLimitsOptions } from '../../core/options/options.js'
import type { ApisOptions, Logger, ReportOnlyOptions } from '../../index.js'
import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'

/** The options of `createRemoteAuth()`. Durations are in seconds. */
export interface RemoteAuthOptions<
  Apis extends ApisOptions = ApisOptions,
  Schema extends MetadataSchema = MetadataSchema,
> extends ReportOnlyOptions {
  /** The `baseUrl` of the platform: issuer and audience of access tokens begin with it. */
  readonly platform: string
  /**
   * Where this process reaches the platform, if that is another address: `https://platform.internal/v1`, or `http://127.0.0.1:3000` on the same
   * machine. As `platform` if left out.
   */
  readonly address?: string | undefined
  /** The APIs that this service serves, with the same schemes, scopes and headers as at the platform. */
  readonly apis: Apis
  /** The key of the application that is a resource server of these APIs, or its id. */
  readonly clientId: string
  readonly clientSecret: string
  /** The schema of applications' metadata, for its type: the platform has validated it. */
  readonly metadata?: Schema | undefined
  /** Seconds for which guards go on answering from memory while the platform does not answer; 5 if left out. Then they answer 503. */
  readonly maxStaleness?: number | undefined
  readonly rateLimits?: Pick<RateLimitsOptions, 'requests' | 'failedAuthentication' | 'redis' | 'headers'> | undefined
  readonly cache?: CacheOptions | undefined
  readonly onDenied?: OnDenied | undefined
  readonly logger?: Logger | undefined
}
