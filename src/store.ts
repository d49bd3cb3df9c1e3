/** `express-platform-auth/store`: what a store keeps, for those who write one. Types only. */
export type {
  AddedAssertion,
  ApplicationQuery,
  AssertionStore,
  AuditQuery,
  Change,
  ChangesPage,
  ProcessStore,
  RevokedAccessToken,
  RunningProcess,
  SchemaMigration,
  SecretName,
  SigningKeyRecord,
  Store,
  StorePart,
  StoreWith,
  UsedAssertion,
} from './shared/contracts/store.js'
export type { ConfigurationProblem } from './shared/contracts/errors.js'
export type { SignIn, SignOut } from './shared/contracts/sign-ins.js'
export type {
  AccessRequest,
  ApplicationRecord,
  ApplicationStatus,
  CredentialRecord,
  Invitation,
  JsonObject,
  JsonValue,
  KeySetRecord,
  PublicJwk,
} from './shared/contracts/application-record.js'
export type { AddOutcome, CredentialReplacement, ImportStore, NewApplication } from './shared/contracts/imports.js'
export type { SignInStore } from './shared/contracts/sign-ins.js'
export type { AuditRecord, NewAuditRecord } from './shared/contracts/events.js'
export type {
  EmailChange,
  DeliveryPurpose,
  EmailPurpose,
  NoticePurpose,
  EmailQuery,
  EmailStore,
  ExpiryQuery,
  QueuedEmail,
} from './shared/contracts/queued-email.js'
export type {
  ExpiredQuotas,
  QuotaCount,
  QuotaStore,
  QuotaTotals,
  QuotaUse,
  QuotaUseQuery,
} from './shared/contracts/quotas.js'
export type { ReportedCount, ReportedCountQuery, ReportedKey } from './shared/contracts/usage.js'
export type {
  ExpiredUsage,
  RefusalDetails,
  RefusalRecord,
  UsageBatch,
  UsageCount,
  UsageCountQuery,
  UsageSum,
  UsageSumQuery,
  UsageStore,
} from './shared/contracts/usage.js'
