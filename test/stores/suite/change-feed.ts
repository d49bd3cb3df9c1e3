import assert from 'node:assert/strict'
import type { Change } from '../../../src/store.js'
import { application, audit, NOW, signingKey } from './records.js'
import { assertEqual, MALFORMED_CURSORS, overwrite, waitUntil, type TestCollector } from './suite.js'

/** `changesSince()`. */
export function changeFeedContract({ describe, it }: TestCollector): void {
  describe('change feed', () => {
    it('starts at its end for a reader without a cursor', async ({ store, save }) => {
      await save('a')
      const { cursor, changes } = await store.changesSince(undefined)
      assertEqual(changes, [])
      assertEqual(await store.changesSince(cursor), { cursor, changes: [] })
    })

    it('lists what was committed after any cursor, once and in order', async ({ store, other, save }) => {
      const start = (await store.changesSince(undefined)).cursor
      await save('a')
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
        assertEqual(await one.changesSince(middle), { cursor: end, changes: second })
        assertEqual(await one.changesSince(start), { cursor: end, changes: [...first, ...second] })
        assertEqual(await one.changesSince(end), { cursor: end, changes: [] })
      }
    })

    it('lists changes of both stores on one database at the next read', async ({ store, other }) => {
      let [cursor, otherCursor] = [
        (await store.changesSince(undefined)).cursor,
        (await other.changesSince(undefined)).cursor,
      ]
      for (let i = 0; i < 20; i++) {
        await (i % 3 === 0 ? store : other).saveApplication(application(`${i}`), audit())
        const [here, there] = await Promise.all([store.changesSince(cursor), other.changesSince(otherCursor)])
        assertEqual(here.changes, [{ kind: 'application', id: `${i}` }])
        assertEqual(there.changes, [{ kind: 'application', id: `${i}` }])
        ;[cursor, otherCursor] = [here.cursor, there.cursor]
        assertEqual((await store.changesSince(cursor)).changes, [])
      }
    })

    it('has a change no later than the changed record can be read', async ({ other, save }) => {
      let { cursor } = await other.changesSince(undefined)
      let changeCount = 0
      const saving = (async () => {
        for (let version = 1; version <= 30; version++) await save('a', { version })
      })()
      while (changeCount < 30) {
        const seen = (await other.findApplication('a'))?.version ?? 0
        const page = await other.changesSince(cursor)
        changeCount += page.changes.length
        cursor = page.cursor
        assert.ok(changeCount >= seen)
        // Lets the writer run, which may be in this process.
        await new Promise(setImmediate)
      }
      await saving
      assert.equal(changeCount, 30)
    })

    for (const cursor of ['999999', 'nonsense', '-1']) {
      it(`resolves \`everything\` for a cursor that it does not have: ${cursor}`, async ({ store, save }) => {
        await save('a')
        const page = await store.changesSince(cursor)
        assertEqual(page, { cursor: (await store.changesSince(undefined)).cursor, changes: [{ kind: 'everything' }] })
        await save('b')
        assertEqual((await store.changesSince(page.cursor)).changes, [{ kind: 'application', id: 'b' }])
      })
    }

    it('resolves `everything` for a malformed cursor', async ({ store, save }) => {
      await save('a')
      const { cursor } = await store.changesSince(undefined)
      for (const malformed of MALFORMED_CURSORS) {
        const page = await store.changesSince(malformed)
        assertEqual(page, { cursor, changes: [{ kind: 'everything' }] }, JSON.stringify(malformed))
      }
    })

    it('resolves `everything` for a cursor whose number belongs to another change, as after a restore', async (context) => {
      const { store, save } = context
      await save('a')
      const { cursor } = await store.changesSince(undefined)
      await save('b')
      const other = cursor.slice(0, -1) + (cursor.endsWith('0') ? '1' : '0')
      const end = (await store.changesSince(cursor)).cursor
      assertEqual(await store.changesSince(other), { cursor: end, changes: [{ kind: 'everything' }] })
    })
  })
}

/** `watch()`, and objects that were read. */
export function watchContract({ describe, it }: TestCollector): void {
  describe('change feed', () => {
    it('wakes a watcher after the change can be read, until the watcher stops', async ({ store, other, save }) => {
      if (!store.watch) return
      const { cursor } = await other.changesSince(undefined)
      const seen: (readonly Change[])[] = []
      let woken = 0
      const stop = other.watch!(() => {
        woken += 1
        void other.changesSince(cursor).then(({ changes }) => seen.push(changes))
      })
      await save('a')
      // A store may wake a watcher without a change.
      await waitUntil(() => JSON.stringify(seen.at(-1)) === '[{"kind":"application","id":"a"}]')
      let secondWoken = 0
      const stopSecond = other.watch!(() => (secondWoken += 1))
      stop()
      const before = { first: woken, second: secondWoken }
      await save('b')
      await waitUntil(() => secondWoken > before.second)
      assert.equal(woken, before.first)
      stopSecond()
    })

    it('is not changed by writing to what was read', async ({ store, save }) => {
      const { cursor } = await store.changesSince(undefined)
      await save('a')
      overwrite((await store.changesSince(cursor)).changes)
      assertEqual((await store.changesSince(cursor)).changes, [{ kind: 'application', id: 'a' }])
    })
  })
}
