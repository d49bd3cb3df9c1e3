import { afterAll, beforeAll, expect, it } from 'vitest'
import { aKnownApplication, delaysOf, delayUntil, goodToken, kidOf, KINDS } from './changes.js'
import { startFleet, type Fleet, type Member } from './fleet.js'
import { freshStores, onEveryWay, type FleetStores, type Way } from './stores.js'

/** Milliseconds in which a change made in one process must be felt in every other. */
const BOUND = 1000
const PROCESSES = 4

let stores: FleetStores
let fleet: Fleet<Way>

beforeAll(async () => {
  stores = await freshStores()
  fleet = await startFleet(Array.from({ length: PROCESSES }, () => stores.plan()))
})

afterAll(async () => {
  await fleet?.stop()
  await stores?.remove()
})

it.each(Object.keys(KINDS))(
  '%s in one process holds there at once, and in three others within a second',
  async (kind) => {
    await onEveryWay(async (way) => {
      const members = fleet.members(way)
      const maker = members[Object.keys(KINDS).indexOf(kind) % PROCESSES]!
      const known = await aKnownApplication(maker, members)
      const others = members.filter((member) => member !== maker)
      const delays = await delaysOf(kind, maker, others, known)
      expect(await KINDS[kind]!.holds(maker, known), maker.name).toBe(true)
      for (const [i, delay] of delays.entries()) expect(delay, others[i]!.name).toBeLessThan(BOUND)
    })
  },
)

it('the emergency revocation of a signing key leaves every process signing with another, good in all at once', async () => {
  await onEveryWay(async (way) => {
    const members = fleet.members(way)
    const known = await aKnownApplication(members[0]!, members)
    const { credentials, accessToken } = known
    const revoked = kidOf(accessToken)
    const { at } = await members[1]!.operate('signingKeys', 'revoke', revoked)
    // Wherever it is asked for and used: nobody need have heard of it yet.
    for (const issuer of members) {
      const fresh = await goodToken(issuer, credentials)
      expect(kidOf(fresh), issuer.name).not.toBe(revoked)
      const statuses = await Promise.all(members.map((member) => member.bearer(fresh)))
      expect(statuses, `a token from ${issuer.name}`).toEqual([200, 200, 200, 200])
    }
    const isRefused = async (member: Member): Promise<boolean> => (await member.bearer(accessToken)) === 401
    await Promise.all(members.map((member) => delayUntil(() => isRefused(member), at, member.name, BOUND)))
    for (const member of members) expect(await member.kids(), member.name).not.toContain(revoked)
  })
})

it('a token of a key made a moment ago is good everywhere, whatever nonsense came before', async () => {
  await onEveryWay(async (way) => {
    const members = fleet.members(way)
    const [maker, other] = [members[0]!, members[1]!]
    const { credentials, accessToken } = await aKnownApplication(maker, members)
    const unknown = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'nobodys' })).toString('base64url')
    const nonsense = [unknown, ...accessToken.split('.').slice(1)].join('.')
    for (let round = 0; round < 3; round++) {
      await maker.operate('signingKeys', 'rotate', { immediately: true })
      const fresh = await goodToken(maker, credentials)
      // It asks the store about every key that it does not know, and must not be worn out by those that nobody made.
      const statuses = Promise.all([other.bearer(nonsense), other.bearer(nonsense), other.bearer(fresh)])
      expect(await statuses, other.name).toEqual([401, 401, 200])
    }
  })
})
