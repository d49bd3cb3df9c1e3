import { describe, expect, it } from 'vitest'
import type {
  ApiKeyApiOptions,
  BearerGuardOptions,
  BrandOptions,
  OAuth2ApiOptions,
  PlatformAuthOptions,
  CredentialsOptions,
  BackgroundOptions,
  CacheOptions,
  RateLimitsOptions,
  TokensOptions,
} from '../../src/index.js'
import type { EmailsOptions } from '../../src/features/emails/index.js'
import type { ImportsOptions } from '../../src/features/imports/index.js'
import type { PortalLimits, PortalOptions } from '../../src/features/portal/index.js'
import type { RegistrationLimits, RegistrationOptions } from '../../src/features/registration/index.js'
import type { PlansOptions } from '../../src/features/plans/index.js'
import type { UsageOptions } from '../../src/features/usage/index.js'
import type { DeveloperConsoleOptions } from '../../src/tools/console/index.js'
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
  developersUrl: true,
  brand: true,
  metadata: true,
  tokens: true,
  clientAssertions: true,
  credentials: true,
  rateLimits: true,
  maxStaleness: true,
  cache: true,
  cors: true,
  onDenied: true,
  reportOnly: true,
  logger: true,
  now: true,
  background: true,
  features: true,
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
  clientAuthentication: true,
  defaultScopes: true,
  hideCredential: true,
  introspection: true,
  header: true,
  reportOnly: true,
}
const TOKENS: Names<TokensOptions> = {
  lifetime: true,
  clockTolerance: true,
  algorithm: true,
  rotateEvery: true,
  publishAhead: true,
  signer: true,
}
const CREDENTIALS: Names<CredentialsOptions> = { prefix: true, maxAge: true }
const RATE_LIMITS: Names<RateLimitsOptions> = {
  requests: true,
  tokenRequests: true,
  revocations: true,
  failedAuthentication: true,
  redis: true,
  headers: true,
}
const BRAND: Names<BrandOptions> = { name: true, logo: true, color: true, supportUrl: true }
const CACHE: Names<CacheOptions> = { applications: true, accessTokens: true, revokedAccessTokens: true }
const BACKGROUND: Names<BackgroundOptions> = { auditRetention: true }
const EMAILS: Names<EmailsOptions> = { mailer: true, delivery: true, compose: true, remindBefore: true }
const REGISTRATION: Names<RegistrationOptions> = {
  operators: true,
  allow: true,
  fields: true,
  terms: true,
  captcha: true,
  decisionDays: true,
  limits: true,
}
const REGISTRATION_LIMITS: Names<RegistrationLimits> = {
  registration: true,
  allRegistrations: true,
  foldTags: true,
  ipv6Prefix: true,
}
const PORTAL: Names<PortalOptions> = { actions: true, limits: true }
const PORTAL_LIMITS: Names<PortalLimits> = { signIn: true, actions: true }
const USAGE: Names<UsageOptions> = { retention: true, collect: true, routes: true }
const PLANS: Names<PlansOptions> = { default: true, notify: true }
const IMPORTS: Names<ImportsOptions> = { hmacKey: true }
const GUARD: Names<BearerGuardOptions> = {
  scopes: true,
  anyScope: true,
  cost: true,
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
  ['docs/options.md', 'Options', 'option', PLATFORM],
  ['docs/options.md', '`apis`', 'option', API],
  ['docs/options.md', '`tokens`', 'option', TOKENS],
  ['docs/options.md', '`credentials`', '`credentials.`', CREDENTIALS],
  ['docs/options.md', '`brand`', 'option', BRAND],
  ['docs/options.md', 'Rate limits', '`rateLimits.`', RATE_LIMITS],
  ['docs/options.md', '`background`', 'option', BACKGROUND],
  ['docs/options.md', '`cache`', 'option', CACHE],
  ['docs/emails.md', 'Options', '`emails()`', EMAILS],
  ['docs/registration.md', 'Options', '`registration()`', REGISTRATION],
  ['docs/registration.md', 'Options', '`limits.`', REGISTRATION_LIMITS],
  ['docs/portal.md', 'Options', '`portal()`', PORTAL],
  ['docs/portal.md', 'Options', '`limits.`', PORTAL_LIMITS],
  ['docs/usage.md', 'Usage and refusals', '`usage()`', USAGE],
  ['docs/plans.md', 'Plans and quotas', '`plans()`', PLANS],
  ['docs/import.md', 'Move from another system', '`imports()`', IMPORTS],
  ['docs/guards.md', 'Guards', 'option', GUARD],
  ['docs/console.md', 'Developer console', 'option', CONSOLE],
  ['docs/stores.md', 'PostgreSQL', 'option', POSTGRES],
])('%s, section "%s", table "%s",', (path, heading, first, names) => {
  it('has a row for every option, and no row for anything else', () => {
    expect(rowsOf(path, heading, first).toSorted()).toEqual(Object.keys(names).toSorted())
  })
})

/** The names in the first column of a section's table of options: the one that has this column and defaults. */
function rowsOf(path: string, heading: string, first: string): readonly string[] {
  const sections = readPage(path).text.split(/^(?=#+ )/m)
  const section = sections.find((each) => /^#+ (.+)$/m.exec(each)?.[1] === heading) ?? ''
  const table =
    section.split(/\n\n+/).find((part) => part.startsWith(`| ${first} |`) && /^[^\n]*\| default \|/.test(part)) ?? ''
  return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)
}
