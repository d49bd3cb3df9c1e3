import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createPlatformAuth } from '../../../src/index.js'
import { plans } from '../../../src/features/plans/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import type { StoreWith } from '../../../src/store.js'
import { usePostgres } from '../../stores/postgres/databases.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { startRedis, type RedisServer } from '../../support/redis.js'
import { SECRET } from '../../support/platform.js'
import { waitUntil } from '../../support/wait-until.js'

const PROGRAM = fileURLToPath(new URL('quota-process.mjs', import.meta.url))
const PROCESSES = IS_LONG_LANE ? 3 : 2
/** As the program has them. */
const LIMIT = 400
const COST = 2
/** 1 % of the quota in each process, and a request that was on its way when it was reached. */
const BEYOND = PROCESSES * (LIMIT / 100 + COST)

const postgres = usePostgres()

const OUTAGES = {
  'is killed, and comes back empty': [(redis: RedisServer) => redis.kill(), (redis: RedisServer) => redis.start()],
  'hangs, and goes on': [async (redis: RedisServer) => redis.freeze(), async (redis: RedisServer) => redis.thaw()],
} as const
const STORES = { SQLite: openSqlite, PostgreSQL: openPostgres } as const
const ALL = Object.keys(OUTAGES).flatMap((outage) => Object.keys(STORES).map((store) => [outage, store] as const))
/** Each outage, and each store, once. */
const CASES = IS_LONG_LANE ? ALL : ALL.filter((_, at) => at === 0 || at === ALL.length - 1)

it.each(CASES as [keyof typeof OUTAGES, keyof typeof STORES][])(
  'A quota holds its bound when Redis %s, on %s, and who has used it up stays refused in every process',
  async (outage, kind) => {
    const [fail, recover] = OUTAGES[outage]
    const { store, db } = await STORES[kind]()
    const redis = await startRedis()
    onTestFinished(() => redis.end())
    const { auth, id, key } = await openPlatform(store)
    const processes = Array.from({ length: PROCESSES }, (_, i) => start([db, key, `process-${i}`, redis.url]))
    const [idle, ...busy] = processes as [Started, ...Started[]]
    const count = (): number => processes.reduce((sum, { passed }) => sum + passed, 0) * COST
    await waitUntil(() => processes.every(({ last }) => last === 'ready'))

    // What one process knows of the quota is old when Redis fails, and the others have not yet written what they know.
    for (const { child } of busy) child.stdin.write('\n')
    await waitUntil(() => count() >= LIMIT / 2)
    await fail(redis)
    idle.child.stdin.write('\n')
    await waitUntil(() => processes.every(({ last }) => last === '429'))
    expect(count()).toBeGreaterThanOrEqual(LIMIT - COST * PROCESSES)
    expect(count()).toBeLessThanOrEqual(LIMIT + BEYOND)

    const used = count()
    await waitUntil(async () => (await auth.plans.usage(id)).quotas[0]!.used >= used - COST)
    await askAgain(processes)
    await recover(redis)
    await waitUntil(() => processes.every(({ logs }) => logs.includes('shared again')))
    await askAgain(processes)
    // Processes that have nothing in memory learn it from the store, and not from a Redis that has nothing.
    const fresh = start([db, key, 'fresh', redis.url])
    await waitUntil(() => fresh.last === 'ready')
    await askAgain([fresh])
    expect(count() + fresh.passed * COST).toBe(used)
  },
  90_000,
)

/** Every process is asked once more, and refuses. */
async function askAgain(processes: readonly Started[]): Promise<void> {
  for (const each of processes) {
    each.last = ''
    each.child.stdin.write('\n')
  }
  await waitUntil(() => processes.every(({ last }) => last === '429'))
}

async function openSqlite() {
  const folder = await mkdtemp(join(tmpdir(), 'quota-outage-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const db = join(folder, 'platform.sqlite')
  return { store: sqliteStore(db), db }
}

async function openPostgres() {
  const db = `${postgres.url}?options=${encodeURIComponent(`-c search_path=${postgres.schema}`)}`
  return { store: postgres.createStore(), db }
}

/** A platform that answers no requests, and an application with the plan. */
async function openPlatform(store: StoreWith) {
  const auth = createPlatformAuth({
    baseUrl: 'http://localhost:3000',
    apis: { catalog: { scheme: 'apiKey' } } as const,
    secret: SECRET,
    store,
    rateLimits: { requests: false },
    features: [plans({ free: { requests: [{ limit: LIMIT, per: 'month' }] } })],
  })
  onTestFinished(() => auth.close())
  await auth.ready()
  const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
  await auth.plans.set(application.id, 'free')
  return { auth, id: application.id, key: credentials.clientId }
}

type Started = ReturnType<typeof start>

function start(args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  const state = { child, passed: 0, last: '', logs: [] as string[] }
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'counts alone' || line === 'shared again') {
      state.logs.push(line)
      return
    }
    state.last = line
    if (line.startsWith('passed ')) state.passed = Number(line.slice('passed '.length))
  })
  return state
}
