import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type {
  ApplicationQuery,
  ApplicationRecord,
  AuditQuery,
  AuditRecord,
  Change,
  EmailQuery,
  QueuedEmail,
  StoreWith,
} from '../../store.js'

/** The stores of one test, both open on the same database. */
export interface OpenedStores {
  readonly store: StoreWith
  /** A second store on the same database; the same object if the stores of one process share it. */
  readonly other: StoreWith
}

/** Collects tests, with the functions by which test runners name them. */
export interface TestCollector {
  readonly describe: (subject: string, define: () => void) => void
  readonly it: (behaviour: string, run: () => Promise<void>) => void
}

/** The entries that a call adds to the audit and to the change feed. */
export interface Traces {
  readonly audit: number
  readonly changes: readonly Change[]
}

export const NO_TRACES: Traces = { audit: 0, changes: [] }

/** Cursors and ids that no store issues. `Number()` or `parseInt()` would read some of them as numbers. */
export const MALFORMED_CURSORS = [
  '',
  ' ',
  '1abc',
  'abc',
  '-1',
  '+1',
  '1.5',
  '1e0',
  '0x1',
  '01',
  ' 1',
  '1\n',
  '999999',
  '9007199254740993',
  '9'.repeat(40),
  '1'.repeat(10_000),
  'NaN',
  'Infinity',
  '١',
  'ü🔑',
  '\u0000',
  '1\u0000',
  '\ud800',
  "1' OR '1'='1",
]

/** Reads with a default for every member of the query. */
export function createReaders(opened: () => OpenedStores) {
  async function listApplications(query: Partial<ApplicationQuery> = {}): Promise<readonly ApplicationRecord[]> {
    const everything = { after: undefined, limit: 100, api: undefined, status: undefined }
    return opened().store.listApplications({ ...everything, ...query })
  }

  async function listIds(query: Partial<ApplicationQuery> = {}): Promise<readonly string[]> {
    return (await listApplications(query)).map(({ id }) => id)
  }

  /** The ids of all pages of a query; `readPosition` returns where the page after that record begins. */
  async function listInPages(
    query: Partial<ApplicationQuery>,
    limit: number,
    readPosition: (last: ApplicationRecord) => Partial<ApplicationQuery> = () => ({}),
  ): Promise<readonly string[]> {
    const seen: string[] = []
    let position: Partial<ApplicationQuery> = {}
    for (;;) {
      const page = await listApplications({ ...query, ...position, limit })
      assert.ok(page.length <= limit)
      seen.push(...page.map(({ id }) => id))
      const last = page.at(-1)
      if (!last || page.length < limit) return seen
      position = { after: last.id, ...readPosition(last) }
    }
  }

  async function listAudit(query: Partial<AuditQuery> = {}): Promise<readonly AuditRecord[]> {
    return opened().store.listAudit({ after: undefined, limit: 100, applicationId: undefined, ...query })
  }

  async function recordTraces(call: () => Promise<unknown>): Promise<Traces> {
    const { store } = opened()
    const before = (await listAudit()).length
    const { cursor } = await store.changesSince(undefined)
    await call()
    const { changes } = await store.changesSince(cursor)
    return { audit: (await listAudit()).length - before, changes }
  }

  return { listApplications, listIds, listInPages, listAudit, recordTraces }
}

/** E-mails, with a default for every member of the query. */
export function createEmailCalls(opened: () => OpenedStores) {
  async function listEmails(query: Partial<EmailQuery> = {}): Promise<readonly QueuedEmail[]> {
    return opened().store.emails.list({ applicationId: undefined, state: undefined, limit: 100, ...query })
  }

  async function listEmailIds(query: Partial<EmailQuery> = {}): Promise<readonly string[]> {
    return (await listEmails(query)).map(({ id }) => id)
  }

  async function saveEmails(emails: readonly QueuedEmail[]): Promise<readonly boolean[]> {
    return Promise.all(emails.map((email) => opened().store.emails.save(email)))
  }

  return { listEmails, listEmailIds, saveEmails }
}

/** Writes to everything in a value that can be written to. */
export function overwrite(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    overwrite(part)
    Reflect.set(value, name, 'overwritten')
  }
  if (Array.isArray(value) && Object.isExtensible(value)) value.push('overwritten')
}

/** Polls, because a store may wake a watcher at any time, and without a change. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  const end = performance.now() + WATCH_TIMEOUT_MS
  while (!condition()) {
    if (performance.now() > end) throw new Error('watch() did not call back within 10 seconds of a change.')
    await setTimeout(WATCH_POLL_INTERVAL_MS)
  }
}

const WATCH_TIMEOUT_MS = 10_000
const WATCH_POLL_INTERVAL_MS = 20

/** Compares copies: Jest's modules have an `Object` of their own, which is not the one of `structuredClone()` or a driver. */
export function assertEqual(actual: unknown, expected: unknown, ...message: [message?: string]): void {
  // No message is passed if there is none: Node 26 refuses `undefined`.
  assert.deepEqual(structuredClone(actual), structuredClone(expected), ...message)
}
