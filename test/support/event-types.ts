import type { EventType } from '../../src/index.js'

/**
 * Every type of event, and the test that looks for secrets in it: `test/leaks.test.ts` (calls and requests), or
 * `test/leaks-in-outages.integration.test.ts` (e-mails, and outages of the mail server, the store's writes, Redis and the
 * clock), or `test/core/authorization-server/key-set-outages.integration.test.ts` (key sets). Each requires that its types occur. A new type without an entry does not compile.
 */
const CAUSED_BY: Readonly<Record<EventType, 'calls' | 'outages' | 'keySets'>> = {
  'application.registered': 'calls',
  'application.imported': 'calls',
  'application.approved': 'outages',
  'application.activated': 'outages',
  'application.delivered': 'outages',
  'application.deliveryFailed': 'outages',
  'application.updated': 'calls',
  'application.suspended': 'calls',
  'application.resumed': 'calls',
  'application.deleted': 'calls',
  'application.recovered': 'calls',
  'application.accessChanged': 'calls',
  'application.accessRequested': 'outages',
  'application.contactAdded': 'calls',
  'application.contactInvited': 'outages',
  'application.contactRemoved': 'calls',
  'application.accessRejected': 'outages',
  'application.credentialAdded': 'calls',
  'application.credentialUpdated': 'calls',
  'application.credentialRotated': 'calls',
  'application.credentialEnded': 'calls',
  'application.tokensRevoked': 'calls',
  'token.issued': 'calls',
  'token.refused': 'calls',
  'token.revoked': 'calls',
  'request.allowed': 'calls',
  'request.denied': 'calls',
  'request.reported': 'calls',
  'quota.reached': 'calls',
  'keySet.unavailable': 'keySets',
  'keySet.available': 'keySets',
  'signingKey.rotated': 'calls',
  'signingKey.revoked': 'calls',
  'sessionSecret.replaced': 'calls',
  'store.unavailable': 'calls',
  'store.available': 'calls',
  'store.writesRejected': 'outages',
  'store.writesAccepted': 'outages',
  'limits.unavailable': 'outages',
  'limits.available': 'outages',
  'mail.unavailable': 'outages',
  'mail.available': 'outages',
  'clock.deviates': 'outages',
  'clock.agrees': 'outages',
}

export const EVENT_TYPES = Object.keys(CAUSED_BY) as EventType[]

/** The types that one of the two tests must cause. It may cause others too. */
export function listCausedBy(test: 'calls' | 'outages' | 'keySets'): EventType[] {
  return EVENT_TYPES.filter((type) => CAUSED_BY[type] === test)
}

/** The members that events may have. */
export const EVENT_MEMBERS = [
  'type',
  'at',
  'applicationId',
  'api',
  'error',
  'reason',
  'requestId',
  'address',
  'client',
] as const
