import { command, option, type ResultPart } from '../command.js'
import { UsageError, EXIT_CODES } from '../errors.js'
import { createTable, formatTime } from '../format.js'
import { findTarget, openTarget, type OpenTarget } from '../target.js'
import { listContacts } from '../../../core/applications/contacts/contact-lists.js'
import { toComparable, compareApplications, type Lack, type Times } from './compare-applications.js'
import type { ApplicationRecord, AuditRecord, RevokedAccessToken, Store } from '../../../store.js'
import { listQueuedEmails } from '../commands/emails.js'
import { shellQuote } from '../../../shared/lib/shell-quote.js'
import type { AuditQuery } from '../../../shared/contracts/store.js'

export const restoreCheckCommand = command({
  name: 'restore-check',
  summary: 'Compares a restored database with the lost one, and lists what the restore has undone. Changes no record.',
  notes: [
    'Suspensions, ended credentials, revocations and what else operators took away come first, then the rest, each with the command that makes it again (its --db or --config is left out), then the audit records since the backup. Processes may be running.',
    'The exit code is 3 if there is something to make again. Audit records do not count: they stay lost.',
  ],
  options: {
    lost: {
      ...option.text('ADDRESS', 'The lost database: postgres://..., or the path of a SQLite file.'),
      required: true,
    },
  },
  audited: false,
  example: 'restore-check --db platform.sqlite --lost lost/platform.sqlite',
  async run({ platform, store, target, values }) {
    const lostTarget = await findTarget({ db: values.lost }, {}, { name: 'restore-check', requires: 'store' })
    // The same database lacks nothing, which would be a wrong comfort.
    if (lostTarget.database && lostTarget.database.address === target.database?.address)
      throw new UsageError('--lost names the restored database itself. Name the one that was lost.', 'restore-check')
    let lacks = 0
    async function* list(): AsyncGenerator<ResultPart> {
      let opened: OpenTarget | undefined
      try {
        opened = await openTarget(lostTarget, { requires: 'store', queuesEmails: false })
        const lost = opened.store
        const comparison = await createComparison(lost, store, (await platform.signingKeys.list()).items)
        // Read once for each list, so that memory is bounded.
        for (const first of [true, false]) {
          const title = first ? 'To be done again first:\n' : 'The rest:\n'
          const formatLacks = createTable(['what', 'application', 'details', 'redo'], title)
          for await (const page of readLacks(comparison, first)) {
            lacks += page.length
            const rows = page.map(({ what, applicationId = '-', details = '-', redo = '-' }) => {
              return [what, applicationId, details, redo]
            })
            yield { items: page, formatText: () => formatLacks(rows) }
          }
        }
        yield* listUndone(comparison)
        // A sentence for people. Scripts have the exit code.
        if (lacks === 0)
          yield { items: [], formatText: () => 'The restored database lacks nothing that would have to be done again.' }
      } finally {
        await opened?.platform.close().catch(() => undefined)
        await lostTarget.close().catch(() => undefined)
      }
    }
    return {
      parts: list(),
      get exitCode() {
        return lacks > 0 ? EXIT_CODES.problemFound : EXIT_CODES.done
      },
    }
  },
})

async function* listUndone({ lost, common }: Comparison): AsyncGenerator<ResultPart> {
  const title = 'Undone, by the audit log of the lost database:\n'
  const formatRecords = createTable(['at', 'what', 'by', 'application', 'details'], title)
  for await (const records of readRecords(lost, { after: common?.id })) {
    const rows = records.map(({ at, type, by, applicationId, details }) => {
      return [formatTime(at), type, by ?? '-', applicationId ?? '-', toComparable(details)]
    })
    yield {
      items: records.map(({ at, ...record }) => ({ list: 'audit', ...record, at: new Date(at) })),
      formatText: () => formatRecords(rows),
    }
  }
}

type Comparison = Awaited<ReturnType<typeof createComparison>>

/** `verifying`: the signing keys of the restored database. */
async function createComparison(
  lost: Store,
  restored: Store,
  verifying: readonly { readonly kid: string; readonly createdAt: Date }[],
) {
  const query = { after: undefined, limit: 1, applicationId: undefined, newestFirst: true }
  const [newest] = await lost.listAudit(query)
  const common = await findNewestCommon(lost, restored)
  const lostKids = new Set((await lost.listSigningKeys()).map(({ kid }) => kid))
  const end = newest?.at ?? Infinity
  // A key that was made after the restore has signed no access token that the lost database knew of.
  const kids = verifying.filter(({ createdAt }) => createdAt.getTime() <= end).map(({ kid }) => kid)
  const times = { now: Date.now(), backup: common?.at ?? -Infinity, lost: end, verifiesLostTokens: kids.length > 0 }
  return { lost, restored, times, common, kids, lostKids }
}

/** What the restored database lacks, page by page; with `first` what is to be redone first, otherwise the rest. */
async function* readLacks(comparison: Comparison, first: boolean) {
  const list = first ? ('first' as const) : ('rest' as const)
  for await (const page of readAll(comparison, first)) {
    // JSON leaves `first` out: `list` says it.
    const items = page.filter((lack) => lack.first === first).map((lack) => ({ list, ...lack, first: undefined }))
    if (items.length > 0) yield items
  }
}

async function* readAll(comparison: Comparison, first: boolean): AsyncGenerator<readonly Lack[]> {
  if (first) yield [...listRevokedKeys(comparison), ...(await listSecrets(comparison))]
  if (first) yield await listRevokedTokens(comparison)
  // Deleted applications are listed only if they are asked for.
  for (const status of ['deleted', undefined] as const) {
    for await (const page of readApplications(comparison.lost, status))
      yield await comparePage(comparison, page, status)
  }
}

/** Keys that the lost database had no more, and that verify again. */
function listRevokedKeys({ kids, lostKids }: Comparison): Lack[] {
  return kids
    .filter((kid) => !lostKids.has(kid))
    .map((kid) => ({ first: true, what: 'signing key revoked', details: kid, redo: `signing-keys revoke ${kid}` }))
}

/** The session secret cannot be compared without the option `secret`: the audit log says whether it was replaced. */
async function listSecrets({ lost, restored, common, times }: Comparison): Promise<Lack[]> {
  const query = { limit: 1, applicationId: undefined, types: ['sessionSecret.replaced'] }
  const [replaced] = await lost.listAudit({ ...query, after: common?.id })
  if (!replaced) return []
  const [again] = await restored.listAudit({ ...query, after: undefined, from: times.lost + 1 })
  return again ? [] : [{ first: true, what: 'session secret replaced', redo: 'session-secret replace' }]
}

/** A token cannot be revoked by its id, so the keys that may have signed it are named. */
async function listRevokedTokens({ lost, restored, times, kids }: Comparison): Promise<Lack[]> {
  let count = 0
  let latest = 0
  if (!times.verifiesLostTokens) return []
  for await (const tokens of readRevokedTokens(lost, times.now)) {
    for (const { id, expiresAt } of tokens) {
      if (await restored.isAccessTokenRevoked(id)) continue
      count += 1
      latest = Math.max(latest, expiresAt)
    }
  }
  if (count === 0) return []
  const details = `${count}, valid until ${formatTime(latest)} at the latest`
  return kids.map((id) => ({ first: true, what: 'revoked access tokens', details, redo: `signing-keys revoke ${id}` }))
}

const PAGE_SIZE = 500

/** They are listed by their expiry: a page starts again with the last expiry of the page before, because several have the same one. */
async function* readRevokedTokens(store: Store, now: number): AsyncGenerator<readonly RevokedAccessToken[]> {
  let start = now
  let seen: ReadonlySet<string> = new Set()
  for (let limit = PAGE_SIZE; ;) {
    const tokens = await store.listRevokedAccessTokens(start, limit)
    yield tokens.filter(({ id }) => !seen.has(id))
    if (tokens.length < limit) return
    const last = tokens.at(-1)!.expiresAt
    const isStuck = last - 1 <= start
    if (isStuck) limit *= 2
    seen = new Set(tokens.filter(({ expiresAt }) => isStuck || expiresAt === last).map(({ id }) => id))
    start = Math.max(start, last - 1)
  }
}

async function* readApplications(store: Store, status: 'deleted' | undefined) {
  for (let after: string | undefined; ;) {
    const records = await store.listApplications({ after, limit: PAGE_SIZE, api: undefined, status })
    yield { after, records }
    if (records.length < PAGE_SIZE) return
    after = records.at(-1)!.id
  }
}

/** Both databases list most of the same applications after the same one. The others are looked up. */
async function comparePage(
  { lost, restored, times }: Comparison,
  { after, records }: { readonly after: string | undefined; readonly records: readonly ApplicationRecord[] },
  status: 'deleted' | undefined,
): Promise<readonly Lack[]> {
  const listed = await restored.listApplications({ after, limit: PAGE_SIZE, api: undefined, status })
  const found = new Map(listed.map((record) => [record.id, record]))
  const lacks: Lack[] = []
  const contacts = new Set<string>()
  for (const record of records) {
    const other = found.get(record.id) ?? (await restored.findApplication(record.id))
    lacks.push(...compareApplications(record, other, times))
    if (!other || other.status === 'deleted') continue
    for (const address of [...listContacts(record), ...listContacts(other)]) contacts.add(address.toLowerCase())
    if (toComparable(record) !== toComparable(other))
      lacks.push(...(await compareEmails(lost, restored, record, times)))
  }
  return [...lacks, ...(await compareSignOuts(lost, restored, [...contacts]))]
}

/** E-mails that were sent, cancelled or claimed: they would be sent again, or their links work again, but for one that waits for approval. Operators may get one again. */
async function compareEmails(
  lost: Store,
  restored: Store,
  { id: applicationId, status }: ApplicationRecord,
  times: Times,
): Promise<Lack[]> {
  // Reported as deleted; `apps delete` removes its e-mails.
  if (status === 'deleted') return []
  const queued = await listQueuedEmails(restored, { applicationId })
  const waiting = queued.filter(({ createdAt, state }) => createdAt <= times.lost && state !== 'held')
  if (waiting.length === 0) return []
  const kept = new Set((await listQueuedEmails(lost, { applicationId })).map(({ id }) => id))
  const gone = waiting.filter(({ id, purpose }) => !kept.has(id) && purpose !== 'approvalRequest')
  if (gone.length === 0) return []
  const details = gone.map(({ purpose }) => purpose).join(', ')
  // The command cancels all of them. One that still has to be sent, such as that of a registration, must not be lost.
  const redo = gone.length === waiting.length ? { redo: `emails cancel ${applicationId}` } : {}
  return [{ first: true, what: 'e-mails sent or ended', applicationId, details, ...redo }]
}

async function compareSignOuts(lost: Store, restored: Store, contacts: readonly string[]): Promise<Lack[]> {
  if (!lost.signIns || !restored.signIns || contacts.length === 0) return []
  const subjects = contacts.map((address) => `contact:${address}`)
  const kept = new Map((await restored.signIns.listSignOuts(subjects)).map(({ subject, at }) => [subject, at]))
  const signOuts = await lost.signIns.listSignOuts(subjects)
  return signOuts
    .filter(({ subject, at }) => (kept.get(subject) ?? 0) < at)
    .map(({ subject }) => {
      const address = subject.slice('contact:'.length)
      return { first: true, what: 'signed out', details: address, redo: `portal sign-out ${shellQuote(address)}` }
    })
}

const AUDIT_PAGE_SIZE = 1000
type AuditLog = Pick<Store, 'listAudit'>

/**
 * The newest audit record of the lost database that the restored one has too, by its content: it was in the backup, and so was
 * everything before it. The ids of the restored database say nothing, because it gives them away again. Records that retention has
 * deleted from the restored database are older.
 */
async function findNewestCommon(lost: AuditLog, restored: AuditLog): Promise<AuditRecord | undefined> {
  for await (const records of readRecords(lost, { newestFirst: true })) {
    const kept = await findKept(records, restored)
    const common = records.find((record) => kept.has(describeContent(record)))
    if (common) return common
  }
  return undefined
}

async function* readRecords(log: AuditLog, { after, ...query }: Partial<AuditQuery>) {
  for (let last = after; ;) {
    const records = await log.listAudit({ ...query, after: last, limit: AUDIT_PAGE_SIZE, applicationId: undefined })
    if (records.length > 0) yield records
    if (records.length < AUDIT_PAGE_SIZE) return
    last = records.at(-1)!.id
  }
}

/** The contents of a page that the restored database has. It keeps no more of that database in memory than the page. */
async function findKept(records: readonly AuditRecord[], restored: AuditLog): Promise<ReadonlySet<string>> {
  const wanted = new Set(records.map(describeContent))
  const kept = new Set<string>()
  const times = records.map(({ at }) => at)
  for await (const page of readRecords(restored, { from: Math.min(...times), until: Math.max(...times) + 1 }))
    for (const content of page.map(describeContent)) if (wanted.has(content)) kept.add(content)
  return kept
}

function describeContent({ at, type, by, applicationId, details }: AuditRecord): string {
  return toComparable({ at, type, by, applicationId, details })
}
