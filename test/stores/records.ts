import { application, NOW } from '../../src/testing/store/records.js'

export * from '../../src/testing/store/records.js'

const invitation = { address: 'c@example.com', hashes: ['h'], createdAt: NOW, expiresAt: NOW + 1, by: undefined }

/** Applications with what schema 4 does not know and a deletion must erase. */
export const UNKNOWN_TO_SCHEMA_4 = [
  application('contacts', { contact: 'a@example.com', otherContacts: ['b@example.com'] }),
  application('invitation', { contact: 'a@example.com', invitations: [invitation] }),
  application('request', { accessRequests: [{ api: 'orders', scopes: [], requestedAt: NOW, by: undefined }] }),
]
