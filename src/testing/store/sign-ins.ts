import assert from 'node:assert/strict'
import { NOW, signIn } from './records.js'
import { assertEqual, createReaders, NO_TRACES } from './suite.js'
import type { OpenedStores, TestCollector } from './suite.js'

/** Adding, finding, guessing and removing ways to sign in. */
export function signInsContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { recordTraces } = createReaders(opened)

  describe('ways to sign in', () => {
    it('are stored unchanged, with and without code and application', async () => {
      const { store, other } = opened()
      const short = signIn('short', { codeHash: undefined, applicationId: undefined, guesses: 3 })
      const traces = await recordTraces(async () => {
        for (const each of [signIn('full'), short]) await store.addSignIn(each)
      })
      assertEqual(await other.findSignInByLink('link-full'), signIn('full'))
      assertEqual(await other.findSignInByLink('link-short'), short)
      assert.equal(await store.findSignInByLink('LINK-FULL'), undefined)
      assertEqual(traces, NO_TRACES)
    })

    it('count guesses that are made at once, each with a number of its own', async () => {
      const { store, other } = opened()
      await store.addSignIn(signIn('s'))
      await store.addSignIn(signIn('t'))
      const guesses = Array.from({ length: 10 }, (_, i) => (i % 2 ? store : other).countSignInGuess('s'))
      const counted = await Promise.all(guesses)
      const numbers = counted.map((each) => each!.guesses).toSorted((a, b) => a - b)
      assertEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      assertEqual(await store.findSignInByLink('link-s'), signIn('s', { guesses: 10 }))
      assertEqual(await store.findSignInByLink('link-t'), signIn('t'))
      assert.equal(await store.countSignInGuess('unknown'), undefined)
    })

    it('are removed for one caller only', async () => {
      const { store, other } = opened()
      await store.addSignIn(signIn('s'))
      await store.addSignIn(signIn('t'))
      const removed = await Promise.all([store, other, store, other].map((each) => each.removeSignIn('s')))
      assert.equal(removed.filter(Boolean).length, 1)
      assert.equal(await other.findSignInByLink('link-s'), undefined)
      assertEqual(await other.findSignInByLink('link-t'), signIn('t'))
    })

    it('are deleted after they expire, and not before', async () => {
      const { store } = opened()
      for (const i of [1, 2, 3]) await store.addSignIn(signIn(`s${i}`, { expiresAt: NOW + i }))
      await store.addSignIn(signIn('late', { createdAt: NOW + 2, expiresAt: NOW + 100 }))
      const found = await Promise.all(['s1', 's2', 's3', 'late'].map((id) => store.findSignInByLink(`link-${id}`)))
      assertEqual(
        found.map((each) => each?.id),
        [undefined, undefined, 's3', 'late'],
      )
    })
  })
}

/** Adding and listing sign-outs. */
export function signOutsContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { recordTraces } = createReaders(opened)
  const dev = { subject: 'contact:dev@example.com', nonce: 'n1', at: NOW, expiresAt: NOW + 100 }

  describe('sign-outs', () => {
    it('are listed for their subjects only', async () => {
      const { store, other } = opened()
      const session = { subject: 'session:1', nonce: 'n2', at: NOW + 1, expiresAt: NOW + 101 }
      const traces = await recordTraces(async () => {
        for (const signOut of [dev, session]) await store.addSignOut(signOut)
      })
      assertEqual(await other.listSignOuts([dev.subject]), [dev])
      assertEqual(await other.listSignOuts([session.subject, 'session:2']), [session])
      assert.equal((await other.listSignOuts([session.subject, dev.subject])).length, 2)
      assertEqual(await other.listSignOuts(['contact:DEV@example.com']), [])
      assertEqual(await other.listSignOuts([]), [])
      assertEqual(traces, NO_TRACES)
    })

    it('of one subject are later each time, also if the clock was set back', async () => {
      const { store, other } = opened()
      const readTime = async (): Promise<number> => (await other.listSignOuts([dev.subject]))[0]!.at
      await store.addSignOut(dev)
      await other.addSignOut({ ...dev, nonce: 'n3', at: NOW - 5000 })
      assert.equal(await readTime(), NOW + 1)
      assert.equal((await store.listSignOuts([dev.subject]))[0]?.nonce, 'n3')
      await store.addSignOut({ ...dev, at: NOW + 50, expiresAt: NOW + 150 })
      assertEqual(await other.listSignOuts([dev.subject]), [{ ...dev, at: NOW + 50, expiresAt: NOW + 150 }])
    })

    it('of a contact delete its ways to sign in, and no others', async () => {
      const { store } = opened()
      for (const [id, contact] of [
        ['s', 'dev@example.com'],
        ['t', 'dev@example.com'],
        ['u', 'dev@example.org'],
      ] as const)
        await store.addSignIn(signIn(id, { contact }))
      await store.addSignOut({ ...dev, subject: 'session:dev@example.com' })
      assertEqual(await store.findSignInByLink('link-s'), signIn('s'))
      await store.addSignOut(dev)
      const found = await Promise.all(['s', 't', 'u'].map((id) => store.findSignInByLink(`link-${id}`)))
      assertEqual(
        found.map((each) => each?.id),
        [undefined, undefined, 'u'],
      )
    })

    it('are deleted after they expire, and not before', async () => {
      const { store } = opened()
      const subjects = ['session:1', 'session:2', 'session:3']
      for (const [i, subject] of subjects.entries())
        await store.addSignOut({ subject, nonce: 'n', at: NOW, expiresAt: NOW + i + 1 })
      await store.addSignOut({ subject: 'session:late', nonce: 'n', at: NOW + 2, expiresAt: NOW + 100 })
      const left = await store.listSignOuts([...subjects, 'session:late'])
      assertEqual(left.map(({ subject }) => subject).toSorted(), ['session:3', 'session:late'])
    })
  })
}
