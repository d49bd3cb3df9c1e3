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

/** For Vitest's `globalSetup`: one PostgreSQL for all files of a run, or the one that DATABASE_URL names. */
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

/** A database of one's own on the run's PostgreSQL. */
export interface TestDatabase {
  readonly url: string
  /** Nobody need have let go of it. */
  remove(): Promise<void>
}

export async function freshDatabase(server = inject('postgresUrl')): Promise<TestDatabase> {
  const name = `platform_auth_test_${randomBytes(6).toString('hex')}`
  await ask(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = name
  // It waits for connections that are just being closed; to end them by force would tell their pools of an error.
  const drop = `DROP DATABASE ${name}`
  return { url: url.href, remove: () => ask(server, drop).catch(() => ask(server, `${drop} WITH (FORCE)`)) }
}

async function ask(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A PostgreSQL of one's own. */
export interface PostgresServer {
  readonly url: string
  stop(): Promise<void>
  /** At the same address, with everything that was in it. */
  start(): Promise<void>
  /** Ends every process of it at once, as `pg_ctl stop -m immediate` does. */
  crash(): Promise<void>
  /** Starts it as a replica: read-only, until `SELECT pg_promote()`. It must have been stopped. */
  standBy(): Promise<void>
  /** Stops it for good, and removes it. */
  end(): Promise<void>
}

const SERVER = fileURLToPath(new URL('postgres-server.mjs', import.meta.url))

export async function startPostgres(): Promise<PostgresServer> {
  // Detached: the terminal's interrupt is for Vitest, whose end this process hears of in any case.
  const server = fork(SERVER, { detached: true, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })

  async function tell(message: 'stop' | 'start' | 'crash' | 'standBy'): Promise<void> {
    server.send(message)
    await once(server, 'message')
  }

  const [answer] = (await once(server, 'message')) as [{ url?: string; problem?: string }]
  if (answer.url === undefined) throw new Error(answer.problem)
  return {
    url: answer.url,
    stop: () => tell('stop'),
    start: () => tell('start'),
    crash: () => tell('crash'),
    standBy: () => tell('standBy'),
    async end() {
      if (server.exitCode !== null) return
      const exited = once(server, 'exit')
      server.send('end')
      await exited
    },
  }
}
