import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import { startPostgres } from '../support/postgres.js'

/** A PostgreSQL server of the test's own that measures statements and, through /proc (Linux only), processor time. */
export interface PostgresGauge {
  readonly url: string
  /** The same database; statements of these connections are counted. */
  readonly countedUrl: string
  /** How many counted statements `work` causes, BEGIN and COMMIT included, without those that limit a read. */
  statements(work: () => Promise<unknown>): Promise<number>
  /** Milliseconds of processor time of all server processes during `work`. */
  processorTime(work: () => Promise<unknown>): Promise<number>
  /** Of clients, without the gauge's own. */
  connections(): Promise<number>
  end(): Promise<void>
}

/** Is sent with each read, in the same message; as it is, and as pg_stat_statements writes one that was parsed since its reset. */
const READ_LIMIT = 'SELECT set_config(%, $1, %), set_config(%, $2, %)'

export async function startGaugedPostgres(): Promise<PostgresGauge> {
  const server = await startPostgres()
  await runOnce(server.url, `ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`)
  // It would be part of some measurements.
  await runOnce(server.url, 'ALTER SYSTEM SET autovacuum = off')
  await server.stop()
  await server.start()
  await runOnce(server.url, 'CREATE EXTENSION pg_stat_statements; CREATE DATABASE gauged')
  // Counting costs processor time, so that only some connections enable it, by their URL.
  await runOnce(server.url, `ALTER SYSTEM SET pg_stat_statements.track = 'none'; SELECT pg_reload_conf()`)
  // In another database, so that its own statements are not counted.
  const client = new Client(server.url)
  await client.connect()
  const postmaster = readParent(await ask<number>('SELECT pg_backend_pid() AS value'))
  const url = new URL(server.url)
  url.pathname = 'gauged'
  const countedUrl = new URL(url)
  countedUrl.searchParams.set('options', '-c pg_stat_statements.track=top')

  async function ask<Value>(text: string): Promise<Value> {
    const { rows } = await client.query<{ value: Value }>(text)
    return rows[0]!.value
  }

  return {
    url: url.href,
    // pg does not decode a plus sign to a space.
    countedUrl: countedUrl.href.replaceAll('+', '%20'),
    async statements(work) {
      await client.query('SELECT pg_stat_statements_reset()')
      await work()
      return Number(
        await ask(`SELECT coalesce(sum(calls), 0) AS value FROM pg_stat_statements
          WHERE dbid = (SELECT oid FROM pg_database WHERE datname = 'gauged') AND query NOT LIKE '${READ_LIMIT}'`),
      )
    },
    async processorTime(work) {
      const before = readTimes(postmaster)
      await work()
      // Without processes that have ended; new ones count from 0.
      return [...readTimes(postmaster)].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0)
    },
    connections: () =>
      ask<string>(`SELECT count(*) AS value FROM pg_stat_activity WHERE datname = 'gauged'`).then(Number),
    async end() {
      await client.end()
      await server.end()
    },
  }
}

async function runOnce(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  // CREATE DATABASE must be a query of its own.
  for (const one of statement.split('; ')) await client.query(one)
  await client.end()
}

/** Milliseconds of processor time of a process and its children, by pid. */
function readTimes(parent: number): Map<number, number> {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  const times = new Map<number, number>()
  for (const pid of pids) {
    try {
      // In nanoseconds, while /proc/<pid>/stat has hundredths of a second.
      const [time] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
      if (pid === parent || readParent(pid) === parent) times.set(pid, Number(time) / 1e6)
    } catch {
      // The process has just ended.
    }
  }
  return times
}

/** proc(5): the second field after the name, which is in parentheses and may contain anything. */
function readParent(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}
