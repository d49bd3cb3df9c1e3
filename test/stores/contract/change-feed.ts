import { describe, expect, it } from 'vitest'
import type { Change } from '../../../src/contracts/store.js'
import { application, audit, NOW, signingKey } from '../records.js'
import { MALFORMED_CURSORS, overwrite } from './suite.js'
import type { OpenedStores } from './suite.js'

/** `changesSince()` and `watch()`. */
export function changeFeedContract(opened: () => OpenedStores): void {
  describe('change feed', () => {
    it('starts at its end for a reader without a cursor', async () => {
      const { store } = opened()
      await store.saveApplication(application('a'), audit('a'))
      const { cursor, changes } = await store.changesSince(undefined)
      expect(changes).toEqual([])
      expect(await store.changesSince(cursor)).toEqual({ cursor, changes: [] })
    })

    it('lists what was committed after any cursor, once and in order', async () => {
      const { store, other } = opened()
      const start = (await store.changesSince(undefined)).cursor
      await store.saveApplication(application('a'), audit('a'))
      await other.addSigningKey(signingKey('k'), undefined, audit())
      const middle = (await store.changesSince(start)).cursor
      await store.revokeAccessToken({ id: 'jti', expiresAt: NOW + 1 }, NOW)
      await other.saveApplication(application('b'), audit('b'))
      const first = [{ kind: 'application', id: 'a' }, { kind: 'signingKeys' }]
      const second = [
        { kind: 'accessTokenRevoked', id: 'jti', expiresAt: NOW + 1 },
        { kind: 'application', id: 'b' },
      ]
      for (const one of [store, other]) {
        const end = (await one.changesSince(undefined)).cursor
        expect(await one.changesSince(middle)).toStrictEqual({ cursor: end, changes: second })
        expect(await one.changesSince(start)).toStrictEqual({ cursor: end, changes: [...first, ...second] })
        expect(await one.changesSince(end)).toStrictEqual({ cursor: end, changes: [] })
      }
    })

    it('lists changes of both stores on one database at the next read', async () => {
      const { store, other } = opened()
      let [cursor, otherCursor] = [
        (await store.changesSince(undefined)).cursor,
        (await other.changesSince(undefined)).cursor,
      ]
      for (let i = 0; i < 20; i++) {
        await (i % 3 === 0 ? store : other).saveApplication(application(`${i}`), audit())
        const [here, there] = await Promise.all([store.changesSince(cursor), other.changesSince(otherCursor)])
        expect(here.changes).toEqual([{ kind: 'application', id: `${i}` }])
        expect(there.changes).toEqual([{ kind: 'application', id: `${i}` }])
        ;[cursor, otherCursor] = [here.cursor, there.cursor]
        expect((await store.changesSince(cursor)).changes).toEqual([])
      }
    })

    it('has a change no later than the changed record can be read', async () => {
      const { store, other } = opened()
      let { cursor } = await other.changesSince(undefined)
      let changeCount = 0
      const saving = (async () => {
        for (let i = 1; i <= 30; i++) await store.saveApplication(application('a', { version: i }), audit())
      })()
      while (changeCount < 30) {
        const seen = (await other.findApplication('a'))?.version ?? 0
        const page = await other.changesSince(cursor)
        changeCount += page.changes.length
        cursor = page.cursor
        expect(changeCount).toBeGreaterThanOrEqual(seen)
        // Lets the writer run, which may be in this process.
        await new Promise(setImmediate)
      }
      await saving
      expect(changeCount).toBe(30)
    })

    it.each(['999999', 'nonsense', '-1'])(
      'resolves `everything` for a cursor that it does not have: %s',
      async (cursor) => {
        const { store } = opened()
        await store.saveApplication(application('a'), audit('a'))
        const page = await store.changesSince(cursor)
        expect(page).toEqual({
          cursor: (await store.changesSince(undefined)).cursor,
          changes: [{ kind: 'everything' }],
        })
        await store.saveApplication(application('b'), audit('b'))
        expect((await store.changesSince(page.cursor)).changes).toEqual([{ kind: 'application', id: 'b' }])
      },
    )

    it('resolves `everything` for a malformed cursor', async () => {
      const { store } = opened()
      await store.saveApplication(application('a'), audit('a'))
      const { cursor } = await store.changesSince(undefined)
      for (const malformed of MALFORMED_CURSORS) {
        const page = await store.changesSince(malformed)
        expect(page, JSON.stringify(malformed)).toEqual({ cursor, changes: [{ kind: 'everything' }] })
      }
    })

    it('resolves `everything` for a cursor whose number belongs to another change, as after a restore', async () => {
      const { store } = opened()
      await store.saveApplication(application('a'), audit('a'))
      const { cursor } = await store.changesSince(undefined)
      await store.saveApplication(application('b'), audit('b'))
      const other = cursor.slice(0, -1) + (cursor.endsWith('0') ? '1' : '0')
      const end = (await store.changesSince(cursor)).cursor
      expect(await store.changesSince(other)).toEqual({ cursor: end, changes: [{ kind: 'everything' }] })
    })

    it('wakes a watcher after the change can be read, until the watcher stops', async () => {
      const { store, other } = opened()
      if (!store.watch) return
      const { cursor } = await other.changesSince(undefined)
      const seen: (readonly Change[])[] = []
      let woken = 0
      const stop = other.watch!(() => {
        woken += 1
        void other.changesSince(cursor).then(({ changes }) => seen.push(changes))
      })
      await store.saveApplication(application('a'), audit('a'))
      // A store may wake a watcher without a change.
      await expect.poll(() => seen.at(-1), { timeout: 10_000 }).toEqual([{ kind: 'application', id: 'a' }])
      let secondWoken = 0
      const stopSecond = other.watch!(() => (secondWoken += 1))
      stop()
      const before = { first: woken, second: secondWoken }
      await store.saveApplication(application('b'), audit('b'))
      await expect.poll(() => secondWoken, { timeout: 10_000 }).toBeGreaterThan(before.second)
      expect(woken).toBe(before.first)
      stopSecond()
    })

    it('is not changed by writing to what was read', async () => {
      const { store } = opened()
      const { cursor } = await store.changesSince(undefined)
      await store.saveApplication(application('a'), audit('a'))
      overwrite((await store.changesSince(cursor)).changes)
      expect((await store.changesSince(cursor)).changes).toEqual([{ kind: 'application', id: 'a' }])
    })
  })
}
