import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'

/** What an application has that has nothing yet, or no more. */
export const EMPTY_APPLICATION = {
  contact: undefined,
  isUnconfirmed: false,
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
} as const satisfies Partial<ApplicationRecord>
