import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { createPlatformAuth, type Logger } from '../../../src/index.js'
import { plans } from '../../../src/features/plans/index.js'
import { usage } from '../../../src/features/usage/index.js'
import type { StoreWith } from '../../../src/store.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import type { usePostgres } from '../../stores/postgres/databases.js'
import { SECRET } from '../../support/platform.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

/** Units a month, as quota-process.mjs has them. */
export const LIMIT = 400
/** Of each request. */
export const COST = 2

/** Creates the stores of several platforms on one database. */
export interface QuotaDatabase {
  readonly db: string
  createStore(): StoreWith
}

export async function openSqlite(): Promise<QuotaDatabase> {
  const folder = await createTemporaryFolder()
  const db = join(folder, 'platform.sqlite')
  return { db, createStore: () => sqliteStore(db) }
}

export function openPostgres(postgres: ReturnType<typeof usePostgres>): QuotaDatabase {
  const db = `${postgres.url}?options=${encodeURIComponent(`-c search_path=${postgres.schema}`)}`
  return { db, createStore: () => postgres.createStore() }
}

/** A platform with the plan "free". */
export async function openQuotaPlatform(store: StoreWith, redis?: Redis, logger?: Logger) {
  const auth = createPlatformAuth({
    baseUrl: 'http://localhost:3000',
    apis: { catalog: { scheme: 'apiKey' } } as const,
    secret: SECRET,
    store,
    rateLimits: { requests: false, ...(redis && { redis }) },
    ...(logger && { logger }),
    features: [plans({ free: { requests: [{ limit: LIMIT, per: 'month' }] } }), usage()],
  })
  onTestFinished(() => auth.close())
  await auth.ready()
  return auth
}

/** An application with that plan. */
export async function createSubscriber(auth: Awaited<ReturnType<typeof openQuotaPlatform>>) {
  const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
  await auth.plans.set(application.id, 'free')
  return { id: application.id, key: credentials.clientId }
}
