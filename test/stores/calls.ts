import type { StoreCallName } from '../support/failing-store.js'
import type { StoreWith } from '../../src/shared/contracts/store.js'
import { application, audit, email, NOW, signIn, signingKey } from './suite/records.js'

/** One call of each method that a store must reject before it is open and after it is closed. They can run in this order. */
export const CALLS: readonly (readonly [StoreCallName, (store: StoreWith) => Promise<unknown>])[] = [
  ['establishSecret', (store) => store.establishSecret('pepper', 'p')],
  ['replaceSecret', (store) => store.replaceSecret('pepper', 'p', 'q')],
  ['listSigningKeys', (store) => store.listSigningKeys()],
  ['addSigningKey', (store) => store.addSigningKey(signingKey('k'), undefined, audit())],
  ['resealSigningKey', (store) => store.resealSigningKey('k', 'sealed', 'resealed')],
  ['removeSigningKey', (store) => store.removeSigningKey('k', audit())],
  ['findApplication', (store) => store.findApplication('a')],
  ['findApplicationByKey', (store) => store.findApplicationByKey('k')],
  ['listApplications', (store) => store.listApplications({ after: 'a', limit: 1, api: 'a', status: 'active' })],
  ['emails.listExpiring', (store) => store.emails.listExpiring({ after: 0, until: NOW, days: 1, limit: 1 })],
  ['saveApplication', (store) => store.saveApplication(application('a'), audit(), { save: email('l') })],
  ['noteCredentialUse', (store) => store.noteCredentialUse([{ hash: 'k', at: NOW }])],
  ['emails.lease', (store) => store.emails.lease(NOW, NOW + 1)],
  ['emails.save', (store) => store.emails.save(email('l'))],
  ['emails.find', (store) => store.emails.find('l')],
  ['emails.findByClaimLink', (store) => store.emails.findByClaimLink('c')],
  ['emails.list', (store) => store.emails.list({ applicationId: 'a', state: 'due', limit: 1 })],
  ['revokeAccessToken', (store) => store.revokeAccessToken({ id: 'jti', expiresAt: NOW }, NOW)],
  ['listRevokedAccessTokens', (store) => store.listRevokedAccessTokens(NOW, 1)],
  ['isAccessTokenRevoked', (store) => store.isAccessTokenRevoked('jti')],
  ['listAudit', (store) => store.listAudit({ after: undefined, limit: 1, applicationId: undefined })],
  ['deleteAudit', (store) => store.deleteAudit(0, 1)],
  ['usage.add', (store) => store.usage.add({ id: 'u', at: NOW }, [])],
  [
    'usage.list',
    (store) => store.usage.list({ after: undefined, applicationId: 'a', api: 'a', from: '', to: '', limit: 1 }),
  ],
  [
    'usage.listSums',
    (store) => store.usage.listSums({ period: '2026-01-01', sort: 'refused', after: undefined, limit: 1 }),
  ],
  ['usage.addRefusals', (store) => store.usage.addRefusals({ id: 'r', at: NOW }, [], 1)],
  ['usage.listRefusals', (store) => store.usage.listRefusals('a', NOW)],
  ['usage.addReported', (store) => store.usage.addReported({ id: 'p', at: NOW }, [])],
  [
    'usage.listReported',
    (store) => store.usage.listReported({ after: undefined, applicationId: 'a', api: 'a', limit: 1 }),
  ],
  [
    'usage.deleteExpired',
    (store) =>
      store.usage.deleteExpired({ countsBefore: '', refusalsBefore: 0, reportedBefore: 0, batchesBefore: 0, limit: 1 }),
  ],
  ['quotas.add', (store) => store.quotas.add({ id: 'q', at: NOW }, [])],
  ['quotas.list', (store) => store.quotas.list('a', '2026-11-01', '2026-11-30')],
  ['quotas.deleteExpired', (store) => store.quotas.deleteExpired({ countsBefore: '', batchesBefore: 0, limit: 1 })],
  ['signIns.add', (store) => store.signIns.add(signIn('s'))],
  ['signIns.findByLink', (store) => store.signIns.findByLink('link-s')],
  ['signIns.countGuess', (store) => store.signIns.countGuess('s')],
  ['signIns.remove', (store) => store.signIns.remove('s')],
  [
    'signIns.addSignOut',
    (store) => store.signIns.addSignOut({ subject: 'contact:a@example.com', nonce: 'n', at: NOW, expiresAt: NOW + 1 }),
  ],
  ['signIns.listSignOuts', (store) => store.signIns.listSignOuts(['contact:a@example.com'])],
  ['imports.add', (store) => store.imports.add([], { write: true })],
  [
    'imports.replaceHash',
    (store) => store.imports.replaceHash({ former: 'k', hash: 'h', prefix: 'epa_key_abcd', usedAt: NOW }),
  ],
  ['imports.countHashes', (store) => store.imports.countHashes!()],
  ['processes.announce', (store) => store.processes.announce({ id: 'p', settings: {} }, 1)],
  ['processes.list', (store) => store.processes.list(1)],
  ['processes.remove', (store) => store.processes.remove('p')],
  ['changesSince', (store) => store.changesSince(undefined)],
]
