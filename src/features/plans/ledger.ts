import type { Core } from '../../feature.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { PlanWindow, QuotaStore, QuotaTotals } from '../../shared/contracts/quotas.js'
import { createBatchWriter } from '../../shared/lib/batch-writer.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import { DAY_MS, findMonthEnd, firstOfMonth, formatDay } from '../../shared/lib/day.js'
import type { Plan } from './plan.js'

export type Ledger = ReturnType<typeof createLedger>

const WRITE_INTERVAL_MS = 5000
const MANY_ROWS = 1000

export function createLedger(
  { limitLookups, logger, now }: Pick<Core, 'limitLookups' | 'now'> & { readonly logger: Pick<Logger, 'error'> },
  store: Pick<QuotaStore, 'add' | 'list'>,
  entries: number,
  /** Called when the store has answered with the totals of a day and its month, to which `written` units were added. */
  onTotals: (account: Account, written: number) => void,
) {
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
    onError: (error) => logger.error('The totals of quotas that the store has answered could not be kept.', error),
    // The store is asked when the application calls again.
    onLost: (lost) => lost.forEach(({ account }) => forget(account)),
    intervalMs: WRITE_INTERVAL_MS,
    now,
  })

  function recall(applicationId: string): Account | undefined {
    const account = accounts.get(applicationId) ?? unwritten.get(applicationId)
    // One of a day to come is of a clock that was far ahead. A little behind gives nothing anew.
    if (!account || account.dayEndsAt - now() <= DAY_MS + HOUR_MS) return account
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
      const counts = await limitLookups(applicationId, () => store.list(applicationId, firstOfMonth(day), day))
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
    account.units.day.unwritten += units
    account.units.month.unwritten += units
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

export interface Account {
  readonly applicationId: string
  plan: Plan | undefined
  windows: readonly CountedWindow[]
  day: string
  dayEndsAt: number
  monthEndsAt: number
  /** Those of this day and this month. */
  readonly units: Record<'day' | 'month', ReturnType<typeof createUnits>>
  isRead: boolean
  /** Whether the store has told its totals since Redis last answered: the other processes have gone on meanwhile. */
  isStoredCurrent: boolean
  row: QuotaRow | undefined
}

export interface CountedWindow {
  readonly window: PlanWindow
  /** The units in a short one, as counted here or in Redis; `readUsed` tells those of every one. */
  used: number
  /** Milliseconds since 1970; 0 for a short one that has not begun. */
  endsAt: number
}

export interface QuotaRow {
  readonly account: Account
  readonly day: string
  count: number
}

function createAccount(applicationId: string): Account {
  return {
    applicationId,
    plan: undefined,
    windows: [],
    day: '',
    dayEndsAt: 0,
    monthEndsAt: 0,
    units: { day: createUnits(), month: createUnits() },
    isRead: false,
    isStoredCurrent: false,
    row: undefined,
  }
}

/**
 * What the store has, when it was last asked, and the units since that are not known to be written; and what Redis had when it last
 * answered, with the units that were admitted here without it since: 0 without Redis.
 */
function createUnits() {
  return { stored: 0, unwritten: 0, shared: 0 }
}

export function createStoredAccount(
  { applicationId, day }: { readonly applicationId: string; readonly day: string },
  plan: Plan,
  totals: QuotaTotals,
  time: number,
): Account {
  const account = createAccount(applicationId)
  advance(account, plan, time)
  setStored(account, day, totals, 0)
  return account
}

/** Begins the windows anew that have ended, and all of them if the application has another plan now. */
function advance(account: Account, plan: Plan, time: number): void {
  if (time >= account.dayEndsAt) {
    const day = formatDay(time)
    account.units.day = createUnits()
    if (firstOfMonth(day) !== firstOfMonth(account.day)) account.units.month = createUnits()
    account.day = day
    account.dayEndsAt = (Math.floor(time / DAY_MS) + 1) * DAY_MS
    account.monthEndsAt = findMonthEnd(day)
  }
  if (account.plan !== plan) {
    account.plan = plan
    account.windows = plan.windows.map((window) => ({ window, used: 0, endsAt: findEnd(account, window) }))
  }
  for (const counted of account.windows) {
    const left = counted.endsAt - time
    // One that ends later than it lasts has begun before the clock was set back.
    if (left > 0 && (counted.window.per !== undefined || left <= counted.window.milliseconds)) continue
    counted.used = 0
    counted.endsAt = findEnd(account, counted.window)
  }
}

const HOUR_MS = 3600 * 1000

/** The units in a window. A quota has at least those that the store has, whatever Redis has lost, and those that Redis had, whatever the store lacks. */
export function readUsed(account: Account, { window: { per }, used }: CountedWindow): number {
  if (per === undefined) return used
  const { stored, unwritten, shared } = account.units[per]
  return Math.max(shared, stored + unwritten)
}

export function addShared({ units: { day, month } }: Account, units: number): void {
  day.shared += units
  month.shared += units
}

export function setShared(account: Account, counted: CountedWindow, units: number, endsAt: number): void {
  const { per } = counted.window
  account.isStoredCurrent = false
  if (per !== undefined) account.units[per].shared = units
  else {
    counted.used = units
    counted.endsAt = endsAt
  }
}

/** Takes what the store has of that day and its month; of them, `written` units are no longer unwritten. */
function setStored(account: Account, day: string, { ofDay, ofMonth }: QuotaTotals, written: number): void {
  if (firstOfMonth(day) !== firstOfMonth(account.day)) return
  account.isStoredCurrent = day === account.day
  const { units } = account
  units.month.stored = ofMonth
  units.month.unwritten -= written
  if (day !== account.day) return
  units.day.stored = ofDay
  units.day.unwritten -= written
}

function findEnd({ dayEndsAt, monthEndsAt }: Account, { per }: PlanWindow): number {
  if (per === undefined) return 0
  return per === 'day' ? dayEndsAt : monthEndsAt
}
