import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import type { IssuedCredentials } from '../../src/index.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { freshDatabase } from '../support/postgres.js'
import { startTcpProxy } from '../support/tcp-proxy.js'
import { timeBound } from '../support/time-bound.js'
import {
  createCachedApplication,
  measureDelays,
  measureDelay,
  requestToken,
  type CachedApplication,
} from './changes.js'
import { startFleet, type Member, type PlatformPlan } from './fleet.js'

const MAX_STALENESS_SECONDS = 2
const FAILURES = ['stalled', 'refused', 'dropped'] as const

/** Two platforms with a direct connection to the database, and one behind each proxy. One process has all of them: each has a pool of its own. */
const NAMES = ['operator', 'direct', ...FAILURES] as const

const database = await freshDatabase()
const client = new Client(database.url)
await client.connect()
const [stalled, refused, dropped] = await Promise.all(FAILURES.map(() => startTcpProxy(database.url)))
const proxies = { stalled: stalled!, refused: refused!, dropped: dropped! }
const planOf = (name: (typeof NAMES)[number]): PlatformPlan => {
  const { url } = name === 'operator' || name === 'direct' ? database : proxies[name]
  return { store: { kind: 'postgres', url, listen: true }, maxStaleness: MAX_STALENESS_SECONDS }
}
const plan = Object.fromEntries(NAMES.map((name) => [name, planOf(name)]))
const fleet = await startFleet([plan as Record<(typeof NAMES)[number], PlatformPlan>])
const members = NAMES.map((name) => fleet.processes[0]![name])
const operator = members[0]!

afterAll(async () => {
  await fleet?.stop()
  await Promise.all(Object.values(proxies).map((proxy) => proxy.end()))
  await client?.end()
  await database?.remove()
})

/** Applies an SQL expression to each connection that listens; resolves their number. */
async function mapListeners(expression: string): Promise<number> {
  const text = `SELECT ${expression} FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`
  return (await client.query(text)).rows.length
}

it('processes whose listening connections are killed follow changes that were committed meanwhile, and listen again', async () => {
  for (let round = 0; round < (IS_LONG_LANE ? 3 : 2); round++) {
    await expect.poll(() => mapListeners('pid')).toBe(members.length)
    const known = await createCachedApplication(operator, members)
    expect(await mapListeners('pg_terminate_backend(pid)')).toBe(members.length)
    const delays = await measureDelays('suspend', operator, members, known)
    for (const [i, delay] of delays.entries()) expect(delay, members[i]!.name).toBeLessThan(timeBound(1000))
  }
  await expect.poll(() => mapListeners('pid')).toBe(members.length)
})

// Concurrent, because these tests mostly wait.
describe.concurrent('a process without access to its database, whose connections are', () => {
  it.for(['stalled', 'refused'] as const)(
    '%s, answers from what it knows for maxStaleness, then 503, and recovers within a second',
    async (failure, { expect, onTestFinished }) => {
      const member = fleet.processes[0]![failure]
      const [active, suspended, rotated] = await Promise.all([1, 2, 3].map(() => createApplicationAt(member)))
      const ofActive = [watchToken(member, active!), watchKey(member, active!)]
      const ofSuspended = watchToken(member, suspended!)
      const watched = [...ofActive, ofSuspended]
      for (const each of watched) onTestFinished(each.stop)

      onTestFinished(() => proxies[failure].forward())
      const failedAt = performance.now()
      if (failure === 'stalled') proxies.stalled.stall()
      else await proxies.refused.refuse()
      await operator.operate('applications', 'suspend', suspended!.id)
      const { value } = await operator.operate<{ credentials: IssuedCredentials }>(
        'applications',
        'rotateSecret',
        rotated!.id,
        { overlap: 0 },
      )
      const newSecret = { ...rotated!.credentials, ...value.credentials }
      // The process cannot know the new secret: it neither accepts nor rejects it.
      expect((await member.token(newSecret)).status).toBe(503)

      await expect.poll(() => watched.every((each) => each.last() === 503)).toBe(true)
      const staleAt = failedAt + MAX_STALENESS_SECONDS * 1000
      for (const { startedAt, endedAt, status, retryAfter } of watched.flatMap(({ answers }) => answers)) {
        expect([200, 503]).toContain(status)
        // What it knows is as old as its last answered poll, and it polls every 500 ms.
        if (endedAt < staleAt - timeBound(700)) expect(status).toBe(200)
        if (startedAt > staleAt) expect(status).toBe(503)
        if (status === 503) expect(Number(retryAfter)).toBeGreaterThan(0)
      }

      await sleep(staleAt + 200 - performance.now())
      await proxies[failure].forward()
      const recoveredAt = performance.now()
      const isRecovered = (): boolean => ofActive.every((each) => each.last() === 200) && ofSuspended.last() === 401
      await expect.poll(isRecovered, { interval: 20 }).toBe(true)
      expect(performance.now() - recoveredAt).toBeLessThan(timeBound(1000))
      expect((await member.token(newSecret)).status).toBe(200)
      await Promise.all(watched.map((each) => each.stop()))
      for (const { answers } of ofActive)
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
      const after = ofSuspended.answers.filter(({ startedAt }) => startedAt > staleAt)
      expect(after.length).toBeGreaterThan(0)
      for (const { status } of after) expect([503, 401]).toContain(status)
    },
  )

  it('half-open, gives them up after a time-out, and listens on a new one', async ({ expect, onTestFinished }) => {
    const member = fleet.processes[0]!.dropped
    const watched = watchToken(member, await createApplicationAt(member))
    onTestFinished(watched.stop)
    proxies.dropped.drop()
    for (let round = 0; round < 4; round++) {
      const known = await createCachedApplication(operator, [operator])
      // The API key is not cached, so the process must ask the store.
      const askWithKey = (): Promise<number> => member.key(known.credentials.clientId)
      await expect.poll(askWithKey, { interval: 20 }).toBe(200)
      const { at } = await operator.operate('applications', 'disallow', known.id, 'catalog')
      const delay = await measureDelay(async () => (await askWithKey()) === 403, at, member.name, 10_000)
      if (round > 0) expect(delay).toBeLessThan(timeBound(1000))
    }
    // PostgreSQL does not learn either that one of them is half-open.
    await expect.poll(() => mapListeners('pid')).toBe(members.length + 1)
    await watched.stop()
    for (const { status } of watched.answers) expect([200, 503]).toContain(status)
  })
})

it('a token of a new signing key gets 503, never 401, in a process without access to the database', async () => {
  const member = fleet.processes[0]!.refused
  const { credentials } = await createApplicationAt(member)
  await proxies.refused.refuse()
  await operator.operate('signingKeys', 'rotate', { immediately: true })
  const fresh = await requestToken(operator, credentials)
  const statuses = [await member.bearer(fresh), await member.bearer(fresh), await member.bearer(fresh)]
  expect(statuses).toEqual([503, 503, 503])
  await proxies.refused.forward()
  await expect.poll(() => member.bearer(fresh), { interval: 20, timeout: timeBound(1000) }).toBe(200)
})

/** An application that a process has cached after it has read all changes, so that none of them evicts it. */
async function createApplicationAt(member: Member): Promise<CachedApplication> {
  const application = await createCachedApplication(operator, [])
  // A token request reads the change feed.
  await requestToken(member, application.credentials)
  expect(await member.bearer(application.accessToken)).toBe(200)
  expect(await member.key(application.credentials.clientId)).toBe(200)
  return application
}

interface Answer {
  readonly startedAt: number
  readonly endedAt: number
  readonly status: number
  readonly retryAfter: string | null
}

/** Repeats a request, and records every answer. */
function watch(member: Member, path: string, headers: Record<string, string>) {
  const answers: Answer[] = []
  const stopping = new AbortController()
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      const response = await member.ask(path, { headers })
      await response.arrayBuffer()
      const { status } = response
      answers.push({ status, retryAfter: response.headers.get('retry-after'), startedAt, endedAt: performance.now() })
      await sleep(IS_LONG_LANE ? 15 : 40)
    }
  })()
  async function stop(): Promise<void> {
    stopping.abort()
    await watching
  }
  return { answers: answers as readonly Answer[], last: () => answers.at(-1)?.status, stop }
}

const watchToken = (member: Member, { accessToken }: CachedApplication): ReturnType<typeof watch> =>
  watch(member, '/orders/items', { Authorization: `Bearer ${accessToken}` })

const watchKey = (member: Member, { credentials }: CachedApplication): ReturnType<typeof watch> =>
  watch(member, '/catalog/items', { 'X-Api-Key': credentials.clientId })
