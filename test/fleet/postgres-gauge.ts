import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'
import { startPostgres } from '../support/postgres.js'

/** A PostgreSQL of one's own that tells what it is asked, and what that costs it: by /proc, which Linux alone has. */
export interface PostgresGauge {
  readonly url: string
  /** The same database; what is asked here is counted. */
  readonly countedUrl: string
  /** How many statements are executed there meanwhile; BEGIN and COMMIT are statements too. */
  statements(work: () => Promise<unknown>): Promise<number>
  /** Milliseconds of processor time that all its processes take meanwhile. */
  processorTime(work: () => Promise<unknown>): Promise<number>
  /** Of clients, the gauge's own left out. */
  connections(): Promise<number>
  end(): Promise<void>
}

export async function startGaugedPostgres(): Promise<PostgresGauge> {
  const server = await startPostgres()
  await once(server.url, `ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`)
  // It would be counted with whatever goes on when its time comes.
  await once(server.url, 'ALTER SYSTEM SET autovacuum = off')
  await server.stop()
  await server.start()
  await once(server.url, 'CREATE EXTENSION pg_stat_statements; CREATE DATABASE gauged')
  // Counting costs something, and changing that for connections that are there would cost more.
  await once(server.url, `ALTER SYSTEM SET pg_stat_statements.track = 'none'; SELECT pg_reload_conf()`)
  // In another database, so that its own statements are told from the others'.
  const client = new Client(server.url)
  await client.connect()
  const postmaster = parentOf(await ask<number>('SELECT pg_backend_pid() AS value'))
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
    // pg decodes no plus sign.
    countedUrl: countedUrl.href.replaceAll('+', '%20'),
    async statements(work) {
      await client.query('SELECT pg_stat_statements_reset()')
      await work()
      return Number(
        await ask(`SELECT coalesce(sum(calls), 0) AS value FROM pg_stat_statements
          WHERE dbid = (SELECT oid FROM pg_database WHERE datname = 'gauged')`),
      )
    },
    async processorTime(work) {
      const before = timesOf(postmaster)
      await work()
      // Those that have ended meanwhile are left out; those that have begun had none before.
      return [...timesOf(postmaster)].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0)
    },
    connections: () =>
      ask<string>(`SELECT count(*) AS value FROM pg_stat_activity WHERE datname = 'gauged'`).then(Number),
    async end() {
      await client.end()
      await server.end()
    },
  }
}

async function once(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  // CREATE DATABASE wants to be alone.
  for (const one of statement.split('; ')) await client.query(one)
  await client.end()
}

/** Milliseconds of processor time that a process and its children have had, by pid. */
function timesOf(parent: number): Map<number, number> {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  const times = new Map<number, number>()
  for (const pid of pids) {
    try {
      // To the nanosecond, where stat knows hundredths of a second.
      const [time] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
      if (pid === parent || parentOf(pid) === parent) times.set(pid, Number(time) / 1e6)
    } catch {
      // It has just ended.
    }
  }
  return times
}

/** proc(5): the second field behind the name, which stands in brackets and may hold anything. */
function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}
