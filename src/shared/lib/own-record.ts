import type { ApplicationRecord, CredentialRecord } from '../contracts/application-record.js'
import { copyOwn } from './own-members.js'

export const EMPTY_APPLICATION = {
  contact: undefined,
  isUnconfirmed: false,
  isHeld: false,
  otherContacts: [],
  invitations: [],
  accessRequests: [],
  decided: [],
  withheld: undefined,
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
  uncounted: 0,
} as const satisfies Partial<ApplicationRecord>

const EMPTY_RECORD = { ...EMPTY_APPLICATION, language: undefined } satisfies Partial<ApplicationRecord>

export const EMPTY_CREDENTIAL = {
  expiresAt: undefined,
  lastUsedAt: undefined,
  apis: undefined,
  networks: undefined,
  remindedDays: undefined,
  keySet: undefined,
} as const satisfies Partial<CredentialRecord>

/**
 * A record all of whose members are its own, also those that a store or a change has left out: what reads it inherits nothing of a polluted
 * `Object.prototype` (CWE-1321). An object literal, as requests read records, which is slower without a prototype.
 */
export function ownRecord(record: ApplicationRecord): ApplicationRecord {
  const members = { ...EMPTY_RECORD, ...record }
  const { invitations, accessRequests, decided, withheld, rateLimits, acceptedTerms, keys, secrets } = members
  return {
    ...members,
    ...(copyOwn({ invitations, accessRequests, decided, withheld, rateLimits, acceptedTerms }) as typeof members),
    keys: keys.map(ownCredential),
    secrets: secrets.map(ownCredential),
  }
}

function ownCredential(record: CredentialRecord): CredentialRecord {
  const members = { ...EMPTY_CREDENTIAL, ...record }
  return { ...members, keySet: copyOwn(members.keySet) as CredentialRecord['keySet'] }
}
