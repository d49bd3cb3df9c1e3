import type { Store } from '../../src/contracts/store.js'
import { application, audit, credential, email, NOW, signIn, signingKey } from './records.js'

const PAGE = { after: undefined, limit: 10, api: undefined, status: undefined } as const
const COUNTS = {
  after: undefined,
  applicationId: undefined,
  api: undefined,
  from: '2026-01-01',
  to: '2026-12-31',
  limit: 10,
} as const
const EMAILS = { applicationId: undefined, state: undefined, limit: 10 } as const

const REPORTED_PAGE = { after: undefined, applicationId: undefined, api: undefined, limit: 10 } as const
const REPORTED = { applicationId: 'app_3', api: 'orders', route: 'GET /orders', reason: 'no_credential' } as const
const REFUSAL = {
  applicationId: 'app_3',
  at: NOW,
  api: 'orders',
  error: 'invalid_token',
  reason: 'expired',
  requestId: undefined,
  address: undefined,
  details: {},
} as const

let unique = 0
const batch = (): { id: string; at: number } => ({ id: `batch ${(unique += 1)}`, at: NOW })

/** Calls of a store that is full, in each way that asks the database something else. */
export const STATEMENTS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  'findApplication': (store) => store.findApplication('app_5'),
  'findApplicationByKey': (store) => store.findApplicationByKey('key 9'),
  'findApplicationByKey, with imported hashes': (store) => store.findApplicationByKey('key 9', 'sha256:x', 'sha512:x'),
  'listApplications': (store) => store.listApplications(PAGE),
  'listApplications, the next page': (store) => store.listApplications({ ...PAGE, after: 'app_90' }),
  'listApplications by status': (store) => store.listApplications({ ...PAGE, status: 'suspended' }),
  'listApplications by API': (store) => store.listApplications({ ...PAGE, api: 'orders' }),
  'listApplications by API and status': (store) => store.listApplications({ ...PAGE, api: 'orders', status: 'active' }),
  'listApplications by contact': (store) => store.listApplications({ ...PAGE, contact: 'c7@example.com' }),
  'listApplications by contact and status': (store) => store.listApplications({ ...PAGE, contact: 'c7@example.com', status: 'active' }),
  'listApplications by name': (store) => store.listApplications({ ...PAGE, name: 'name 123.' }),
  'listApplications by external id': (store) => store.listApplications({ ...PAGE, externalId: 'customer 3' }),
  'listApplications by expiry': (store) => store.listApplications({ ...PAGE, expiringBefore: NOW + 100, expiringAfter: NOW }),
  'listApplications, deleted ones with what was decided': (store) => store.listApplications({ ...PAGE, status: 'deleted', hasDecided: true }),
  'listApplications by expiry and API': (store) => store.listApplications({ ...PAGE, api: 'orders', expiringBefore: NOW + 100, expiringAfter: NOW }),
  'listApplications by end': (store) => store.listApplications({ ...PAGE, endingBefore: NOW + 100 }),
  'listApplications by end, the next page': (store) => store.listApplications({ ...PAGE, endingBefore: NOW + 100, after: 'app_5' }),
  'listExpiring': (store) => store.listExpiring({ after: NOW, until: NOW + 100, days: 7, limit: 10 }),
  'saveApplication, when an imported key ends': async (store) => {
    const record = (await store.findApplication('app_6'))!
    const key = credential(`sha256:${(unique += 1)}`, { isImported: true })
    await store.saveApplication({ ...record, keys: [key], version: record.version + 1 }, audit('app_6'))
    await store.saveApplication({ ...record, version: record.version + 2 }, audit('app_6'))
  },
  'saveApplication': async (store) => {
    const record = (await store.findApplication('app_5'))!
    await store.saveApplication({ ...record, version: record.version + 1 }, audit('app_5'), 'removeAll')
  },
  'addApplications': (store) =>
    store.addApplications(
      [{ record: application('app_new', { keys: [credential('key new')] }), audit: audit('app_new'), otherHashes: ['x'] }],
      { write: false },
    ),
  'replaceCredentialHash': (store) => store.replaceCredentialHash({ former: 'sha256:x', hash: 'y', prefix: 'p', usedAt: NOW }),
  'noteCredentialUse': (store) => store.noteCredentialUse([{ hash: 'key 5', at: NOW }], 5),
  'leaseEmail': (store) => store.leaseEmail(NOW, NOW + 1),
  'saveEmail': (store) => store.saveEmail(email(`email new ${(unique += 1)}`, { claimLinks: [{ hash: 'h', expiresAt: NOW }] })),
  'findEmail': (store) => store.findEmail('email 3'),
  'findEmailByClaimLink': (store) => store.findEmailByClaimLink('claim 3'),
  'listEmails of an application': (store) => store.listEmails({ ...EMAILS, applicationId: 'app_3' }),
  'listEmails by state': (store) => store.listEmails({ ...EMAILS, state: 'failed' }),
  'revokeAccessToken': (store) => store.revokeAccessToken({ id: `token ${(unique += 1)}`, expiresAt: NOW + 1 }, NOW),
  'listRevokedAccessTokens': (store) => store.listRevokedAccessTokens(NOW, 10),
  'isAccessTokenRevoked': (store) => store.isAccessTokenRevoked('token 3'),
  'listAudit': (store) => store.listAudit({ after: undefined, limit: 10, applicationId: undefined }),
  'listAudit of an application': (store) => store.listAudit({ after: '3', limit: 10, applicationId: 'app_3' }),
  'listAudit, newest first': (store) => store.listAudit({ after: undefined, limit: 10, applicationId: undefined, newestFirst: true }),
  'listAudit by type': (store) => store.listAudit({ after: undefined, limit: 10, applicationId: undefined, types: ['application.suspended'] }),
  'listAudit by actor': (store) => store.listAudit({ after: undefined, limit: 10, applicationId: undefined, by: 'ann' }),
  'listAudit by time': (store) => store.listAudit({ after: undefined, limit: 10, applicationId: undefined, from: NOW + 10, until: NOW + 20 }),
  'deleteAudit': (store) => store.deleteAudit(NOW - 10, 10),
  'addUsage': (store) => store.addUsage(batch(), [{ day: '2026-11-01', applicationId: 'app_3', api: 'orders', outcome: 'allowed', count: 1 }]),
  'listUsage': (store) => store.listUsage(COUNTS),
  'listUsage, the next page': (store) => store.listUsage({ ...COUNTS, after: { day: '2026-11-01', applicationId: 'app_90', api: 'orders', outcome: 'allowed' } }),
  'listUsage of an API': (store) => store.listUsage({ ...COUNTS, api: 'orders' }),
  'listUsage of an application': (store) => store.listUsage({ ...COUNTS, applicationId: 'app_3' }),
  'listUsage of an application and an API': (store) => store.listUsage({ ...COUNTS, applicationId: 'app_3', api: 'orders' }),
  'addRefusals': (store) => store.addRefusals(batch(), [REFUSAL], 5),
  'addReported': (store) => store.addReported(batch(), [{ ...REPORTED, count: 1, firstAt: NOW, lastAt: NOW }]),
  'listReported': (store) => store.listReported(REPORTED_PAGE),
  'listReported, the next page': (store) => store.listReported({ ...REPORTED_PAGE, after: REPORTED }),
  'listReported of an application': (store) => store.listReported({ ...REPORTED_PAGE, applicationId: 'app_3' }),
  'listReported of an API': (store) => store.listReported({ ...REPORTED_PAGE, api: 'orders' }),
  'listRefusals': (store) => store.listRefusals('app_3', 0),
  'deleteExpiredUsage': (store) =>
    store.deleteExpiredUsage({ countsBefore: '2026-01-01', refusalsBefore: NOW - 10, reportedBefore: NOW - 10, batchesBefore: NOW - 10, limit: 10 }),
  'addSignIn': (store) => store.addSignIn(signIn(`sign-in new ${(unique += 1)}`)),
  'findSignInByLink': (store) => store.findSignInByLink('link-3'),
  'countSignInGuess': (store) => store.countSignInGuess('sign-in 3'),
  'removeSignIn': (store) => store.removeSignIn('sign-in 3'),
  'addSignOut': (store) => store.addSignOut({ subject: 'contact:a@example.com', nonce: 'n', at: NOW, expiresAt: NOW + 1 }),
  'listSignOuts': (store) => store.listSignOuts(['contact:a@example.com', 'session:b']),
  'establishSecret': (store) => store.establishSecret('pepper', 'sealed'),
  'replaceSecret': (store) => store.replaceSecret('pepper', 'another', 'sealed'),
  'listSigningKeys': (store) => store.listSigningKeys(),
  'addSigningKey': (store) => store.addSigningKey(signingKey('kid'), undefined, audit()),
  'resealSigningKey': (store) => store.resealSigningKey('kid', 'another', 'sealed'),
  'removeSigningKey': (store) => store.removeSigningKey('kid', audit()),
  'changesSince': (store) => store.changesSince('5.0'),
} // prettier-ignore
