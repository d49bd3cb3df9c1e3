import assert from 'node:assert/strict'
import type { StoreWith } from '../../../src/store.js'
import { NOW, signIn } from './records.js'
import { assertEqual, type TestCollector } from './suite.js'

/** Adding, finding, guessing and removing ways to sign in. */
export function signInsContract({ describe, it }: TestCollector): void {
  describe('ways to sign in', () => {
    it('are stored unchanged, with and without code and application', async ({ store, other, withoutTraces }) => {
      const short = signIn('short', { codeHash: undefined, applicationId: undefined, guesses: 3 })
      for (const each of [signIn('full'), short]) await withoutTraces(() => store.signIns.add(each))
      assertEqual(await other.signIns.findByLink('link-full'), signIn('full'))
      assertEqual(await other.signIns.findByLink('link-short'), short)
      assert.equal(await store.signIns.findByLink('LINK-FULL'), undefined)
    })

    it('count guesses that are made at once, each with a number of its own', async ({ store, callAtOnce }) => {
      await store.signIns.add(signIn('s'))
      await store.signIns.add(signIn('t'))
      const counted = await callAtOnce(10, (one) => one.signIns.countGuess('s'))
      const numbers = counted.map((each) => each!.guesses).toSorted((a, b) => a - b)
      assertEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      assertEqual(await store.signIns.findByLink('link-s'), signIn('s', { guesses: 10 }))
      assertEqual(await store.signIns.findByLink('link-t'), signIn('t'))
      assert.equal(await store.signIns.countGuess('unknown'), undefined)
    })

    it('are removed for one caller only', async ({ store, other, callAtOnce }) => {
      await store.signIns.add(signIn('s'))
      await store.signIns.add(signIn('t'))
      const removed = await callAtOnce(4, (one) => one.signIns.remove('s'))
      assert.equal(removed.filter(Boolean).length, 1)
      assert.equal(await other.signIns.findByLink('link-s'), undefined)
      assertEqual(await other.signIns.findByLink('link-t'), signIn('t'))
    })

    it('are deleted after they expire, and not before', async ({ store }) => {
      for (const i of [1, 2, 3]) await store.signIns.add(signIn(`s${i}`, { expiresAt: NOW + i }))
      await store.signIns.add(signIn('late', { createdAt: NOW + 2, expiresAt: NOW + 100 }))
      assertEqual(await listFound(store, ['s1', 's2', 's3', 'late']), ['s3', 'late'])
    })
  })
}

/** Adding and listing sign-outs. */
export function signOutsContract({ describe, it }: TestCollector): void {
  const dev = { subject: 'contact:dev@example.com', nonce: 'n1', at: NOW, expiresAt: NOW + 100 }

  describe('sign-outs', () => {
    it('are listed for their subjects only', async ({ store, other, withoutTraces }) => {
      const session = { subject: 'session:1', nonce: 'n2', at: NOW + 1, expiresAt: NOW + 101 }
      for (const signOut of [dev, session]) await withoutTraces(() => store.signIns.addSignOut(signOut))
      assertEqual(await other.signIns.listSignOuts([dev.subject]), [dev])
      assertEqual(await other.signIns.listSignOuts([session.subject, 'session:2']), [session])
      assert.equal((await other.signIns.listSignOuts([session.subject, dev.subject])).length, 2)
      assertEqual(await other.signIns.listSignOuts(['contact:DEV@example.com']), [])
      assertEqual(await other.signIns.listSignOuts([]), [])
    })

    it('of one subject are later each time, also if the clock was set back', async ({ store, other }) => {
      const readTime = async (): Promise<number> => (await other.signIns.listSignOuts([dev.subject]))[0]!.at
      await store.signIns.addSignOut(dev)
      await other.signIns.addSignOut({ ...dev, nonce: 'n3', at: NOW - 5000 })
      assert.equal(await readTime(), NOW + 1)
      assert.equal((await store.signIns.listSignOuts([dev.subject]))[0]?.nonce, 'n3')
      await store.signIns.addSignOut({ ...dev, at: NOW + 50, expiresAt: NOW + 150 })
      assertEqual(await other.signIns.listSignOuts([dev.subject]), [{ ...dev, at: NOW + 50, expiresAt: NOW + 150 }])
    })

    it('of a contact delete its ways to sign in, and no others', async ({ store }) => {
      for (const id of ['s', 't']) await store.signIns.add(signIn(id))
      await store.signIns.add(signIn('u', { contact: 'dev@example.org' }))
      await store.signIns.addSignOut({ ...dev, subject: 'session:dev@example.com' })
      assertEqual(await store.signIns.findByLink('link-s'), signIn('s'))
      await store.signIns.addSignOut(dev)
      assertEqual(await listFound(store, ['s', 't', 'u']), ['u'])
    })

    it('are deleted after they expire, and not before', async ({ store }) => {
      const subjects = ['session:1', 'session:2', 'session:3']
      for (const [i, subject] of subjects.entries())
        await store.signIns.addSignOut({ subject, nonce: 'n', at: NOW, expiresAt: NOW + i + 1 })
      await store.signIns.addSignOut({ subject: 'session:late', nonce: 'n', at: NOW + 2, expiresAt: NOW + 100 })
      const left = await store.signIns.listSignOuts([...subjects, 'session:late'])
      assertEqual(left.map(({ subject }) => subject).toSorted(), ['session:3', 'session:late'])
    })
  })
}

/** The ids of those ways to sign in whose links are still known. */
async function listFound({ signIns }: StoreWith, ids: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(ids.map((id) => signIns.findByLink(`link-${id}`)))
  return found.flatMap((each) => each?.id ?? [])
}
