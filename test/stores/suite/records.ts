import type {
  ApplicationRecord,
  NewAuditRecord,
  CredentialRecord,
  QueuedEmail,
  SignIn,
  SigningKeyRecord,
} from '../../../src/store.js'

export const NOW = 1_800_000_000_000

export function application(id: string, changes: Partial<ApplicationRecord> = {}): ApplicationRecord {
  return {
    id,
    name: `Application ${id}`,
    contact: undefined,
    isUnconfirmed: false,
    isHeld: false,
    otherContacts: [],
    invitations: [],
    language: undefined,
    status: 'active',
    apis: {},
    accessRequests: [],
    withheld: undefined,
    decided: [],
    keys: [],
    secrets: [],
    metadata: undefined,
    externalId: undefined,
    rateLimits: undefined,
    networks: undefined,
    plan: undefined,
    acceptedTerms: undefined,
    resourceServer: undefined,
    endsAt: undefined,
    lastUsedAt: undefined,
    createdAt: NOW,
    tokensRevokedAt: 0,
    uncounted: 0,
    version: 1,
    ...changes,
  }
}

export function credential(hash: string, changes: Partial<CredentialRecord> = {}): CredentialRecord {
  return {
    id: `cred_${hash}`,
    name: 'default',
    hash,
    prefix: 'epa_key_abcd',
    createdAt: NOW,
    expiresAt: undefined,
    lastUsedAt: undefined,
    apis: undefined,
    networks: undefined,
    isImported: false,
    remindedDays: undefined,
    keySet: undefined,
    ...changes,
  }
}

export function signingKey(kid: string): SigningKeyRecord {
  return {
    kid,
    algorithm: 'ES256',
    publicJwk: { kty: 'EC', crv: 'P-256', x: `x of ${kid}`, key_ops: ['verify'] },
    sealedPrivateJwk: `sealed ${kid}`,
    createdAt: NOW,
    signsFrom: NOW + 300_000,
    formerVerifiesFor: 3665,
  }
}

export function email(id: string, changes: Partial<QueuedEmail> = {}): QueuedEmail {
  return {
    id,
    applicationId: 'a',
    purpose: 'registration',
    recipient: undefined,
    details: undefined,
    credentialId: undefined,
    state: 'due',
    overlap: 0,
    attemptCount: 0,
    attemptedHashes: [],
    claimLinks: [],
    createdAt: NOW,
    dueAt: NOW,
    leasedUntil: 0,
    problem: undefined,
    version: 1,
    ...changes,
  }
}

/** An e-mail whose members all differ from those of `email()`. */
export const fullEmail: QueuedEmail = email('full', {
  applicationId: 'Ünï 🔑',
  purpose: 'secret',
  recipient: 'Other@example.com',
  details: { reason: 'Ünï "🔑"', days: [1, { of: null }] },
  credentialId: 'cred_s1',
  state: 'claimable',
  overlap: 86_400,
  attemptCount: 7,
  attemptedHashes: [['h3', 'h2'], ['h1']],
  claimLinks: [
    { hash: 'c2', expiresAt: NOW + 2 },
    { hash: 'c1', expiresAt: NOW + 1 },
  ],
  dueAt: NOW + 5,
  leasedUntil: NOW + 6,
  problem: 'smtp_550',
})

export function signIn(id: string, changes: Partial<SignIn> = {}): SignIn {
  return {
    id,
    contact: 'dev@example.com',
    linkHash: `link-${id}`,
    codeHash: `code-${id}`,
    guesses: 0,
    applicationId: 'a',
    createdAt: NOW,
    expiresAt: NOW + 900_000,
    ...changes,
  }
}

export function audit(applicationId?: string, changes: Partial<NewAuditRecord> = {}): NewAuditRecord {
  return { at: NOW, type: 'application.updated', by: undefined, applicationId, details: {}, ...changes }
}
