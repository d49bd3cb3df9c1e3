import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import type { IssuedCredentials, SigningKeyInfo } from '../../src/index.js'
import { createCachedApplication, requestToken, readKid } from './changes.js'
import { startFleet, type Member, type PlatformPlan } from './fleet.js'
import { rotateRepeatedly, startLoad } from './load.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { timeBound } from '../support/time-bound.js'
import { waitUntil } from '../support/wait-until.js'
import { freshStores } from './stores.js'

/** Seconds. */
const ROTATE_EVERY = 1
const PUBLISH_AHEAD = 2
/** Of one key, while clients use the earlier ones. */
const ROTATIONS = IS_LONG_LANE ? 100 : 5

/** Two fleets in the same processes, with several platforms in each: operators rotate one, `rotateEvery` the other. */
type Name = 'operated on PostgreSQL' | 'operated on SQLite' | 'scheduled on PostgreSQL' | 'scheduled on SQLite'
const OPERATED = ['operated on PostgreSQL', 'operated on SQLite'] as const
const SCHEDULED = ['scheduled on PostgreSQL', 'scheduled on SQLite'] as const

const stores = [await freshStores(), await freshStores()]
const tokens = { rotateEvery: ROTATE_EVERY, publishAhead: PUBLISH_AHEAD }
const [operated, scheduled] = stores.map((each) => each.stores)
const fleet = await startFleet(
  // Ten platforms, each with a store of its own.
  (IS_LONG_LANE ? [3, 3, 2, 2] : [5, 5]).map((count): Record<Name, PlatformPlan> => ({
    'operated on PostgreSQL': { store: operated!.PostgreSQL, count },
    'operated on SQLite': { store: operated!.SQLite, count },
    'scheduled on PostgreSQL': { store: scheduled!.PostgreSQL, tokens },
    'scheduled on SQLite': { store: scheduled!.SQLite, tokens },
  })),
)

afterAll(async () => {
  await fleet?.stop()
  for (const each of stores ?? []) await each.remove()
})

const listKeys = async (member: Member): Promise<readonly SigningKeyInfo[]> =>
  (await member.operate<{ items: SigningKeyInfo[] }>('signingKeys', 'list')).value.items

it.each(OPERATED)('ten platforms in several processes that rotate at the same time make one key, %s', async (name) => {
  const members = fleet.members(name)
  let known = (await listKeys(members[0]!)).length
  for (const immediately of IS_LONG_LANE ? [false, true, true, true, true] : [false, true, true]) {
    const at = Date.now() + 200
    const rotated = (
      await Promise.all(members.map((member) => member.operateAll(at, 'signingKeys', 'rotate', { immediately })))
    ).flat() as SigningKeyInfo[]
    expect(rotated).toHaveLength(10)
    expect(new Set(rotated.map(({ kid }) => kid)).size).toBe(1)
    const keys = await listKeys(members[0]!)
    expect(keys).toHaveLength((known += 1))
    expect(keys.filter(({ state }) => state === 'next')).toHaveLength(1)
  }
})

it.each(IS_LONG_LANE ? OPERATED : OPERATED.slice(0, 1))('rotations under load fail no request, %s', async (name) => {
  const members = fleet.members(name)
  const { credentials } = await createCachedApplication(members[0]!, members)
  const before = (await listKeys(members[0]!)).length
  const load = startLoad(members, credentials, 4, IS_LONG_LANE ? 20 : 50)
  await rotateRepeatedly(members, ROTATIONS, IS_LONG_LANE ? 100 : 300)
  await expect.poll(load.requests).toBeGreaterThan(100)
  const { failures } = await load.stop()
  expect(failures).toEqual([])
  expect(await listKeys(members[0]!)).toHaveLength(before + ROTATIONS)
})

it('rotateEvery rotates once in each period for all processes, and no process signs with a key before all have published it', async () => {
  await Promise.all(
    SCHEDULED.map(async (name) => {
      const members = fleet.members(name)
      const { credentials } = await createCachedApplication(members[0]!, members)
      const before = (await listKeys(members[0]!)).length
      const ending = new AbortController()
      const watching = members.map((member) => watchKeys(member, credentials, ending.signal))
      await sleep(6500)
      // On a busy machine processes check later. The first of these keys has signed when the last is made.
      await waitUntil(async () => (await listKeys(members[0]!)).length > before + 3)
      ending.abort()
      const watched = await Promise.all(watching)
      const keys = await listKeys(members[0]!)
      const made = keys.map(({ createdAt }) => new Date(createdAt).getTime())
      expect(made.length, name).toBeGreaterThan(3)
      for (const [i, at] of made.slice(1).entries()) {
        expect(at - made[i]!, name).toBeGreaterThanOrEqual(ROTATE_EVERY * 1000)
        // Every process checks once a second.
        expect(at - made[i]!, name).toBeLessThan(ROTATE_EVERY * 1000 + timeBound(3000))
      }
      const all = new Set(watched.flatMap(({ signed }) => [...signed.keys()]))
      const seen = [...all].map((kid) => ({
        missing: Math.max(...watched.map((each) => each.missing.get(kid) ?? each.lastReadAt)),
        signed: Math.min(...watched.map((each) => each.signed.get(kid) ?? Infinity)),
      }))
      // Keys that signed before the key sets of all processes were read are left out.
      const watchedFrom = Math.max(...watched.map(({ readAt }) => readAt))
      const later = seen.filter(({ signed }) => signed > watchedFrom)
      expect(later.length, name).toBeGreaterThan(0)
      for (const { missing, signed } of later) expect(missing, name).toBeLessThan(signed)
    }),
  )
})

/**
 * When each key had signed a token of that process, and when a read of its key set that lacks the key last began. Both are as late
 * or as early as a busy machine may make them, so that only a key that signed before it was published fails the test.
 */
async function watchKeys(member: Member, credentials: IssuedCredentials, ending: AbortSignal) {
  const reads: { readonly startedAt: number; readonly kids: readonly string[] }[] = []
  const signed = new Map<string, number>()
  for (; !ending.aborted; await sleep(IS_LONG_LANE ? 50 : 150)) {
    const kid = readKid(await requestToken(member, credentials))
    if (!signed.has(kid)) signed.set(kid, performance.now())
    const startedAt = performance.now()
    reads.push({ startedAt, kids: await member.kids() })
  }
  const known = new Set(reads.flatMap(({ kids }) => kids))
  const missing = new Map(
    [...known].map((kid) => {
      // A key that has expired is removed again.
      const first = reads.findIndex(({ kids }) => kids.includes(kid))
      return [kid, reads[first - 1]?.startedAt ?? -Infinity]
    }),
  )
  return { missing, signed, readAt: reads[0]!.startedAt, lastReadAt: reads.at(-1)!.startedAt }
}
