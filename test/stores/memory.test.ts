import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/stores/memory/index.js'
import { storeContract } from './contract.js'
import { application, audit, email, NOW } from './suite/records.js'
import { whilePolluted } from '../support/while-polluted.js'

storeContract('memoryStore', async () => {
  const store = memoryStore()
  await store.open()
  // Platforms of one process share the store object.
  return { store, again: async () => store, close: () => store.close() }
})

describe('memoryStore', () => {
  it('has the kind that may be used without a secret in production', () => {
    expect(memoryStore().kind).toBe('memory')
  })

  it('keeps everything when one of its platforms closes it', async () => {
    const store = memoryStore()
    await store.saveApplication(application('a'), audit('a'))
    await store.close()
    expect(await store.findApplication('a')).toStrictEqual(application('a'))
  })

  it('deletes an e-mail although a polluted Object.prototype has the other change', async () => {
    const store = memoryStore()
    await store.saveApplication(application('a'), audit('a'), { save: email('l') })
    await whilePolluted({ save: email('l', { version: 2 }) }, () =>
      store.saveApplication(application('a', { version: 2 }), audit('a'), { remove: email('l') }),
    )
    expect(await store.emails.list({ applicationId: 'a', state: undefined, limit: 10 })).toEqual([])
  })

  it('shares nothing with another memory store', async () => {
    const [one, other] = [memoryStore(), memoryStore()]
    const { cursor } = await other.changesSince(undefined)
    await one.saveApplication(application('a'), audit('a'))
    expect(await other.findApplication('a')).toBeUndefined()
    expect(await other.changesSince(cursor)).toEqual({ cursor, changes: [] })
  })

  it('keeps the last 10,000 changes, and resolves `everything` for an older cursor', async () => {
    const store = memoryStore()
    const cursors: string[] = []
    for (let i = 0; i < 10_005; i++) {
      cursors.push((await store.changesSince(undefined)).cursor)
      await store.revokeAccessToken({ id: `t${i}`, expiresAt: NOW + 1 }, NOW)
    }
    const end = (await store.changesSince(undefined)).cursor
    expect(await store.changesSince(cursors[4])).toEqual({ cursor: end, changes: [{ kind: 'everything' }] })
    const { cursor, changes } = await store.changesSince(cursors[5])
    expect(cursor).toBe(end)
    expect(changes).toHaveLength(10_000)
    expect(changes[0]).toEqual({ kind: 'accessTokenRevoked', id: 't5', expiresAt: NOW + 1 })
  })

  it('wakes each watcher after the change, not during it', async () => {
    const store = memoryStore()
    const woken: string[] = []
    const stops = ['one', 'second'].map((name) => store.watch!(() => woken.push(name)))
    const saving = store.saveApplication(application('a'), audit('a'))
    expect(woken).toEqual([])
    await saving
    await Promise.resolve()
    expect(woken).toEqual(['one', 'second'])
    stops[0]?.()
    await store.saveApplication(application('b'), audit('b'))
    await new Promise(setImmediate)
    expect(woken).toEqual(['one', 'second', 'second'])
  })
})
