export { createPlatformAuth, type PlatformAuth } from './platform-auth.js'
export { authOf, maybeAuthOf, type AuthInfo } from './resource-server/auth-info.js'
export { openOperations, type Operations } from './operations.js'
export { memoryStore } from './stores/memory.js'
export {
  ApplicationError,
  ConfigurationError,
  OAuthError,
  StoreUnavailableError,
  type ApplicationErrorCode,
  type Denial,
  type ErrorCode,
} from './errors.js'

export type {
  Logger,
  OnDenied,
  PlatformAuthOptions,
  RateLimitsOptions,
  SigningAlgorithm,
  SigningOptions,
} from './options.js'
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
} from './api.js'
export type { Guard } from './resource-server/guard.js'
export type { BearerGuardOptions, GuardOptions } from './resource-server/guards.js'
export type { Middleware } from './authorization-server/router.js'
export type { Application, CredentialInfo } from './applications/application.js'
export type { AccessArgument } from './applications/arguments.js'
export type { Applications, By, IssuedCredentials, RotateByLetterOptions, RotateOptions } from './applications/calls.js'
export type { OutboxCalls } from './applications/outbox.js'
export type { Audit, AuditEvent } from './audit.js'
export type { EventDetails, EventType, PlatformEvent, PlatformEvents } from './events.js'
export type { Health } from './lifecycle.js'
export type { Letter, Mailer } from './mailer.js'
export type { SigningKeyInfo, SigningKeyRotation } from './tokens/rotation.js'
export { StoreUnusableError } from './store.js'
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
} from './store.js'
