import type { QuotaStore } from '../../shared/contracts/quotas.js'
import { createBatchWriter } from '../../shared/lib/batch-writer.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import { formatDay } from '../../shared/lib/day.js'
import {
  addUnwritten,
  advance,
  createAccount,
  isOfLaterDay,
  setStored,
  type Account,
  type QuotaRow,
} from './account.js'
import type { Plan } from './plan.js'

/** The accounts of applications, and their units on the way to the store. */
export type Ledger = ReturnType<typeof createLedger>

const WRITE_INTERVAL_MS = 5000
/** They are written early. */
const MANY_ROWS = 1000

export function createLedger(options: {
  readonly store: Pick<QuotaStore, 'add' | 'list'>
  readonly limitLookups: <Result>(caller: string, work: () => Promise<Result>) => Promise<Result>
  /** How many accounts stay in memory. */
  readonly accounts: number
  /** Called when the store has told the totals of a day and its month, to which `written` units were added. */
  readonly onTotals: (account: Account, written: number) => void
  readonly now: () => number
}) {
  const { store, limitLookups, accounts: entries, onTotals, now } = options
  const accounts = createBoundedCache<Account>({ entries })
  /** Accounts with units that are not written. They are not forgotten, however many others there are. */
  const unwritten = new Map<string, Account>()
  const reads = new Map<string, Promise<Account>>()
  /** The units to be written, whose `count` may grow until their account has another row, or none. */
  let rows: QuotaRow[] = []
  const writer = createBatchWriter({
    add: (batch, taken: readonly QuotaRow[]) =>
      store.add(
        batch,
        taken.map(({ account: { applicationId }, day, count }) => ({ applicationId, day, count })),
      ),
    size: () => rows.length,
    manyRows: MANY_ROWS,
    takeAll() {
      const taken = rows
      rows = []
      for (const row of taken) if (row.account.row === row) row.account.row = undefined
      return taken
    },
    // Two are of the same after the clock was set back. PostgreSQL refuses them in one batch, which would be repeated without end.
    identify: ({ account, day }) => `${account.applicationId} ${day}`,
    onAdded(added, totals) {
      added.forEach(({ account, day, count }, at) => {
        setStored(account, day, totals[at]!, count)
        if (!account.row) unwritten.delete(account.applicationId)
        if (day === account.day) onTotals(account, count)
      })
    },
    // The store is asked when the application calls again.
    onLost: (lost) => lost.forEach(({ account }) => forget(account)),
    intervalMs: WRITE_INTERVAL_MS,
    now,
  })

  function recall(applicationId: string): Account | undefined {
    const account = accounts.get(applicationId) ?? unwritten.get(applicationId)
    if (!account || !isOfLaterDay(account, now())) return account
    forget(account)
    return undefined
  }

  function forget({ applicationId }: Account): void {
    accounts.delete(applicationId)
    unwritten.delete(applicationId)
  }

  async function readStored(account: Account, plan: Plan): Promise<Account> {
    const { applicationId } = account
    const day = formatDay(now())
    try {
      const counts = await limitLookups(applicationId, () => store.list(applicationId, `${day.slice(0, 8)}01`, day))
      advance(account, plan, now())
      const ofMonth = counts.reduce((sum, { count }) => sum + count, 0)
      setStored(account, day, { ofDay: counts.find((each) => each.day === day)?.count ?? 0, ofMonth }, 0)
    } catch {
      // The store client has logged the outage. The next write that succeeds tells the totals.
      advance(account, plan, now())
    }
    account.isRead = true
    return account
  }

  function add(account: Account, units: number): void {
    addUnwritten(account, units)
    if (account.row?.day === account.day) {
      account.row.count += units
      return
    }
    account.row = { account, day: account.day, count: units }
    unwritten.set(account.applicationId, account)
    rows.push(account.row)
    writer.schedule()
  }

  return {
    /** The account, brought to this time; undefined if the store must be asked first. */
    find(applicationId: string, plan: Plan, time: number): Account | undefined {
      const known = recall(applicationId)
      if (plan.hasQuota && !known?.isRead) return undefined
      const account = known ?? createAccount(applicationId)
      if (!known) accounts.set(applicationId, account)
      advance(account, plan, time)
      return account
    },
    /** Asks the store. Never rejects: while the store is unavailable an application begins with what is known here. */
    read(applicationId: string, plan: Plan): Promise<Account> {
      const underWay = reads.get(applicationId)
      if (underWay) return underWay
      const account = recall(applicationId) ?? createAccount(applicationId)
      accounts.set(applicationId, account)
      const reading = readStored(account, plan).finally(() => reads.delete(applicationId))
      reads.set(applicationId, reading)
      return reading
    },
    /** Writes what is known here of the account, and learns what the store has. Never rejects; `writer.isFailing` says whether it failed. */
    refresh(account: Account): Promise<unknown> {
      // Units of 0 make a row, if there is none: the store answers a row with its totals, of one point in the order of all writes.
      add(account, 0)
      return writer.write()
    },
    add,
    writer,
  }
}
