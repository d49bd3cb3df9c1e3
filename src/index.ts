export { createPlatformAuth, type PlatformAuth } from './platform-auth.js'
export { authOf, maybeAuthOf, type AuthInfo } from './resource-server/auth-info.js'
export { openOperations, type Operations } from './admin.js'
export { memoryStore } from './stores/memory/index.js'
export {
  ApplicationError,
  ConfigurationError,
  OAuthError,
  StoreUnavailableError,
  type ApplicationErrorCode,
  type Denial,
  type ErrorCode,
} from './contracts/errors.js'

export type {
  Logger,
  OnDenied,
  PlatformAuthOptions,
  RateLimitsOptions,
  SigningAlgorithm,
  SigningOptions,
} from './options/options.js'
export type {
  Api,
  ApiKeyApiOptions,
  ApiName,
  ApiOptions,
  ApisOptions,
  Limit,
  OAuth2ApiOptions,
  Registration,
  Scheme,
  ScopeOf,
} from './contracts/api.js'
export type { Guard } from './resource-server/guard.js'
export type { BearerGuardOptions, GuardOptions } from './resource-server/guards.js'
export type { Middleware } from './authorization-server/router.js'
export type { Application, CredentialInfo } from './applications/application.js'
export type { AccessArgument } from './applications/validation.js'
export type { Applications, By, IssuedCredentials, RotateByLetterOptions, RotateOptions } from './applications/applications-api.js'
export type { OutboxCalls } from './applications/email-outbox.js'
export type { Audit, AuditEvent } from './applications/audit-log.js'
export type { EventDetails, EventType, PlatformEvent, PlatformEvents } from './contracts/events.js'
export type { Health } from './store-client/readiness.js'
export type { Letter, Mailer } from './contracts/mailer.js'
export type { SigningKeyInfo, SigningKeyRotation } from './tokens/key-rotation.js'
export { StoreUnusableError } from './contracts/store.js'
export type {
  ApplicationQuery,
  ApplicationRecord,
  ApplicationStatus,
  AuditEntry,
  AuditQuery,
  AuditRecord,
  Change,
  ChangesPage,
  CredentialRecord,
  LetterChange,
  LetterPurpose,
  LetterQuery,
  LetterRecord,
  RevokedAccessToken,
  SigningKeyRecord,
  Store,
} from './contracts/store.js'
