import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { IssuedCredentials, SigningKeyInfo } from '../../src/index.js'
import { aKnownApplication, goodToken, kidOf } from './changes.js'
import { startFleet, type Fleet, type Member, type PlatformPlan } from './fleet.js'
import { load, rotateAgainAndAgain } from './load.js'
import { freshStores, type FleetStores } from './stores.js'

/** Seconds. */
const ROTATE_EVERY = 1
const PUBLISH_AHEAD = 2

/** Two fleets in the same four processes, with several platforms in each: one that is told to rotate, and one that does so by itself. */
type Name = 'told on PostgreSQL' | 'told on SQLite' | 'scheduled on PostgreSQL' | 'scheduled on SQLite'
const TOLD = ['told on PostgreSQL', 'told on SQLite'] as const
const SCHEDULED = ['scheduled on PostgreSQL', 'scheduled on SQLite'] as const

let stores: readonly [FleetStores, FleetStores]
let fleet: Fleet<Name>

beforeAll(async () => {
  stores = [await freshStores(), await freshStores()]
  const signing = { rotateEvery: ROTATE_EVERY, publishAhead: PUBLISH_AHEAD }
  const [told, scheduled] = stores.map((each) => each.stores)
  fleet = await startFleet(
    // Ten platforms, each with a store of its own.
    [3, 3, 2, 2].map((count): Record<Name, PlatformPlan> => ({
      'told on PostgreSQL': { store: told!.PostgreSQL, count },
      'told on SQLite': { store: told!.SQLite, count },
      'scheduled on PostgreSQL': { store: scheduled!.PostgreSQL, signing },
      'scheduled on SQLite': { store: scheduled!.SQLite, signing },
    })),
  )
})

afterAll(async () => {
  await fleet?.stop()
  for (const each of stores ?? []) await each.remove()
})

const keysOf = async (member: Member): Promise<readonly SigningKeyInfo[]> =>
  (await member.operate<SigningKeyInfo[]>('signingKeys', 'list')).value

it.each(TOLD)('of ten platforms in four processes that rotate at once, one does, %s', async (name) => {
  const members = fleet.members(name)
  let known = (await keysOf(members[0]!)).length
  for (const immediately of [false, true, true, true, true]) {
    const at = Date.now() + 200
    const rotated = (
      await Promise.all(members.map((member) => member.operateAll(at, 'signingKeys', 'rotate', { immediately })))
    ).flat() as SigningKeyInfo[]
    expect(rotated).toHaveLength(10)
    expect(new Set(rotated.map(({ kid }) => kid)).size).toBe(1)
    const keys = await keysOf(members[0]!)
    expect(keys).toHaveLength((known += 1))
    expect(keys.filter(({ state }) => state === 'next')).toHaveLength(1)
  }
})

it.each(TOLD)('rotations under load fail no request, %s', async (name) => {
  const members = fleet.members(name)
  const { credentials } = await aKnownApplication(members[0]!, members)
  const before = (await keysOf(members[0]!)).length
  const loaded = load(members, credentials, 4)
  await rotateAgainAndAgain(members, 5, 300)
  const { requests, failures } = await loaded.stop()
  expect(failures).toEqual([])
  expect(requests).toBeGreaterThan(100)
  expect(await keysOf(members[0]!)).toHaveLength(before + 5)
})

it('rotateEvery rotates once in each period for all, and no process signs with a key that another has not published', async () => {
  await Promise.all(
    SCHEDULED.map(async (name) => {
      const members = fleet.members(name)
      const { credentials } = await aKnownApplication(members[0]!, members)
      const watched = await Promise.all(members.map((member) => watchKeys(member, credentials, 6500)))
      const keys = await keysOf(members[0]!)
      const made = keys.map(({ createdAt }) => new Date(createdAt).getTime())
      expect(made.length, name).toBeGreaterThan(3)
      for (const [i, at] of made.slice(1).entries()) {
        expect(at - made[i]!, name).toBeGreaterThanOrEqual(ROTATE_EVERY * 1000)
        // Every process looks once a second.
        expect(at - made[i]!, name).toBeLessThan(ROTATE_EVERY * 1000 + 3000)
      }
      const all = new Set(watched.flatMap(({ signed }) => [...signed.keys()]))
      const seen = [...all].map((kid) => ({
        published: Math.max(...watched.map((each) => each.published.get(kid) ?? Infinity)),
        signed: Math.min(...watched.map((each) => each.signed.get(kid) ?? Infinity)),
      }))
      // Those that signed before everybody had looked tell nothing.
      const began = Math.max(...watched.map(({ published }) => Math.min(...published.values())))
      const later = seen.filter(({ signed }) => signed > began)
      expect(later.length, name).toBeGreaterThan(0)
      for (const { published, signed } of later) expect(published, name).toBeLessThan(signed)
    }),
  )
})

/** When each key was seen for the first time: in the key set of that process, and on a token of it. */
async function watchKeys(member: Member, credentials: IssuedCredentials, milliseconds: number) {
  const published = new Map<string, number>()
  const signed = new Map<string, number>()
  for (const until = performance.now() + milliseconds; performance.now() < until; await sleep(20)) {
    const began = performance.now()
    const kid = kidOf(await goodToken(member, credentials))
    if (!signed.has(kid)) signed.set(kid, began)
    const kids = await member.kids()
    for (const each of kids) if (!published.has(each)) published.set(each, performance.now())
  }
  return { published, signed }
}
