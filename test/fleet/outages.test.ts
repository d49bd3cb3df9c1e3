import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IssuedCredentials } from '../../src/index.js'
import { freshDatabase, type TestDatabase } from '../support/postgres.js'
import { aKnownApplication, delaysOf, delayUntil, goodToken, type Known } from './changes.js'
import { startDatabaseProxy, type DatabaseProxy } from './database-proxy.js'
import { startFleet, type Fleet, type Member } from './fleet.js'

/** Seconds. */
const STALENESS_BOUND = 2
const CUTS = ['stalled', 'refused', 'frozen'] as const
type Cut = (typeof CUTS)[number]

let database: TestDatabase
let proxies: Record<Cut, DatabaseProxy>
let client: Client
/** Two processes beside their database, and one behind each proxy. */
let fleet: Fleet<'it'>
let operator: Member
let members: readonly Member[]

beforeAll(async () => {
  database = await freshDatabase()
  client = new Client(database.url)
  await client.connect()
  const [stalled, refused, frozen] = await Promise.all(CUTS.map(() => startDatabaseProxy(database.url)))
  proxies = { stalled: stalled!, refused: refused!, frozen: frozen! }
  const urls = [database.url, database.url, ...CUTS.map((cut) => proxies[cut].url)]
  const plans = urls.map((url) => ({
    it: { store: { kind: 'postgres', url, listen: true }, maxStaleness: STALENESS_BOUND } as const,
  }))
  fleet = await startFleet(plans)
  members = fleet.members('it')
  operator = members[0]!
})

afterAll(async () => {
  await fleet?.stop()
  await Promise.all(Object.values(proxies).map((proxy) => proxy.close()))
  await client?.end()
  await database?.remove()
})

/** How many connections listen, and something done with each. */
async function listeners(what: string): Promise<number> {
  const text = `SELECT ${what} FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`
  return (await client.query(text)).rows.length
}

it('processes whose listening connections are killed hear of what was committed meanwhile, and listen again', async () => {
  for (let round = 0; round < 3; round++) {
    await expect.poll(() => listeners('pid')).toBe(members.length)
    const known = await aKnownApplication(operator, members)
    expect(await listeners('pg_terminate_backend(pid)')).toBe(members.length)
    const delays = await delaysOf('suspend', operator, members, known)
    for (const [i, delay] of delays.entries()) expect(delay, members[i]!.name).toBeLessThan(1000)
  }
  await expect.poll(() => listeners('pid')).toBe(members.length)
})

// Waiting is all that these do: they wait together.
describe.concurrent('a process that is cut off from its database, with connections', { timeout: 40_000 }, () => {
  it.for(['stalled', 'refused'] as const)(
    '%s, serves what it knows for maxStaleness, then answers 503, and is back within a second of its database',
    async (cut, { expect, onTestFinished }) => {
      const member = fleet.members('it')[2 + CUTS.indexOf(cut)]!
      const [good, suspended, renewed] = await Promise.all([1, 2, 3].map(() => wellKnown(member)))
      const ofGood = [byToken(member, good!), byKey(member, good!)]
      const ofSuspended = byToken(member, suspended!)
      const watched = [...ofGood, ofSuspended]
      for (const each of watched) onTestFinished(each.stop)

      onTestFinished(() => proxies[cut].forward())
      const cutAt = performance.now()
      if (cut === 'stalled') proxies.stalled.stall()
      else await proxies.refused.refuse()
      await operator.operate('applications', 'suspend', suspended!.id)
      const { value } = await operator.operate<{ credentials: IssuedCredentials }>(
        'applications',
        'rotateSecret',
        renewed!.id,
        { overlap: 0 },
      )
      const newSecret = { ...renewed!.credentials, ...value.credentials }
      // Of whom it can't know: neither let in nor sent away.
      expect((await member.token(newSecret)).status).toBe(503)

      await expect.poll(() => watched.every((each) => each.last() === 503), { timeout: 15_000 }).toBe(true)
      const boundAt = cutAt + STALENESS_BOUND * 1000
      for (const { began, ended, status, retryAfter } of watched.flatMap(({ answers }) => answers)) {
        expect([200, 503]).toContain(status)
        // It asks every 500 ms, and what it knows is as old as its last question.
        if (ended < boundAt - 700) expect(status).toBe(200)
        if (began > boundAt) expect(status).toBe(503)
        if (status === 503) expect(Number(retryAfter)).toBeGreaterThan(0)
      }

      await sleep(boundAt + 200 - performance.now())
      await proxies[cut].forward()
      const healedAt = performance.now()
      const isBack = (): boolean => ofGood.every((each) => each.last() === 200) && ofSuspended.last() === 401
      await expect.poll(isBack, { interval: 5, timeout: 3000 }).toBe(true)
      expect(performance.now() - healedAt).toBeLessThan(1000)
      expect((await member.token(newSecret)).status).toBe(200)
      await Promise.all(watched.map((each) => each.stop()))
      for (const { answers } of ofGood)
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
      const after = ofSuspended.answers.filter(({ began }) => began > boundAt)
      expect(after.length).toBeGreaterThan(0)
      for (const { status } of after) expect([503, 401]).toContain(status)
    },
  )

  it('frozen, which nobody tells it, gives them up by itself, and listens on another', async ({
    expect,
    onTestFinished,
  }) => {
    const member = fleet.members('it')[2 + CUTS.indexOf('frozen')]!
    const watched = byToken(member, await wellKnown(member))
    onTestFinished(watched.stop)
    proxies.frozen.freeze()
    for (let round = 0; round < 4; round++) {
      const known = await aKnownApplication(operator, [operator])
      // A process that has not seen it before must ask.
      const keyAnswer = (): Promise<number> => member.key(known.credentials.clientId)
      await expect.poll(keyAnswer, { interval: 20, timeout: 10_000 }).toBe(200)
      const { at } = await operator.operate('applications', 'disallow', known.id, 'catalog')
      const delay = await delayUntil(async () => (await keyAnswer()) === 403, at, member.name, 10_000)
      if (round > 0) expect(delay).toBeLessThan(1000)
    }
    // PostgreSQL does not know either that one of them is gone.
    await expect.poll(() => listeners('pid'), { timeout: 6000 }).toBe(members.length + 1)
    await watched.stop()
    for (const { status } of watched.answers) expect([200, 503]).toContain(status)
  })
})

it('a token of a key that a process cut off can have no knowledge of gets 503 there, never 401', async () => {
  const member = fleet.members('it')[2 + CUTS.indexOf('refused')]!
  const { credentials } = await wellKnown(member)
  await proxies.refused.refuse()
  await operator.operate('signingKeys', 'rotate', { immediately: true })
  const fresh = await goodToken(operator, credentials)
  const statuses = [await member.bearer(fresh), await member.bearer(fresh), await member.bearer(fresh)]
  expect(statuses).toEqual([503, 503, 503])
  await proxies.refused.forward()
  await expect.poll(() => member.bearer(fresh), { interval: 20, timeout: 1000 }).toBe(200)
})

/** An application that a process knows, and that nothing it has yet to hear of can make it forget. */
async function wellKnown(member: Member): Promise<Known> {
  const known = await aKnownApplication(operator, [])
  // A token request brings all news.
  await goodToken(member, known.credentials)
  expect(await member.bearer(known.accessToken)).toBe(200)
  expect(await member.key(known.credentials.clientId)).toBe(200)
  return known
}

interface Answer {
  readonly began: number
  readonly ended: number
  readonly status: number
  readonly retryAfter: string | null
}

/** Asks again and again, and keeps every answer. */
function watch(member: Member, path: string, headers: Record<string, string>) {
  const answers: Answer[] = []
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      const began = performance.now()
      const response = await member.ask(path, { headers })
      await response.arrayBuffer()
      const { status } = response
      answers.push({ status, retryAfter: response.headers.get('retry-after'), began, ended: performance.now() })
      await sleep(15)
    }
  })()
  async function stop(): Promise<void> {
    over.abort()
    await watching
  }
  return { answers: answers as readonly Answer[], last: () => answers.at(-1)?.status, stop }
}

const byToken = (member: Member, { accessToken }: Known): ReturnType<typeof watch> =>
  watch(member, '/orders/items', { Authorization: `Bearer ${accessToken}` })

const byKey = (member: Member, { credentials }: Known): ReturnType<typeof watch> =>
  watch(member, '/catalog/items', { 'X-Api-Key': credentials.clientId })
