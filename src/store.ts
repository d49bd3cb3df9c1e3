/** `express-platform-auth/store`: what a store keeps, for those who write one. Types only. */
export type { Store } from './shared/contracts/store.js'
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
export type {
  ApplicationQuery,
  AuditQuery,
  ChangesPage,
  AddedAssertion,
  AssertionStore,
  ProcessStore,
  UsedAssertion,
  SchemaMigration,
  SecretName,
  StorePart,
  StoreWith,
} from './shared/contracts/store.js'
export type { AddOutcome, CredentialReplacement, ImportStore, NewApplication } from './shared/contracts/imports.js'
export type { SignInStore } from './shared/contracts/sign-ins.js'
export type {
  NewAuditRecord,
  AuditRecord,
  Change,
  RevokedAccessToken,
  RunningProcess,
  SigningKeyRecord,
} from './shared/contracts/store-records.js'
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
