export type { CoreAuth, PlatformAuth } from './platform/core-auth.js'
export { createPlatformAuth } from './platform-auth.js'
export type { Feature, FeatureEntry } from './feature.js'
export type { AccessTokenInfo, ApiKeyInfo, AuthInfo } from './resource-server/auth-info.js'
export { authOf, maybeAuthOf } from './resource-server/auth-of.js'
export { describeGuard } from './resource-server/describe-guard.js'
export { checkOptions, type OptionsReport } from './options/check-options.js'
export { memoryStore } from './stores/memory/index.js'
export {
  ApplicationError,
  ConfigurationError,
  StoreIncompatibleError,
  StoreUnavailableError,
  type ApplicationErrorCode,
  type ConfigurationProblem,
} from './contracts/errors.js'
export { OAuthError, type Denial, type DenialError, type ErrorCode } from './contracts/denial.js'

export type { PlatformAuthOptions } from './options/platform-auth-options.js'
export type {
  BrandOptions,
  CredentialsOptions,
  OnDenied,
  RateLimitsOptions,
  RedisConnection,
  TokensOptions,
  BackgroundOptions,
  CacheOptions,
} from './options/options.js'
export type { SigningAlgorithm } from './options/algorithms.js'
export type { AcceptedCredential, GuardDescription } from './contracts/guard-description.js'
export type { Logger } from './contracts/logger.js'
export type {
  Api,
  ApiKeyApiOptions,
  ApiName,
  ApiOptions,
  ApisOptions,
  CallerApplication,
  CreateClaims,
  Limit,
  OAuth2ApiOptions,
  Registration,
  Scheme,
  ScopeOf,
} from './contracts/api.js'
export type { AnyMetadata, MetadataSchema, StandardSchema } from './contracts/metadata-schema.js'
export type { Guard } from './resource-server/guard-config.js'
export type {
  ApiKeyGuardOptions,
  BearerGuardOptions,
  GuardOptions,
  VerifyOptions,
} from './resource-server/guard-options.js'
export type { AllowRequest, OwnDenial } from './resource-server/allow-request.js'
export type { OtherIssuersGuard } from './resource-server/other-issuers.js'
export type { ScopesByMethod } from './resource-server/requirement.js'
export type { Middleware } from './http/middleware.js'
export type {
  ActorOptions,
  AddCredentialOptions,
  ApiGrants,
  DecisionOptions,
  RejectionOptions,
  OperatorData,
  RotateByEmailOptions,
  RevokeTokensOptions,
  RotateOptions,
  SuspensionOptions,
} from './applications/call-options.js'
export type { Application, AccessRequestInfo, CredentialInfo, InvitationInfo } from './applications/application.js'
export type { Applications, IssuedCredentials, SelfService } from './applications/applications-api.js'
export type { Audit, AuditEntry, AuditListQuery } from './applications/audit-api.js'
export type { EventDetails, EventType, PlatformEvent, PlatformEvents } from './contracts/events.js'
export type { Health, ReadyOptions } from './store-client/lifecycle.js'
export type { SigningKeyRotation } from './tokens/signing-keys-api.js'
export type { SessionSecretCalls } from './store-client/session-secret-api.js'
export type { SigningKeyInfo } from './tokens/signing-keys-api.js'
export type { ApplicationStatus, GrantedApis, Language } from './contracts/application-record.js'
export type { Store } from './contracts/store.js'
export type { ReportOnlyOptions } from './contracts/report-only.js'
