export {
  accessTokenFor,
  apiKeyFor,
  callersFor,
  headersFor,
  type AccessTokenOptions,
  type Caller,
  type CallerOptions,
  type Callers,
} from './credentials.js'
export { fakeClock, type FakeClock } from './clock.js'
export { fetchFrom, type AppFetch } from './send.js'
export { memoryMailer, type EmailedCredentials, type MemoryMailer, type ReceivedEmail } from './mailer.js'
export { createTestPlatform, type TestPlatform, type TestPlatformOptions } from './platform.js'
export { expectSecured, type ExpectSecuredOptions, type SecuredRoutes } from './secured/expect-secured.js'
export { RoutesNotSecuredError, type ProblemKind, type SecurityProblem } from './secured/problem.js'
export type { AlsoTry } from './secured/variations.js'
