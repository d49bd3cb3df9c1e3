import type { RunningProcess } from '../../shared/contracts/store.js'
import { MAX_EXPIRED_PER_CALL, type Dialect, all, get, run, type Work } from './work.js'

/** Must be called in a transaction. */
export function* announceProcess(dialect: Dialect, process: RunningProcess, lifetime: number): Work<void> {
  const { now } = (yield* get<{ now: number }>(`SELECT ${dialect.now} AS now`))!
  const settings = JSON.stringify(process.settings)
  const known = yield* get<{ settings: string }>(
    'SELECT settings FROM platform_auth_processes WHERE id = ?1 AND seen_at > ?2',
    process.id,
    now - lifetime,
  )
  const upsert = `
    INSERT INTO platform_auth_processes (id, settings, seen_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, seen_at = excluded.seen_at`
  yield* run(upsert, process.id, settings, now)
  const deleteExpired = dialect.formatDelete('platform_auth_processes', 'id', 'seen_at')
  yield* run(deleteExpired, now - lifetime, MAX_EXPIRED_PER_CALL)
  if (known?.settings !== settings) yield* dialect.publish({ kind: 'processes' })
}

/** Processes from the future are left out: the clock was set back since, and those that run are announced again. */
export function* listProcesses({ now }: Dialect, lifetime: number): Work<readonly RunningProcess[]> {
  const text = `
    SELECT id, settings FROM platform_auth_processes
    WHERE seen_at > ${now} - ?1 AND seen_at < ${now} + ?1`
  const rows = yield* all<{ id: string; settings: string }>(text, lifetime)
  const running = rows.map(({ id, settings }) => ({ id, settings: JSON.parse(settings) as RunningProcess['settings'] }))
  return running.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** Must be called in a transaction. */
export function* removeProcess({ publish }: Dialect, id: string): Work<void> {
  const removed = yield* run('DELETE FROM platform_auth_processes WHERE id = ?1', id)
  if (removed === 1) yield* publish({ kind: 'processes' })
}
