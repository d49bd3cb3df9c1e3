import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from '../../shared/contracts/logger.js'
import type { RunningProcess, Store } from '../../shared/contracts/store.js'
import { withTimeout } from '../../shared/lib/timeout.js'

const HEARTBEAT_INTERVAL_MS = 5000
/** A process that was killed runs for so long in the eyes of others: two heartbeats may be late. */
export const PROCESS_LIFETIME_MS = 15_000
/** The store may hang. Then the announcement expires. */
const STOP_TIMEOUT_MS = 1000

/** Announces this process to the others on its store, and finds out which of their settings differ from its own. */
export function createProcesses(options: {
  readonly store: Pick<Store, 'processes'>
  /** By their paths, as `findDisagreements` compares them. */
  readonly settings: RunningProcess['settings']
  readonly logger: Pick<Logger, 'warn'>
}) {
  const { settings, logger } = options
  const { processes: part } = options.store
  // Names machine and process for the doctor; several platforms of a process may share a store.
  const own: RunningProcess = { id: `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`, settings }
  let isRunning = false
  let isReadPending = false
  let timer: NodeJS.Timeout | undefined
  let problem: string | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** One call after another. Those that fail are made again with the next heartbeat; the store client's other calls show outages. */
  function enqueue(work: () => Promise<void> | undefined): Promise<unknown> {
    last = last.then(work).catch(() => undefined)
    return last
  }

  async function read(): Promise<void> {
    isReadPending = false
    const running = await part!.list(PROCESS_LIFETIME_MS)
    const former = problem
    problem = describeDifferences(own, running)
    if (problem !== undefined && problem !== former) logger.warn(problem)
  }

  function noteChange(): void {
    if (!isRunning || isReadPending) return
    isReadPending = true
    void enqueue(read)
  }

  async function beat(): Promise<void> {
    await enqueue(() => part?.announce(own, PROCESS_LIFETIME_MS))
    noteChange()
    if (isRunning) timer = setTimeout(() => void beat(), HEARTBEAT_INTERVAL_MS).unref()
  }

  return {
    /** Returns at once: nothing waits for the store. */
    start(): void {
      if (!part || isRunning) return
      isRunning = true
      void beat()
    },
    noteChange,
    /** Resolves within a second. */
    async stop(): Promise<void> {
      if (!isRunning) return
      isRunning = false
      clearTimeout(timer)
      const removed = enqueue(() => part?.remove(own.id))
      await withTimeout(removed, STOP_TIMEOUT_MS, () => new Error('late')).catch(() => undefined)
    },
    /** For `health()`. It makes no process unready: while processes are replaced one after another, old and new ones differ. */
    problem: (): string | undefined => problem,
  }
}

/** A setting that processes have, but not alike: its values, and the ids of the processes that have each. */
export interface Disagreement {
  readonly setting: string
  readonly values: ReadonlyMap<string, readonly string[]>
}

/** Compares only what two processes have: they may have different APIs, plans and features. */
export function findDisagreements(processes: readonly RunningProcess[]): readonly Disagreement[] {
  const found = new Map<string, Map<string, string[]>>()
  for (const { id, settings } of processes) {
    for (const [setting, value] of Object.entries(settings)) {
      const values = found.get(setting) ?? new Map<string, string[]>()
      found.set(setting, values.set(value, [...(values.get(value) ?? []), id]))
    }
  }
  return [...found].flatMap(([setting, values]) => (values.size > 1 ? [{ setting, values }] : []))
}

const MAX_TOLD = 5

function describeDifferences(own: RunningProcess, running: readonly RunningProcess[]): string | undefined {
  const others = running.filter(({ id }) => id !== own.id)
  const differences = findDisagreements([own, ...others]).flatMap(({ setting, values }) => {
    const here = own.settings[setting]
    if (here === undefined) return []
    const there = [...values.keys()].filter((value) => value !== here).map((value) => `"${value}"`)
    return [`${setting} is "${here}" here and ${there.join(' or ')} there`]
  })
  if (differences.length === 0) return undefined
  const more = differences.length > MAX_TOLD ? [`${differences.length - MAX_TOLD} more`] : []
  return `Another platform on this store (this process or another) has other settings: ${[...differences.slice(0, MAX_TOLD), ...more].join('; ')}.`
}
