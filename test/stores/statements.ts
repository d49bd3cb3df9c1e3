import type { StoreWith } from '../../src/shared/contracts/store.js'
import { application, audit, credential, email, NOW, signIn, signingKey } from './suite/records.js'

const PAGE = { after: undefined, limit: 10, api: undefined, status: undefined } as const
const EXPIRING = { expiringAfter: NOW, expiringBefore: NOW + 1_000_000 } as const
const COUNTS = {
  after: undefined,
  applicationId: undefined,
  api: undefined,
  from: '2026-01-01',
  to: '2026-12-31',
  limit: 10,
} as const
const EMAILS = { applicationId: undefined, state: undefined, limit: 10 } as const

const SUMS = { period: '2026-11-01', sort: 'refused', after: undefined, limit: 10 } as const
const USED = { plan: 'free', period: '2026-11-01', atLeast: 10, after: undefined, limit: 10 } as const
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
export const STATEMENTS: Readonly<Record<string, (store: StoreWith) => Promise<unknown>>> = {
  findApplication: (store) => store.findApplication('app_5'),
  findApplicationByKey: (store) => store.findApplicationByKey('key 9'),
  'findApplicationByKey, with imported hashes': (store) => store.findApplicationByKey('key 9', 'sha256:x', 'sha512:x'),
  listApplications: (store) => store.listApplications(PAGE),
  'listApplications, the next page': (store) => store.listApplications({ ...PAGE, after: 'app_90' }),
  'listApplications by status': (store) => store.listApplications({ ...PAGE, status: 'suspended' }),
  'listApplications by API': (store) => store.listApplications({ ...PAGE, api: 'orders' }),
  'listApplications by API and status': (store) => store.listApplications({ ...PAGE, api: 'orders', status: 'active' }),
  'listApplications by contact': (store) => store.listApplications({ ...PAGE, contact: 'c7@example.com' }),
  'listApplications by name': (store) => store.listApplications({ ...PAGE, name: 'name 123.' }),
  'listApplications by the beginning of a name that all have': (store) =>
    store.listApplications({ ...PAGE, name: 'name' }),
  'listApplications by the beginning of a name that all have, the next page': (store) =>
    store.listApplications({ ...PAGE, name: 'name', after: 'app_500', afterKey: 'name 500.' }),
  'listApplications by the prefix of a credential': (store) => store.listApplications({ ...PAGE, credential: 'pref3' }),
  'listApplications by the prefix of a credential that all have, the next page': (store) =>
    store.listApplications({ ...PAGE, credential: 'prefix', after: 'app_500' }),
  'listApplications by external id': (store) => store.listApplications({ ...PAGE, externalId: 'customer 3' }),
  'listApplications by an expiry that 1 in 40 has': (store) => store.listApplications({ ...PAGE, ...EXPIRING }),
  'listApplications by an expiry that 1 in 40 has, a long page': (store) =>
    store.listApplications({ ...PAGE, ...EXPIRING, limit: 20 }),
  'listApplications by an expiry that 1 in 40 has, the next page': (store) =>
    store.listApplications({ ...PAGE, ...EXPIRING, after: 'app_520', afterKey: NOW + 520 }),
  'listApplications by expiry': (store) =>
    store.listApplications({ ...PAGE, expiringBefore: NOW + 100, expiringAfter: NOW }),
  'listApplications, deleted ones with what was decided': (store) =>
    store.listApplications({ ...PAGE, hasDecided: true }),
  'listApplications by plan': (store) => store.listApplications({ ...PAGE, plan: 'gold' }),
  'listApplications that wait': (store) => store.listApplications({ ...PAGE, waiting: true }),
  'listApplications that wait, the next page': (store) =>
    store.listApplications({ ...PAGE, waiting: true, after: 'app_600', afterKey: NOW - 600 }),
  'listApplications by last use': (store) => store.listApplications({ ...PAGE, usedSince: NOW - 400 }),
  'listApplications by last use, the next page': (store) =>
    store.listApplications({ ...PAGE, usedBefore: NOW - 100, after: 'app_900', afterKey: NOW - 900 }),
  'listApplications never used': (store) => store.listApplications({ ...PAGE, neverUsed: true, after: 'app_501' }),
  'listApplications by any plan': (store) => store.listApplications({ ...PAGE, plan: true }),
  'listApplications by end': (store) => store.listApplications({ ...PAGE, endingBefore: NOW + 100 }),
  'listApplications by end, the next page': (store) =>
    store.listApplications({ ...PAGE, endingBefore: NOW + 100, after: 'app_5' }),
  'emails.listExpiring': (store) => store.emails.listExpiring({ after: NOW, until: NOW + 100, days: 7, limit: 10 }),
  'saveApplication, when an imported key ends': async (store) => {
    const record = (await store.findApplication('app_6'))!
    const key = credential(`sha256:${(unique += 1)}`, { isImported: true })
    await store.saveApplication({ ...record, keys: [key], version: record.version + 1 }, audit('app_6'))
    await store.saveApplication({ ...record, version: record.version + 2 }, audit('app_6'))
  },
  saveApplication: async (store) => {
    const record = (await store.findApplication('app_5'))!
    await store.saveApplication({ ...record, version: record.version + 1 }, audit('app_5'), 'removeAll')
  },
  'imports.add': (store) =>
    store.imports.add(
      [
        {
          record: application('app_new', { keys: [credential('key new')] }),
          audit: audit('app_new'),
          otherHashes: ['x'],
        },
      ],
      { write: false },
    ),
  'imports.replaceHash': (store) =>
    store.imports.replaceHash({ former: 'sha256:x', hash: 'y', prefix: 'p', usedAt: NOW }),
  noteCredentialUse: (store) => store.noteCredentialUse([{ hash: 'key 5', at: NOW }], 5),
  'emails.lease': (store) => store.emails.lease(NOW, NOW + 1),
  'emails.save': (store) =>
    store.emails.save(email(`email new ${(unique += 1)}`, { claimLinks: [{ hash: 'h', expiresAt: NOW }] })),
  'emails.find': (store) => store.emails.find('email 3'),
  'emails.findByClaimLink': (store) => store.emails.findByClaimLink('claim 3'),
  'emails.list of an application': (store) => store.emails.list({ ...EMAILS, applicationId: 'app_3' }),
  'emails.list by state, the next page': (store) =>
    store.emails.list({ ...EMAILS, state: 'due', after: { id: 'email 40', dueAt: NOW - 500 } }),
  'emails.list of all, the next page': (store) =>
    store.emails.list({ ...EMAILS, after: { id: 'sent', dueAt: NOW - 100 } }),
  'emails.list by state': (store) => store.emails.list({ ...EMAILS, state: 'failed' }),
  revokeAccessToken: (store) => store.revokeAccessToken({ id: `token ${(unique += 1)}`, expiresAt: NOW + 1 }, NOW),
  listRevokedAccessTokens: (store) => store.listRevokedAccessTokens(NOW, 10),
  isAccessTokenRevoked: (store) => store.isAccessTokenRevoked('token 3'),
  listAudit: (store) => store.listAudit({ after: undefined, limit: 10, applicationId: undefined }),
  'listAudit of an application': (store) => store.listAudit({ after: '3', limit: 10, applicationId: 'app_3' }),
  'listAudit, newest first': (store) =>
    store.listAudit({ after: undefined, limit: 10, applicationId: undefined, newestFirst: true }),
  'listAudit by type': (store) =>
    store.listAudit({ after: undefined, limit: 10, applicationId: undefined, types: ['application.suspended'] }),
  'listAudit by actor': (store) =>
    store.listAudit({ after: undefined, limit: 10, applicationId: undefined, by: 'ann' }),
  'listAudit by time': (store) =>
    store.listAudit({ after: undefined, limit: 10, applicationId: undefined, from: NOW + 10, until: NOW + 20 }),
  'listAudit of the last records by time': async (store) => {
    const [newest] = await store.listAudit({ after: undefined, limit: 1, applicationId: undefined, newestFirst: true })
    return store.listAudit({ after: undefined, limit: 10, applicationId: undefined, from: newest!.at - 5 })
  },
  'listAudit of the first records by time': (store) =>
    store.listAudit({ after: undefined, limit: 10, applicationId: undefined, until: NOW + 5, newestFirst: true }),
  'listAudit of the last records by time and type': async (store) => {
    const [newest] = await store.listAudit({ after: undefined, limit: 1, applicationId: undefined, newestFirst: true })
    const types = ['application.suspended']
    return store.listAudit({ after: undefined, limit: 10, applicationId: undefined, from: newest!.at - 500, types })
  },
  'listAudit of the last records by time and actor': async (store) => {
    const [newest] = await store.listAudit({ after: undefined, limit: 1, applicationId: undefined, newestFirst: true })
    return store.listAudit({ after: undefined, limit: 10, applicationId: undefined, from: newest!.at - 500, by: 'ann' })
  },
  'listAudit by time, type and actor, newest first': (store) =>
    store.listAudit({
      after: '15',
      limit: 10,
      applicationId: undefined,
      from: NOW + 10,
      types: ['application.suspended'],
      by: 'ann',
      newestFirst: true,
    }),
  deleteAudit: (store) => store.deleteAudit(NOW - 10, 10),
  'usage.add': (store) =>
    store.usage.add(batch(), [
      { day: '2026-11-01', applicationId: 'app_3', api: 'orders', outcome: 'allowed', count: 1 },
    ]),
  'usage.list': (store) => store.usage.list(COUNTS),
  'usage.list, the next page': (store) =>
    store.usage.list({
      ...COUNTS,
      after: { day: '2026-11-01', applicationId: 'app_90', api: 'orders', outcome: 'allowed' },
    }),
  'usage.list of an API': (store) => store.usage.list({ ...COUNTS, api: 'orders' }),
  'usage.list of an API that the last five call': (store) => store.usage.list({ ...COUNTS, api: 'rare' }),
  'usage.list by month of an API that the last five call': (store) =>
    store.usage.list({ ...COUNTS, by: 'month', api: 'rare' }),
  'usage.list of days without counts': (store) => store.usage.list({ ...COUNTS, from: '2026-12-01', to: '2026-12-31' }),
  'usage.list by route of days without counts': (store) =>
    store.usage.list({ ...COUNTS, routes: true, from: '2026-12-01', to: '2026-12-31' }),
  'usage.list of an application': (store) => store.usage.list({ ...COUNTS, applicationId: 'app_3' }),
  'usage.list of an application and an API': (store) =>
    store.usage.list({ ...COUNTS, applicationId: 'app_3', api: 'orders' }),
  'usage.list by month': (store) => store.usage.list({ ...COUNTS, by: 'month' }),
  'usage.list by month, the next page': (store) =>
    store.usage.list({
      ...COUNTS,
      by: 'month',
      after: { day: '2026-11', applicationId: 'app_90', api: 'orders', outcome: 'allowed' },
    }),
  'usage.list by month of an API': (store) => store.usage.list({ ...COUNTS, by: 'month', api: 'orders' }),
  'usage.list by month of an application': (store) =>
    store.usage.list({ ...COUNTS, by: 'month', applicationId: 'app_3' }),
  'usage.list by month of an application and an API': (store) =>
    store.usage.list({ ...COUNTS, by: 'month', applicationId: 'app_3', api: 'orders' }),
  'usage.list by route': (store) => store.usage.list({ ...COUNTS, routes: true }),
  'usage.list by route, the next page': (store) =>
    store.usage.list({
      ...COUNTS,
      routes: true,
      after: { day: '2026-11-01', applicationId: 'app_90', api: 'orders', outcome: 'allowed', route: 'GET /' },
    }),
  'usage.list by route and month of an application': (store) =>
    store.usage.list({ ...COUNTS, routes: true, by: 'month', applicationId: 'app_3' }),
  'usage.list of all applications together': (store) => store.usage.list({ ...COUNTS, overall: true, by: 'month' }),
  'usage.listSums': (store) => store.usage.listSums(SUMS),
  'usage.listSums of a month, most calls first, the next page': (store) =>
    store.usage.listSums({ ...SUMS, period: '2026-11', sort: 'allowed', after: { applicationId: 'app_5', count: 50 } }),
  'quotas.listUsed': (store) => store.quotas.listUsed(USED),
  'quotas.listUsed in a month, the next page': (store) =>
    store.quotas.listUsed({ ...USED, period: '2026-11', after: { count: 50, applicationId: 'app_50' } }),
  'usage.addRefusals': (store) => store.usage.addRefusals(batch(), [REFUSAL], 5),
  'usage.addReported': (store) =>
    store.usage.addReported(batch(), [{ ...REPORTED, count: 1, firstAt: NOW, lastAt: NOW }]),
  'usage.listReported': (store) => store.usage.listReported(REPORTED_PAGE),
  'usage.listReported, the next page': (store) => store.usage.listReported({ ...REPORTED_PAGE, after: REPORTED }),
  'usage.listReported of an application': (store) =>
    store.usage.listReported({ ...REPORTED_PAGE, applicationId: 'app_3' }),
  'usage.listReported of an API': (store) => store.usage.listReported({ ...REPORTED_PAGE, api: 'orders' }),
  'usage.listRefusals': (store) => store.usage.listRefusals('app_3', 0),
  'usage.deleteExpired': (store) =>
    store.usage.deleteExpired({
      countsBefore: '2026-01-01',
      refusalsBefore: NOW - 10,
      reportedBefore: NOW - 10,
      batchesBefore: NOW - 10,
      limit: 10,
    }),
  'signIns.add': (store) => store.signIns.add(signIn(`sign-in new ${(unique += 1)}`)),
  'signIns.findByLink': (store) => store.signIns.findByLink('link-3'),
  'signIns.countGuess': (store) => store.signIns.countGuess('sign-in 3'),
  'signIns.remove': (store) => store.signIns.remove('sign-in 3'),
  'signIns.addSignOut': (store) =>
    store.signIns.addSignOut({ subject: 'contact:a@example.com', nonce: 'n', at: NOW, expiresAt: NOW + 1 }),
  'signIns.listSignOuts': (store) => store.signIns.listSignOuts(['contact:a@example.com', 'session:b']),
  establishSecret: (store) => store.establishSecret('pepper', 'sealed'),
  replaceSecret: (store) => store.replaceSecret('pepper', 'another', 'sealed'),
  listSigningKeys: (store) => store.listSigningKeys(),
  addSigningKey: (store) => store.addSigningKey(signingKey('kid'), undefined, audit()),
  resealSigningKey: (store) => store.resealSigningKey('kid', 'another', 'sealed'),
  removeSigningKey: (store) => store.removeSigningKey('kid', audit()),
  changesSince: (store) => store.changesSince('5.0'),
}
