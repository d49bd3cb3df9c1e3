import { describe, expect, it } from 'vitest'
import type {
  ApiKeyApiOptions,
  BearerGuardOptions,
  BrandOptions,
  EmailsOptions,
  OAuth2ApiOptions,
  PlatformAuthOptions,
  CredentialsOptions,
  RateLimitsOptions,
  RegistrationOptions,
  SigningOptions,
  UsageOptions,
} from '../../src/index.js'
import type { DeveloperConsoleOptions } from '../../src/console/index.js'
import type { PostgresStoreOptions } from '../../src/stores/postgres/index.js'
import { readPage } from './pages.js'

/** The names of a type's members. The compiler refuses a list that lacks one, or has one too many. */
type Names<Options> = Readonly<Record<keyof Options, true>>

const PLATFORM: Names<PlatformAuthOptions> = {
  baseUrl: true,
  apis: true,
  store: true,
  secret: true,
  importUnencrypted: true,
  mailer: true,
  developersUrl: true,
  brand: true,
  emails: true,
  delivery: true,
  accessTokenLifetime: true,
  clockTolerance: true,
  maxStaleness: true,
  credentialPrefix: true,
  credentials: true,
  importedCredentials: true,
  signing: true,
  applicationMetadata: true,
  operators: true,
  registration: true,
  portal: true,
  rateLimits: true,
  audit: true,
  usage: true,
  cache: true,
  cors: true,
  onDenied: true,
  reportOnly: true,
  logger: true,
  now: true,
}
const API: Names<OAuth2ApiOptions & ApiKeyApiOptions> = {
  scheme: true,
  title: true,
  description: true,
  scopes: true,
  accessTokenLifetime: true,
  rateLimit: true,
  registration: true,
  credentialMaxAge: true,
  registrationScopes: true,
  claims: true,
  header: true,
  reportOnly: true,
}
const SIGNING: Names<SigningOptions> = { algorithm: true, rotateEvery: true, publishAhead: true }
const CREDENTIALS: Names<CredentialsOptions> = { maxAge: true, remindBefore: true }
const RATE_LIMITS: Names<RateLimitsOptions> = {
  requests: true,
  tokenRequests: true,
  revocations: true,
  failedAuthentication: true,
  registration: true,
  allRegistrations: true,
  signIn: true,
  portalActions: true,
  redis: true,
  headers: true,
}
const BRAND: Names<BrandOptions> = { name: true, logo: true, color: true, supportUrl: true }
const EMAILS: Names<EmailsOptions> = { compose: true }
const REGISTRATION: Names<RegistrationOptions> = { allow: true, foldTags: true, ipv6Prefix: true }
const USAGE: Names<UsageOptions> = { retention: true }
const CACHE: Names<NonNullable<PlatformAuthOptions['cache']>> = {
  applications: true,
  accessTokens: true,
  revokedAccessTokens: true,
}
const GUARD: Names<BearerGuardOptions> = {
  scopes: true,
  anyScope: true,
  allow: true,
  otherIssuers: true,
  optional: true,
  onDenied: true,
  reportOnly: true,
}
const CONSOLE: Names<DeveloperConsoleOptions> = {
  documents: true,
  title: true,
  registration: true,
  guides: true,
  changelog: true,
}
const POSTGRES: Names<PostgresStoreOptions> = { pool: true, listen: true }

describe.each([
  ['docs/options.md', 'Options', PLATFORM],
  ['docs/options.md', '`apis`', API],
  ['docs/options.md', '`credentials`', CREDENTIALS],
  ['docs/options.md', '`signing`', SIGNING],
  ['docs/options.md', '`brand`', BRAND],
  ['docs/options.md', '`emails`', EMAILS],
  ['docs/options.md', '`registration`', REGISTRATION],
  ['docs/options.md', 'Rate limits', RATE_LIMITS],
  ['docs/options.md', '`usage`', USAGE],
  ['docs/options.md', '`cache`', CACHE],
  ['docs/guards.md', 'Guards', GUARD],
  ['docs/console.md', 'Developer console', CONSOLE],
  ['docs/stores.md', 'PostgreSQL', POSTGRES],
])('%s, section "%s",', (path, heading, names) => {
  it('has a row for every option, and no row for anything else', () => {
    expect(rowsOf(path, heading).toSorted()).toEqual(Object.keys(names).toSorted())
  })
})

/** The names in the first column of a section's table of options, which is the one that has defaults. */
function rowsOf(path: string, heading: string): readonly string[] {
  const sections = readPage(path).text.split(/^(?=#+ )/m)
  const section = sections.find((each) => /^#+ (.+)$/m.exec(each)?.[1] === heading) ?? ''
  const table = section.split(/\n\n+/).find((part) => /^\|[^\n]*\| default \|/.test(part)) ?? ''
  return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)
}
