import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/stores/memory/index.js'
import { storeContract } from './contract.js'
import { application, audit, NOW } from './records.js'

storeContract('memoryStore', async () => {
  const store = memoryStore()
  await store.open()
  // Platforms of one process share the object itself.
  return { store, again: async () => store, close: () => store.close() }
})

describe('memoryStore', () => {
  it('is called memory, which alone may do without a secret in production', () => {
    expect(memoryStore().kind).toBe('memory')
  })

  it('keeps everything when one of the platforms that share it closes it', async () => {
    const store = memoryStore()
    await store.saveApplication(application('a'), audit('a'))
    await store.close()
    expect(await store.findApplication('a')).toStrictEqual(application('a'))
  })

  it('shares nothing with another one', async () => {
    const [one, another] = [memoryStore(), memoryStore()]
    await one.saveApplication(application('a'), audit('a'))
    expect(await another.findApplication('a')).toBeUndefined()
    expect(await another.changesSince('0')).toEqual({ cursor: '0', changes: [] })
  })

  it('keeps the last 10,000 changes, and tells of everything to who has seen fewer', async () => {
    const store = memoryStore()
    for (let i = 0; i < 10_005; i++) await store.revokeAccessToken({ id: `t${i}`, expiresAt: NOW + 1 }, NOW)
    expect(await store.changesSince('4')).toEqual({ cursor: '10005', changes: [{ kind: 'everything' }] })
    const { cursor, changes } = await store.changesSince('5')
    expect(cursor).toBe('10005')
    expect(changes).toHaveLength(10_000)
    expect(changes[0]).toEqual({ kind: 'accessTokenRevoked', id: 't5', expiresAt: NOW + 1 })
  })

  it('wakes each of its watchers after the change, not in the midst of it', async () => {
    const store = memoryStore()
    const woken: string[] = []
    const stops = ['one', 'another'].map((name) => store.watch!(() => woken.push(name)))
    const saving = store.saveApplication(application('a'), audit('a'))
    expect(woken).toEqual([])
    await saving
    await Promise.resolve()
    expect(woken).toEqual(['one', 'another'])
    stops[0]?.()
    await store.saveApplication(application('b'), audit('b'))
    await new Promise(setImmediate)
    expect(woken).toEqual(['one', 'another', 'another'])
  })
})
