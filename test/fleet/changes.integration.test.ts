import { afterAll, expect, it } from 'vitest'
import {
  createCachedApplication,
  listStatuses,
  measureDelays,
  measureDelay,
  requestToken,
  readKid,
  KINDS,
} from './changes.js'
import { startFleet, type Member } from './fleet.js'
import { freshStores, onEveryWay } from './stores.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { timeBound } from '../support/time-bound.js'

/** A change in one process must be followed by every other process within this time. */
const MAX_DELAY_MS = 1000
const PROCESSES = IS_LONG_LANE ? 4 : 2

const stores = await freshStores()
const fleet = await startFleet(Array.from({ length: PROCESSES }, () => stores.plan()))

afterAll(async () => {
  await fleet?.stop()
  await stores?.remove()
})

it.each(Object.keys(KINDS))(
  '%s takes effect in the process at once, and in the others within a second',
  async (kind) => {
    await onEveryWay(async (way) => {
      const members = fleet.members(way)
      const maker = members[Object.keys(KINDS).indexOf(kind) % PROCESSES]!
      const known = await createCachedApplication(maker, members)
      const others = members.filter((member) => member !== maker)
      const delays = await measureDelays(kind, maker, others, known)
      for (const member of members)
        expect(await listStatuses(member, known), member.name).toEqual(KINDS[kind]!.statuses)
      for (const [i, delay] of delays.entries()) expect(delay, others[i]!.name).toBeLessThan(timeBound(MAX_DELAY_MS))
    })
  },
)

it('the revocation of the current signing key makes every process sign with another one, which all processes accept at once', async () => {
  await onEveryWay(async (way) => {
    const members = fleet.members(way)
    const known = await createCachedApplication(members[0]!, members)
    const { credentials, accessToken } = known
    const revoked = readKid(accessToken)
    const { at } = await members[1]!.operate('signingKeys', 'revoke', revoked)
    // Also in processes that have not read the change feed yet.
    for (const issuer of members) {
      const fresh = await requestToken(issuer, credentials)
      expect(readKid(fresh), issuer.name).not.toBe(revoked)
      const statuses = await Promise.all(members.map((member) => member.bearer(fresh)))
      expect(statuses, `a token from ${issuer.name}`).toEqual(members.map(() => 200))
    }
    const isRefused = async (member: Member): Promise<boolean> => (await member.bearer(accessToken)) === 401
    await Promise.all(
      members.map((member) => measureDelay(() => isRefused(member), at, member.name, timeBound(MAX_DELAY_MS))),
    )
    for (const member of members) expect(await member.kids(), member.name).not.toContain(revoked)
  })
})

it('a token of a new signing key is accepted everywhere, also among tokens of unknown keys', async () => {
  await onEveryWay(async (way) => {
    const members = fleet.members(way)
    const [maker, other] = [members[0]!, members[1]!]
    const { credentials, accessToken } = await createCachedApplication(maker, members)
    const unknown = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'unknown' })).toString('base64url')
    const unknownToken = [unknown, ...accessToken.split('.').slice(1)].join('.')
    for (let round = 0; round < 3; round++) {
      await maker.operate('signingKeys', 'rotate', { immediately: true })
      const fresh = await requestToken(maker, credentials)
      // Reads of the change feed for unknown keys are limited, which must not delay the new key.
      const statuses = Promise.all([other.bearer(unknownToken), other.bearer(unknownToken), other.bearer(fresh)])
      expect(await statuses, other.name).toEqual([401, 401, 200])
    }
  })
})
