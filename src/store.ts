/** `express-platform-auth/store`: what a store keeps, for those who write one. Types only. */
export type { Store } from './contracts/store.js'
export type { ConfigurationProblem } from './contracts/errors.js'
export type { SignIn, SignOut } from './contracts/sign-ins.js'
export type {
  AccessRequest,
  ApplicationRecord,
  ApplicationStatus,
  CredentialRecord,
  Invitation,
  JsonObject,
  JsonValue,
} from './contracts/application-record.js'
export type {
  ApplicationQuery,
  AuditQuery,
  ChangesPage,
  ProcessStore,
  SchemaMigration,
  SecretName,
  StorePart,
  StoreWith,
} from './contracts/store.js'
export type { AddOutcome, CredentialReplacement, ImportStore, NewApplication } from './contracts/imports.js'
export type { SignInStore } from './contracts/sign-ins.js'
export type {
  NewAuditRecord,
  AuditRecord,
  Change,
  RevokedAccessToken,
  RunningProcess,
  SigningKeyRecord,
} from './contracts/store-records.js'
export type {
  EmailChange,
  DeliveryPurpose,
  EmailPurpose,
  NoticePurpose,
  EmailQuery,
  EmailStore,
  ExpiryQuery,
  QueuedEmail,
} from './contracts/queued-email.js'
export type { ExpiredQuotas, QuotaCount, QuotaStore, QuotaTotals } from './contracts/quotas.js'
export type { ReportedCount, ReportedCountQuery, ReportedKey } from './contracts/reported.js'
export type {
  ExpiredUsage,
  RefusalDetails,
  RefusalRecord,
  UsageBatch,
  UsageCount,
  UsageCountQuery,
  UsageStore,
} from './contracts/usage.js'
