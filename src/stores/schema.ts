import type { EventType } from '../events.js'
import type {
  ApplicationRecord,
  ApplicationStatus,
  AuditRecord,
  Change,
  CredentialRecord,
  RevokedAccessToken,
  SigningKeyRecord,
} from '../store.js'

/**
 * The tables, one step per schema version; a published step never changes, the next one is added below it. All names
 * begin with `platform_auth_`, because the file may be the host's own.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE IF NOT EXISTS platform_auth_meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE platform_auth_applications (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    contact TEXT,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    tokens_revoked_at INTEGER NOT NULL,
    version INTEGER NOT NULL
  );
  CREATE INDEX platform_auth_applications_by_status ON platform_auth_applications (status);

  -- The application's status stands here too, so that one index answers "which suspended ones may use this API?".
  CREATE TABLE platform_auth_grants (
    application_seq INTEGER NOT NULL REFERENCES platform_auth_applications (seq),
    api TEXT NOT NULL,
    position INTEGER NOT NULL,
    scopes TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (application_seq, api)
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_grants_by_api ON platform_auth_grants (api, status, application_seq);

  CREATE TABLE platform_auth_credentials (
    hash TEXT PRIMARY KEY,
    application_seq INTEGER NOT NULL REFERENCES platform_auth_applications (seq),
    kind TEXT NOT NULL,
    position INTEGER NOT NULL,
    prefix TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_credentials_by_application ON platform_auth_credentials (application_seq);

  CREATE TABLE platform_auth_signing_keys (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kid TEXT NOT NULL UNIQUE,
    algorithm TEXT NOT NULL,
    public_jwk TEXT NOT NULL,
    sealed_private_jwk TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    signs_from INTEGER NOT NULL,
    former_verifies_for INTEGER NOT NULL
  );

  CREATE TABLE platform_auth_revoked_access_tokens (
    id TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_revoked_access_tokens_by_expiry ON platform_auth_revoked_access_tokens (expires_at);

  CREATE TABLE platform_auth_audit (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    actor TEXT,
    application_id TEXT,
    details TEXT NOT NULL
  );
  CREATE INDEX platform_auth_audit_by_application ON platform_auth_audit (application_id);

  CREATE TABLE platform_auth_changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT,
    expires_at INTEGER
  );
  `,
]

/** One row per application, its APIs and credentials as JSON: a single statement sees a single moment. */
export const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version,
    (SELECT json_group_array(json_array(api, json(scopes)) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq) AS apis,
    (SELECT json_group_array(json_object('kind', kind, 'hash', hash, 'prefix', prefix, 'createdAt', created_at,
        'expiresAt', expires_at, 'lastUsedAt', last_used_at) ORDER BY position)
      FROM platform_auth_credentials WHERE application_seq = a.seq) AS credentials
  FROM platform_auth_applications a`

export interface ApplicationRow {
  readonly id: string
  readonly name: string
  readonly contact: string | null
  readonly status: ApplicationStatus
  readonly created_at: number
  readonly tokens_revoked_at: number
  readonly version: number
  readonly apis: string
  readonly credentials: string
}

export function applicationFrom(row: ApplicationRow): ApplicationRecord {
  const apis = JSON.parse(row.apis) as readonly (readonly [api: string, scopes: readonly string[]])[]
  const credentials = JSON.parse(row.credentials) as readonly CredentialJson[]
  return {
    id: row.id,
    name: row.name,
    contact: row.contact ?? undefined,
    status: row.status,
    apis: Object.fromEntries(apis.map(([api, scopes]) => [api, { scopes }])),
    keys: credentials.filter(({ kind }) => kind === 'key').map(credentialFrom),
    secrets: credentials.filter(({ kind }) => kind === 'secret').map(credentialFrom),
    createdAt: row.created_at,
    tokensRevokedAt: row.tokens_revoked_at,
    version: row.version,
  }
}

interface CredentialJson {
  readonly kind: 'key' | 'secret'
  readonly hash: string
  readonly prefix: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
}

function credentialFrom({ hash, prefix, createdAt, expiresAt, lastUsedAt }: CredentialJson): CredentialRecord {
  return { hash, prefix, createdAt, expiresAt: expiresAt ?? undefined, lastUsedAt: lastUsedAt ?? undefined }
}

export interface SigningKeyRow {
  readonly kid: string
  readonly algorithm: string
  readonly public_jwk: string
  readonly sealed_private_jwk: string
  readonly created_at: number
  readonly signs_from: number
  readonly former_verifies_for: number
}

export function signingKeyFrom(row: SigningKeyRow): SigningKeyRecord {
  return {
    kid: row.kid,
    algorithm: row.algorithm,
    publicJwk: JSON.parse(row.public_jwk) as SigningKeyRecord['publicJwk'],
    sealedPrivateJwk: row.sealed_private_jwk,
    createdAt: row.created_at,
    signsFrom: row.signs_from,
    formerVerifiesFor: row.former_verifies_for,
  }
}

export interface RevokedAccessTokenRow {
  readonly id: string
  readonly expires_at: number
}

export function revokedAccessTokenFrom(row: RevokedAccessTokenRow): RevokedAccessToken {
  return { id: row.id, expiresAt: row.expires_at }
}

export interface AuditRow {
  readonly seq: number
  readonly at: number
  readonly type: EventType
  readonly actor: string | null
  readonly application_id: string | null
  readonly details: string
}

export function auditFrom(row: AuditRow): AuditRecord {
  return {
    id: String(row.seq),
    at: row.at,
    type: row.type,
    by: row.actor ?? undefined,
    applicationId: row.application_id ?? undefined,
    details: JSON.parse(row.details) as AuditRecord['details'],
  }
}

export interface ChangeRow {
  readonly seq: number
  readonly kind: Change['kind']
  readonly id: string | null
  readonly expires_at: number | null
}

/** A kind that this version doesn't know may concern anything. */
export function changeFrom({ kind, id, expires_at: expiresAt }: ChangeRow): Change {
  if (kind === 'application' && id !== null) return { kind, id }
  if (kind === 'accessTokenRevoked' && id !== null && expiresAt !== null) return { kind, id, expiresAt }
  return kind === 'signingKeys' ? { kind } : { kind: 'everything' }
}
