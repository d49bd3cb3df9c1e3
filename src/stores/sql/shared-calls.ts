import type { StoreWith } from '../../shared/contracts/store.js'
import { addAssertion, isAccessTokenRevoked, listRevokedAccessTokens, revokeAccessToken } from './ended-tokens.js'
import { deleteAudit, hasAuditBefore, listAudit } from './audit.js'
import type { Dialect, Work } from './work.js'
import {
  findEmail,
  findEmailByClaimLink,
  isEmailDue,
  leaseEmail,
  listEmails,
  listExpiring,
  writeEmail,
} from './emails.js'
import { listApplications, findApplication, findApplicationByKey } from './find-applications.js'
import { countImportedHashes, noteCredentialUse, replaceCredentialHash } from './credentials.js'
import { announceProcess, listProcesses, removeProcess } from './processes.js'
import { addQuotas, deleteExpiredQuotas, hasExpiredQuotas, listQuotas, listUsed } from './quotas.js'
import {
  addReported,
  listReported,
  addRefusals,
  addUsage,
  deleteExpiredUsage,
  hasExpiredUsage,
  listRefusals,
  listSums,
} from './usage.js'
import { addApplications, saveApplication } from './save-application.js'
import {
  establishSecret,
  findSecret,
  replaceSecret,
  addSigningKey,
  listSigningKeys,
  removeSigningKey,
  resealSigningKey,
} from './secrets.js'
import { addSignIn, addSignOut, countSignInGuess, findSignInByLink, listSignOuts, removeSignIn } from './sign-ins.js'

/** The calls of a store that are the same in both databases. */
type SharedCalls = Omit<
  StoreWith,
  'kind' | 'pollInterval' | 'concurrentCalls' | 'clock' | 'open' | 'close' | 'watch' | 'diagnose' | 'changesSince'
>

type Run = <Result>(start: () => Work<Result>) => Promise<Result>

/** `read` and `write` run work on the open database, `write` in a transaction, where it may be started more than once. */
export function createSharedCalls({ read, write }: Record<'read' | 'write', Run>, dialect: Dialect): SharedCalls {
  return {
    establishSecret: async (name, sealed) =>
      (await read(() => findSecret(name))) ?? write(() => establishSecret(name, sealed)),
    replaceSecret: (name, former, sealed, audit) => write(() => replaceSecret(dialect, name, former, sealed, audit)),

    listSigningKeys: () => read(listSigningKeys),
    addSigningKey: (key, newest, audit) => write(() => addSigningKey(dialect, key, newest, audit)),
    resealSigningKey: (kid, former, sealed) => write(() => resealSigningKey(kid, former, sealed)),
    removeSigningKey: (kid, audit) => write(() => removeSigningKey(dialect, kid, audit)),

    findApplication: (id) => read(() => findApplication(dialect, id)),
    findApplicationByKey: (...hashes) => read(() => findApplicationByKey(dialect, hashes)),
    noteCredentialUse: (uses, minimumAge) => write(() => noteCredentialUse(dialect, uses, minimumAge)),
    listApplications: (query) => read(() => listApplications(dialect, query)),
    saveApplication: (record, audit, ...emails) => write(() => saveApplication(dialect, record, audit, emails)),

    revokeAccessToken: (token, now) => write(() => revokeAccessToken(dialect, token, now)),
    listRevokedAccessTokens: (now, limit) => read(() => listRevokedAccessTokens(now, limit)),
    isAccessTokenRevoked: (id) => read(() => isAccessTokenRevoked(id)),

    listAudit: (query) => read(() => listAudit(query)),
    deleteAudit: async (before, limit) =>
      (await read(() => hasAuditBefore(before))) ? write(() => deleteAudit(before, limit)) : 0,

    emails: {
      lease: async (now, until) =>
        (await read(() => isEmailDue(now))) ? write(() => leaseEmail(dialect, now, until)) : undefined,
      save: (email) => write(() => writeEmail(email)),
      find: (id) => read(() => findEmail(id)),
      findByClaimLink: (hash) => read(() => findEmailByClaimLink(hash)),
      list: (query) => read(() => listEmails(query)),
      listExpiring: (query) => read(() => listExpiring(query)),
    },

    usage: {
      add: (batch, counts) => write(() => addUsage(dialect, batch, counts)),
      list: (query) => read(() => dialect.listUsage(query)),
      listSums: (query) => read(() => listSums(query)),
      addReported: (batch, counts) => write(() => addReported(dialect, batch, counts)),
      listReported: (query) => read(() => listReported(query)),
      addRefusals: (batch, refusals, kept) => write(() => addRefusals(dialect, batch, refusals, kept)),
      listRefusals: (applicationId, after) => read(() => listRefusals(applicationId, after)),
      deleteExpired: async (expired) =>
        (await read(() => hasExpiredUsage(expired))) ? write(() => deleteExpiredUsage(dialect, expired)) : 0,
    },

    quotas: {
      add: (batch, counts) => write(() => addQuotas(dialect, batch, counts)),
      list: (applicationId, from, to) => read(() => listQuotas(applicationId, from, to)),
      listUsed: (query) => read(() => listUsed(query)),
      deleteExpired: async (expired) =>
        (await read(() => hasExpiredQuotas(expired))) ? write(() => deleteExpiredQuotas(dialect, expired)) : 0,
    },

    signIns: {
      add: (signIn) => write(() => addSignIn(dialect, signIn)),
      findByLink: (linkHash) => read(() => findSignInByLink(linkHash)),
      countGuess: (id) => write(() => countSignInGuess(id)),
      remove: (id) => write(() => removeSignIn(id)),
      addSignOut: (signOut) => write(() => addSignOut(dialect, signOut)),
      listSignOuts: (subjects) => read(() => listSignOuts(subjects)),
    },

    assertions: { add: (assertion, bounds) => write(() => addAssertion(dialect, assertion, bounds)) },

    processes: {
      announce: (process, lifetime) => write(() => announceProcess(dialect, process, lifetime)),
      list: (lifetime) => read(() => listProcesses(dialect, lifetime)),
      remove: (id) => write(() => removeProcess(dialect, id)),
    },

    imports: {
      add: (applications, options) =>
        (options.write ? write : read)(() => addApplications(dialect, applications, options)),
      replaceHash: (replacement) => write(() => replaceCredentialHash(dialect, replacement)),
      countHashes: () => read(countImportedHashes),
    },
  }
}
