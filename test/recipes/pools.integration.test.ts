import * as drizzle from 'drizzle-orm/node-postgres'
import { sql } from 'drizzle-orm'
import * as kysely from 'kysely'
import knex from 'knex'
import pg, { Client, Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPlatformAuth, type PlatformAuth, type PlatformAuthOptions } from '../../src/index.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { APIS, recordingLogger, SECRET } from '../support/platform.js'
import { freshDatabase } from '../support/postgres.js'
import { runBlock } from './run-block.js'

/** Runs the blocks of docs/stores.md about pools, with the packages themselves. */
describe('docs/stores.md: "A pool that you have"', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>
  const ends: (() => Promise<unknown>)[] = []
  beforeEach(async () => void (database = await freshDatabase()))
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
    await database.remove()
  })

  async function open(index: number): Promise<{ auth: PlatformAuth; db: unknown }> {
    let auth: PlatformAuth | undefined
    const variables = {
      createPlatformAuth: (given: PlatformAuthOptions) => (auth = createPlatformAuth(given)),
      options: { baseUrl: 'https://api.example.com', apis: APIS, logger: recordingLogger() },
      postgresStore,
      process: { env: { DATABASE_URL: database.url, PLATFORM_AUTH_SECRET: SECRET } },
    }
    const modules = {
      'drizzle-orm/node-postgres': drizzle,
      knex: { default: knex, __esModule: true },
      pg: { default: pg, __esModule: true },
    }
    const { db, pool } = await runBlock(
      'docs/stores.md',
      'A pool that you have',
      { variables, modules, returned: index === 0 ? ['db'] : ['db', 'pool'] },
      index,
    )
    ends.push(() => auth!.close())
    if (index === 0) ends.push(() => (db as { $client: Pool }).$client.end())
    else
      ends.push(
        () => (pool as Pool).end(),
        () => (db as ReturnType<typeof knex>).destroy(),
      )
    await auth!.ready()
    const { application } = await auth!.applications.create({ name: 'Shop', apis: ['catalog'] })
    expect((await auth!.applications.get(application.id))?.name).toBe('Shop')
    return { auth: auth!, db }
  }

  const COUNT = 'SELECT count(*)::int AS count FROM platform_auth_applications'

  it('of drizzle', async () => {
    const { db } = await open(0)
    const { rows } = await (db as ReturnType<typeof drizzle.drizzle>).execute(sql.raw(COUNT))
    expect(rows).toEqual([{ count: 1 }])
  })

  it('beside the pool of knex', async () => {
    const { db } = await open(1)
    expect((await (db as ReturnType<typeof knex>).raw(COUNT)).rows).toEqual([{ count: 1 }])
  })

  it.each([
    ['knex', () => knex({ client: 'pg' })],
    ['the pool of knex', () => (knex({ client: 'pg', connection: database.url }).client as { pool: unknown }).pool],
    ['drizzle', () => drizzle.drizzle(database.url)],
    [
      'Kysely',
      () =>
        new kysely.Kysely({
          dialect: new kysely.PostgresDialect({ pool: new Pool({ connectionString: database.url }) }),
        }),
    ],
    ['a pg.Client', () => new Client(database.url)],
  ])('%s is refused as a pool at once', (_name, make) => {
    expect(() => postgresStore({ pool: make() as never })).toThrow(
      /no pool of the package pg.*drizzle take db\.\$client/s,
    )
  })
})
