import { generateKeyPairSync } from 'node:crypto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { FetchedKeySet } from '../../../src/core/key-sets/fetch-key-set.js'
import { createKeySetCache } from '../../../src/core/key-sets/key-set-cache.js'
import { KeySetProblem } from '../../../src/core/key-sets/public-key-set.js'
import type { PublicJwk } from '../../../src/shared/contracts/application-record.js'

const ADDRESS = 'https://partner.test/jwks'
const key = (kid: string): PublicJwk =>
  ({ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid }) as PublicJwk
const A = key('a')
const B = key('b')

let now: number
let fetched: number
let answer: (address: string) => Promise<FetchedKeySet>
let cache: ReturnType<typeof createKeySetCache>
const fail = (): Promise<never> => Promise.reject(new KeySetProblem('answered with status 500'))
const publish = (...keys: PublicJwk[]): void => void (answer = () => Promise.resolve({ keys, maxAge: 600 }))
const find = async (kid?: string, reloadedAt = 0, more: object = {}) =>
  (await cache.find({ address: ADDRESS, reloadedAt, ...more }, { application: 'app_bank', kid })).map(
    (each) => each.kid,
  )
/** Asks for the key set of another application, at a host of its own. */
const ask = (name: string, address = `https://${name}.test/`) =>
  cache.find({ address, reloadedAt: 0 }, { application: `app_${name}`, kid: undefined })
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

beforeEach(() => {
  now = 1_800_000_000_000
  fetched = 0
  publish(A)
  cache = createKeySetCache({
    fetchKeySet: (address) => {
      fetched += 1
      return answer(address)
    },
    now: () => now,
  })
})

describe('the key set at an address', () => {
  it('is read once for all who wait, and kept as long as it says', async () => {
    expect(await Promise.all([find('a'), find('a'), find()])).toEqual([['a'], ['a'], ['a']])
    now += 599_000
    await find('a')
    expect(fetched).toBe(1)
    publish(B)
    now += 1000
    expect(await find('b')).toEqual(['b'])
    expect(fetched).toBe(2)
  })

  it('is read again for an unknown kid, once a minute', async () => {
    await find('a')
    publish(A, B)
    expect(await find('b')).toEqual(['a'])
    now += 60_001
    expect(await find('b')).toEqual(['a', 'b'])
    for (let i = 0; i < 100; i++) await find(`unknown-${i}`)
    expect(fetched).toBe(2)
  })

  it('is read again after a reload, in every process that knows of it', async () => {
    await find('a')
    now += 1000
    publish(B)
    expect(await find('b', now)).toEqual(['b'])
    expect(fetched).toBe(2)
    await find('b', now)
    expect(fetched).toBe(2)
  })

  it('is read again after a reload that comes while it is being read: what is read may be from before', async () => {
    const reads: ((...keys: PublicJwk[]) => void)[] = []
    answer = () => new Promise((resolve) => void reads.push((...keys) => resolve({ keys, maxAge: 600 })))
    const before = find('a')
    await vi.waitFor(() => expect(reads).toHaveLength(1))
    now += 1000
    const after = [find('b', now), find('b', now)]
    reads[0]!(A)
    expect(await before).toEqual(['a'])
    await vi.waitFor(() => expect(reads).toHaveLength(2))
    reads[1]!(B)
    expect(await Promise.all(after)).toEqual([['b'], ['b']])
    expect(await find('b', now)).toEqual(['b'])
    expect(fetched).toBe(2)
  })

  it('goes on for 24 hours while its address does not answer, and is asked for once a minute', async () => {
    await find('a')
    answer = fail
    now += 601_000
    for (let i = 0; i < 10; i++) expect(await find('a')).toEqual(['a'])
    expect(fetched).toBe(2)
    now += 24 * 3600_000
    const error = await find('a').catch((thrown: Error) => thrown)
    expect(error).toMatchObject({
      status: 503,
      cause: { message: `The key set at ${ADDRESS} answered with status 500.` },
    })
    expect((error as Error).message, 'is what callers get').not.toMatch(/500|partner/)
    publish(B)
    now += 60_001
    expect(await find('b')).toEqual(['b'])
  })

  it('is waited for by those only who need what is being read', async () => {
    await find('a')
    now += 60_001
    let end = (_keys: PublicJwk[]): void => undefined
    answer = () => new Promise((resolve) => void (end = (keys) => resolve({ keys, maxAge: 600 })))
    const answered: string[] = []
    const stranger = find('unknown').then(() => answered.push('stranger'))
    await vi.waitFor(() => expect(fetched).toBe(2))
    expect(await find('a')).toEqual(['a'])
    expect(answered).toEqual([])
    end([A])
    await stranger
    // A key that is taken out of the set counts for nobody who comes after the reload.
    now += 1000
    const reloads = [find('a', now), find('a', now)]
    await vi.waitFor(() => expect(fetched).toBe(3))
    end([B])
    expect(await Promise.all(reloads)).toEqual([['b'], ['b']])
  })

  it('that was never read is 503, and is not asked for again by each request', async () => {
    answer = fail
    for (let i = 0; i < 10; i++) await expect(find('a')).rejects.toMatchObject({ status: 503 })
    expect(fetched).toBe(1)
    publish(A)
    now += 60_001
    expect(await find('a')).toEqual(['a'])
  })

  it('is asked for again a minute after a reload failed', async () => {
    await find('a')
    answer = fail
    await find('a', now + 1)
    publish(A)
    now += 60_001
    await find('a', now - 60_000)
    expect(fetched).toBe(3)
  })

  it('is read once for a reload that a process asked for whose clock is ahead', async () => {
    await find('a')
    const reloadedAt = now + 300_000
    for (let i = 0; i < 20; i++) await find('a', reloadedAt)
    expect(fetched).toBe(2)
  })

  it('is waited for at most 4 seconds where it is known, whatever others keep busy', async () => {
    await find('a')
    now += 601_000
    answer = () => new Promise(() => undefined)
    expect(await find('a')).toEqual(['a'])
  })

  it('is read with few others at once', async () => {
    let running = 0
    let most = 0
    answer = async () => {
      most = Math.max(most, (running += 1))
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return { keys: [A], maxAge: 60 }
    }
    await Promise.all(Array.from({ length: 100 }, (_, i) => ask(`partner${i}`)))
    expect(most).toBe(4)
  })
})

describe('slow addresses of strangers', () => {
  /** Answers of strangers, which end when the test says so. */
  let end: (() => void)[]
  beforeEach(() => {
    end = []
    const slow = (): Promise<FetchedKeySet> =>
      new Promise((_resolve, reject) => void end.push(() => reject(new KeySetProblem('did not answer'))))
    answer = (address) => (address.includes('stranger') ? slow() : Promise.resolve({ keys: [A], maxAge: 60 }))
  })
  function askAll(count: number, application?: string): void {
    for (let i = 0; i < count; i++) {
      const asked = { application: application ?? `app_stranger${i}`, kid: undefined }
      cache.find({ address: `https://stranger${i}.test/`, reloadedAt: 0 }, asked).catch(() => undefined)
    }
  }

  it('delay each other and not the key set of another application, once they were slow', async () => {
    for (let first = 0; first < 2000; first += 4) {
      const asked = Array.from({ length: 4 }, (_, i) => ask(`stranger${first + i}`).catch(() => undefined))
      await turn()
      now += 3000
      for (const each of end.splice(0)) each()
      await Promise.all(asked)
    }
    now += 61_000
    askAll(2000)
    await turn()
    expect(end, 'as many as may be read at once').toHaveLength(2)
    fetched = 0
    expect(await find('a')).toEqual(['a'])
    expect(fetched).toBe(1)
  })

  it('of one application take turns with those of others, how many it has', async () => {
    askAll(500, 'app_stranger')
    await turn()
    expect(end).toHaveLength(4)
    const found = find('a')
    now += 3000
    end.splice(0, 1)[0]!()
    expect(await found).toEqual(['a'])
  })

  it('do not delay the application whose address they name as their own', async () => {
    askAll(4)
    await turn()
    now += 3000
    for (const each of end.splice(0)) each()
    await turn()
    now += 61_000
    askAll(4)
    const named = { application: 'app_stranger0', kid: undefined }
    const stranger = cache.find({ address: ADDRESS, reloadedAt: 0 }, named)
    await turn()
    expect(end, 'as many slow ones as may be read at once').toHaveLength(2)
    fetched = 0
    expect(await find('a')).toEqual(['a'])
    for (let i = 0; i < 4; i++, await turn()) for (const each of end.splice(0)) each()
    expect(await stranger).toHaveLength(1)
    expect(fetched, 'the address once, and two strangers').toBe(3)
  })

  it('keep no other application from reading an address whose reading they were refused', async () => {
    askAll(1500, 'app_stranger')
    const named = { application: 'app_stranger', kid: undefined }
    await expect(cache.find({ address: ADDRESS, reloadedAt: 0 }, named)).rejects.toMatchObject({ status: 503 })
    const found = find('a')
    for (const each of end.splice(0, 2)) each()
    expect(await found).toEqual(['a'])
  })

  it('take no key set out of memory that was read', async () => {
    await find('a')
    answer = fail
    for (let i = 0; i < 3000; i++) await ask(`stranger${i}`).catch(() => undefined)
    now += 3600_000
    expect(await find('a'), 'known keys go on').toEqual(['a'])
  })
})

it('the keys that another process has saved go on in one that starts while the address does not answer', async () => {
  answer = fail
  const outage = { since: now - 60_000, readAt: now - 3600_000, keys: [A] }
  expect(await find('a', 0, { outage })).toEqual(['a'])
  now += 23 * 3600_000 + 1
  await expect(find('a', 0, { outage })).rejects.toMatchObject({ status: 503 })
})

it('an address that an operator gave is another one than the same of a contact: only the first may be inside', async () => {
  await find('a')
  await find('a', 0, { byOperator: true })
  await find('a', 0, { byOperator: true })
  expect(fetched).toBe(2)
})
