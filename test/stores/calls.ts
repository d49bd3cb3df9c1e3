import type { Store } from '../../src/contracts/store.js'
import { application, audit, email, NOW, signIn, signingKey } from './records.js'

/** One call of each method that a store must reject before it is open and after it is closed. They can run in this order. */
export const CALLS: readonly (readonly [keyof Store, (store: Store) => Promise<unknown>])[] = [
  ['establishSecret', (store) => store.establishSecret('pepper', 'p')],
  ['replaceSecret', (store) => store.replaceSecret('pepper', 'p', 'q')],
  ['listSigningKeys', (store) => store.listSigningKeys()],
  ['addSigningKey', (store) => store.addSigningKey(signingKey('k'), undefined, audit())],
  ['resealSigningKey', (store) => store.resealSigningKey('k', 'sealed', 'resealed')],
  ['removeSigningKey', (store) => store.removeSigningKey('k', audit())],
  ['findApplication', (store) => store.findApplication('a')],
  ['findApplicationByKey', (store) => store.findApplicationByKey('k')],
  ['listApplications', (store) => store.listApplications({ after: 'a', limit: 1, api: 'a', status: 'active' })],
  ['listExpiring', (store) => store.listExpiring({ after: 0, until: NOW, days: 1, limit: 1 })],
  ['saveApplication', (store) => store.saveApplication(application('a'), audit(), { save: email('l') })],
  ['noteCredentialUse', (store) => store.noteCredentialUse([{ hash: 'k', at: NOW }])],
  ['leaseEmail', (store) => store.leaseEmail(NOW, NOW + 1)],
  ['saveEmail', (store) => store.saveEmail(email('l'))],
  ['findEmail', (store) => store.findEmail('l')],
  ['findEmailByClaimLink', (store) => store.findEmailByClaimLink('c')],
  ['listEmails', (store) => store.listEmails({ applicationId: 'a', state: 'due', limit: 1 })],
  ['revokeAccessToken', (store) => store.revokeAccessToken({ id: 'jti', expiresAt: NOW }, NOW)],
  ['listRevokedAccessTokens', (store) => store.listRevokedAccessTokens(NOW, 1)],
  ['isAccessTokenRevoked', (store) => store.isAccessTokenRevoked('jti')],
  ['listAudit', (store) => store.listAudit({ after: undefined, limit: 1, applicationId: undefined })],
  ['deleteAudit', (store) => store.deleteAudit(0, 1)],
  ['addUsage', (store) => store.addUsage({ id: 'u', at: NOW }, [])],
  [
    'listUsage',
    (store) => store.listUsage({ after: undefined, applicationId: 'a', api: 'a', from: '', to: '', limit: 1 }),
  ],
  ['addRefusals', (store) => store.addRefusals({ id: 'r', at: NOW }, [], 1)],
  ['listRefusals', (store) => store.listRefusals('a', NOW)],
  [
    'deleteExpiredUsage',
    (store) =>
      store.deleteExpiredUsage({ countsBefore: '', refusalsBefore: 0, reportedBefore: 0, batchesBefore: 0, limit: 1 }),
  ],
  ['addSignIn', (store) => store.addSignIn(signIn('s'))],
  ['findSignInByLink', (store) => store.findSignInByLink('link-s')],
  ['countSignInGuess', (store) => store.countSignInGuess('s')],
  ['removeSignIn', (store) => store.removeSignIn('s')],
  [
    'addSignOut',
    (store) => store.addSignOut({ subject: 'contact:a@example.com', nonce: 'n', at: NOW, expiresAt: NOW + 1 }),
  ],
  ['listSignOuts', (store) => store.listSignOuts(['contact:a@example.com'])],
  ['changesSince', (store) => store.changesSince(undefined)],
]
