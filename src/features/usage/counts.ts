import { isTemporaryId } from '../../shared/lib/application-id.js'
import type { UsageCount } from '../../shared/contracts/usage.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { UNCOUNTED_APPLICATIONS } from '../../shared/lib/share-in-process.js'

export type Counts = ReturnType<typeof createCounts>

type Kind = Pick<UsageCount, 'api' | 'outcome' | 'route'>

interface Counter {
  readonly byApplication: Map<string, Cell>
  readonly count: (applicationId: string, times?: number) => void
}

type Cell = { -readonly [Name in keyof UsageCount]: UsageCount[Name] }

/** Timers may end early. */
const TIMER_INACCURACY_MS = 5
/** The clock may be set meanwhile. */
const MAX_WAIT_MS = 60_000

export function createCounts(now: () => number, limit: number, onNew: () => void) {
  let cells: Cell[] = []
  /** The counters of `counter()`, which guards hold on to, by API and outcome. */
  const permanent = new Map<string, Counter>()
  const temporary = new Map<string, Counter>()
  let day = countDays(now())
  let dayTimer: NodeJS.Timeout | undefined

  /** A request that is allowed costs one look-up here, and allocates nothing (test/hot-paths.integration.test.ts). */
  function createCounter(kind: Kind): Counter {
    const byApplication = new Map<string, Cell>()
    return {
      byApplication,
      count(applicationId, times = 1) {
        const cell = byApplication.get(applicationId)
        if (cell !== undefined) cell.count += times
        else begin(byApplication, kind, applicationId, times)
      },
    }
  }

  function findCounter(counters: Map<string, Counter>, kind: Kind): Counter {
    // API names and outcomes have no space.
    const name = `${kind.api} ${kind.outcome} ${kind.route ?? ''}`
    const known = counters.get(name)
    if (known) return known
    const counter = createCounter(kind)
    counters.set(name, counter)
    return counter
  }

  function begin(byApplication: Map<string, Cell>, kind: Kind, applicationId: string, times: number): void {
    endDay()
    watchDay()
    if (cells.length < limit) {
      const cell = { day: formatDay(day * DAY_MS), applicationId, ...kind, count: times }
      byApplication.set(applicationId, cell)
      cells.push(cell)
    }
    onNew()
  }

  /** `counter()` does not look at the clock, so a timer does while there are counts. */
  function watchDay(): void {
    const restOfDay = DAY_MS - (now() % DAY_MS)
    dayTimer ??= setTimeout(lookAtDay, Math.min(restOfDay + TIMER_INACCURACY_MS, MAX_WAIT_MS)).unref()
  }

  function lookAtDay(): void {
    dayTimer = undefined
    endDay()
    if (cells.length > 0) watchDay()
  }

  function endDay(): void {
    const today = countDays(now())
    if (today === day) return
    day = today
    forgetCells()
  }

  function forgetCells(): void {
    for (const { byApplication } of permanent.values()) byApplication.clear()
    temporary.clear()
  }

  return {
    counter: (api: string, outcome: string) => findCounter(permanent, { api, outcome }).count,
    /** Counts an outcome of which there may be any number, or of a route. */
    count(kind: Kind, applicationId: string, times?: number): void {
      endDay()
      findCounter(temporary, kind).count(applicationId, times)
    },
    takeAll(): readonly UsageCount[] {
      const taken = cells.filter(({ count }) => count !== 0)
      cells = []
      forgetCells()
      return taken
    },
    get size(): number {
      return cells.length
    },
  }
}

function countDays(time: number): number {
  return Math.floor(time / DAY_MS)
}

/** No invoice has the applications of `expectSecured()` and of `prove`: they belong to no customer. */
export function isCounted({ applicationId }: { readonly applicationId: string }): boolean {
  return !UNCOUNTED_APPLICATIONS.has(applicationId) && !isTemporaryId(applicationId)
}
