export type { BrandOptions } from './shared/contracts/brand.js'
export type { CoreAuth, GuardAuth, PlatformAuth } from './core/platform/core-auth.js'
export { createPlatformAuth } from './core/platform/platform-auth.js'
export type { Feature, FeatureEntry } from './feature.js'
export type { AccessTokenInfo, ApiKeyInfo, AuthInfo } from './core/resource-server/identity.js'
export { authOf, maybeAuthOf } from './core/resource-server/auth-of.js'
export { describeGuard } from './core/resource-server/describe-guard.js'
export { checkOptions, type OptionsReport } from './core/options/read-platform-options.js'
export { memoryStore } from './stores/memory/index.js'
export {
  ApplicationError,
  ConfigurationError,
  StoreIncompatibleError,
  StoreUnavailableError,
  type ApplicationErrorCode,
  type ConfigurationProblem,
} from './shared/contracts/errors.js'
export { OAuthError, type Denial, type DenialError, type ErrorCode } from './shared/contracts/denial.js'

export type { PlatformAuthOptions } from './core/options/platform-auth-options.js'
export type {
  ClientAssertionsOptions,
  CredentialsOptions,
  OnDenied,
  RateLimitsOptions,
  RedisConnection,
  Signer,
  TokensOptions,
  BackgroundOptions,
  CacheOptions,
} from './core/options/options.js'
export type { SigningAlgorithm } from './core/options/options.js'
export type { AcceptedCredential, GuardDescription } from './shared/contracts/guard-description.js'
export type { Logger } from './shared/contracts/logger.js'
export type {
  Api,
  ApiKeyApiOptions,
  ApiName,
  ApiOptions,
  ApisOptions,
  CallerApplication,
  ClientAuthenticationMethod,
  CreateClaims,
  Limit,
  OAuth2ApiOptions,
  Registration,
  Scheme,
  ScopeOf,
} from './shared/contracts/api.js'
export type { AnyMetadata, MetadataSchema, StandardSchema } from './shared/contracts/metadata-schema.js'
export type { Guard } from './core/resource-server/guard.js'
export type {
  AllowRequest,
  ApiKeyGuardOptions,
  BearerGuardOptions,
  GuardOptions,
  OwnDenial,
  VerifyOptions,
} from './core/resource-server/guard-options.js'
export type { OtherIssuersGuard } from './core/resource-server/other-issuers.js'
export type { ScopesByMethod } from './core/resource-server/requirement.js'
export type { Middleware } from './core/http/middleware.js'
export type {
  ActorOptions,
  AddCredentialOptions,
  AddKeySetOptions,
  KeySetSource,
  ReplaceKeySetOptions,
  ApiGrants,
  DecisionOptions,
  ApprovalOptions,
  RejectionOptions,
  OperatorData,
  RotateByEmailOptions,
  RevokeTokensOptions,
  RotateOptions,
  SuspensionOptions,
} from './core/applications/call-options.js'
export type { Application, AccessRequestInfo, CredentialInfo, InvitationInfo } from './core/applications/application.js'
export type { Applications, IssuedCredentials, SelfService } from './core/applications/applications-api.js'
export type { Audit, AuditEntry, AuditListQuery } from './core/applications/records/audit-log.js'
export type { EventDetails, EventType, PlatformEvent, PlatformEvents } from './shared/contracts/events.js'
export type { Health, ReadyOptions } from './core/store-client/readiness.js'
export type { SigningKeyRotation } from './core/tokens/key-rotation.js'
export type { SessionSecretCalls } from './core/store-client/session-secret.js'
export type { SigningKeyInfo } from './core/tokens/key-schedule.js'
export type { ApplicationStatus, GrantedApis, Language } from './shared/contracts/application-record.js'
export type { Store } from './shared/contracts/store.js'
export type { ReportOnlyOptions } from './shared/contracts/api.js'
