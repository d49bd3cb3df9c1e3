export { createPlatformAuth, type PlatformAuth } from './platform-auth.js'
export { authOf, maybeAuthOf, type AuthInfo } from './resource-server/auth-info.js'
export { openAdmin, type AdminApi } from './admin.js'
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
  OnDenied,
  PlatformAuthOptions,
  RateLimitsOptions,
  SigningAlgorithm,
  SigningOptions,
} from './options/options.js'
export type { Logger } from './contracts/logger.js'
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
export type { Middleware } from './http/middleware.js'
export type { Application, CredentialInfo } from './applications/application.js'
export type { ApiGrants } from './applications/validation.js'
export type {
  Applications,
  ActorOptions,
  IssuedCredentials,
  RotateByEmailOptions,
  RotateOptions,
} from './applications/applications-api.js'
export type { Outbox } from './applications/email-outbox.js'
export type { Audit, AuditEntry } from './applications/audit-log.js'
export type { EventDetails, EventType, PlatformEvent, PlatformEvents } from './contracts/events.js'
export type { Health } from './store-client/readiness.js'
export type { EmailMessage, Mailer } from './contracts/mailer.js'
export type { SigningKeyInfo, SigningKeyRotation } from './tokens/key-rotation.js'
export { StoreIncompatibleError } from './contracts/errors.js'
export type {
  ApplicationQuery,
  ApplicationRecord,
  ApplicationStatus,
  NewAuditRecord,
  AuditQuery,
  AuditRecord,
  Change,
  ChangesPage,
  CredentialRecord,
  EmailChange,
  EmailPurpose,
  EmailQuery,
  QueuedEmail,
  RevokedAccessToken,
  SchemaMigration,
  SigningKeyRecord,
  Store,
} from './contracts/store.js'
