export { createPlatformAuth, type PlatformAuth } from './platform-auth.js'
export type { AccessTokenInfo, ApiKeyInfo, AuthInfo } from './resource-server/auth-info.js'
export { authOf, maybeAuthOf } from './resource-server/auth-of.js'
export { describeGuard } from './resource-server/describe-guard.js'
export { checkOptions, type OptionsReport } from './options/check-options.js'
export { openAdmin, type AdminApi, type AdminOptions } from './admin.js'
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

export type {
  AllowRegistration,
  BrandOptions,
  CredentialsOptions,
  EmailsOptions,
  ImportedCredentialsOptions,
  OnDenied,
  PlatformAuthOptions,
  PortalOptions,
  RateLimitsOptions,
  RedisConnection,
  SigningAlgorithm,
  RegistrationCandidate,
  RegistrationOptions,
  SigningOptions,
  AuditOptions,
  UsageOptions,
} from './options/options.js'
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
export type {
  AnyMetadata,
  MetadataSchema,
  SchemaIssue,
  SchemaResult,
  StandardSchema,
} from './contracts/metadata-schema.js'
export type { DocumentGuard } from './resource-server/document-guard.js'
export type { Guard } from './resource-server/guard.js'
export type {
  ApiKeyGuardOptions,
  BearerGuardOptions,
  DocumentGuardsOptions,
  GuardOptions,
  VerifyOptions,
} from './resource-server/guard-options.js'
export type { AllowRequest, OwnDenial } from './resource-server/allow.js'
export type { OtherIssuersGuard } from './resource-server/other-issuers.js'
export type { ScopesByMethod } from './resource-server/requirement.js'
export type { PortalAction } from './contracts/portal-actions.js'
export type { Portal, PortalLinkOptions } from './portal/create.js'
export type { SignOutContact } from './applications/contacts/sign-outs.js'
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
export type {
  Application,
  AccessRequestInfo,
  CredentialInfo,
  InvitationInfo,
} from './applications/records/application-info.js'
export type { Applications, IssuedCredentials, SelfService } from './applications/applications-api.js'
export type {
  ImportedApplication,
  ImportedKey,
  ImportedSecret,
  ImportOptions,
  ImportSource,
  ImportSummary,
} from './applications/imports/import-api.js'
export type { Outbox, OutboxStatus } from './applications/queue/email-outbox.js'
export type { Audit, AuditEntry, AuditListQuery } from './applications/records/audit-log.js'
export type { Usage, UsageEntry, UsageQuery } from './usage/usage.js'
export type { UsagePeriod } from './usage/period.js'
export type { ReportOnlyCalls, ReportedRequests, ReportedQuery } from './usage/report-only.js'
export type { RefusalEntry, Refusals } from './usage/refusals.js'
export type { RefusalExplanation } from './usage/explain-refusal.js'
export type { EventDetails, EventType, PlatformEvent, PlatformEvents } from './contracts/events.js'
export type { Health, ReadyOptions } from './store-client/readiness.js'
export type { Brand } from './contracts/brand.js'
export type {
  ComposedEmail,
  ComposeEmail,
  EmailCode,
  EmailLink,
  EmailSample,
  EmailTexts,
  EmailToCompose,
} from './contracts/composed-email.js'
export type {
  ApprovalRequestEmail,
  ApprovedEmail,
  CredentialsEmail,
  RejectionEmail,
  ChangesEmail,
  ContactChange,
  ContactChangeType,
  EmailApplication,
  EmailContent,
  EmailGrants,
  ExpiringEmail,
  InvitationEmail,
  SignInEmail,
  SuspendedEmail,
} from './contracts/email-content.js'
export type { EmailMessage, Mailer } from './contracts/mailer.js'
export type { SigningKeyRotation } from './tokens/key-rotation.js'
export type { SessionSecretCalls } from './store-client/session-secret.js'
export type { SigningKeyInfo } from './tokens/key-schedule.js'
export type { ApplicationStatus, GrantedApis, JsonObject, JsonValue, Language } from './contracts/application-record.js'
export type { Store } from './contracts/store.js'
export type { ReportOnlyOptions } from './contracts/report-only.js'
