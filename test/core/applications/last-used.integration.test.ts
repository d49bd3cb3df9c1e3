import { AsyncLocalStorage } from 'node:async_hooks'
import { rm, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStore, type IssuedCredentials } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { createLastUsed } from '../../../src/core/applications/credentials/last-used.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { openProvider, type Provider, type ReceivedCredentials } from './applicant.js'

/** `lastUsedAt` of key and secret. */
async function readLastUsed({ auth }: Provider, id: string): Promise<readonly (Date | undefined)[]> {
  const { keys, secrets } = (await auth.applications.get(id))!
  return [keys[0]?.lastUsedAt, secrets[0]?.lastUsedAt]
}

/** A store that counts calls of `noteCredentialUse`, which reject while `failing`. */
function countNotes(store: StoreWith): StoreWith & { notes: number; failing: boolean } {
  const counted = {
    ...store,
    notes: 0,
    failing: false,
    async noteCredentialUse(...args: Parameters<StoreWith['noteCredentialUse']>) {
      counted.notes++
      if (counted.failing) throw new Error('unavailable')
      await store.noteCredentialUse(...args)
    },
  }
  return counted
}

async function create({ auth }: Provider): Promise<{ id: string; credentials: ReceivedCredentials }> {
  const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
  return { id: application.id, credentials: credentials as Required<IssuedCredentials> }
}

describe.concurrent('lastUsedAt', () => {
  it('is when the key was last accepted by a key guard, or key and secret by a token endpoint', async ({
    expect,
    onTestFinished,
  }) => {
    const provider = openProvider({ onTestFinished })
    const { id, credentials } = await create(provider)
    const started = new Date(provider.clock.now())
    expect(await readLastUsed(provider, id)).toEqual([undefined, undefined])

    await provider.keyStatus(credentials)
    expect(await readLastUsed(provider, id)).toEqual([started, undefined])
    // The stored time is replaced when it is five to ten minutes old.
    provider.clock.advance(601)
    await provider.tokenStatus(credentials)
    const later = new Date(provider.clock.now())
    expect(await readLastUsed(provider, id)).toEqual([later, later])
    const { items: applications } = await provider.auth.applications.list()
    expect(applications[0]).toEqual(await provider.auth.applications.get(id))
  })

  it('does not change with refused requests', async ({ expect, onTestFinished }) => {
    const provider = openProvider({ onTestFinished })
    const { id, credentials } = await create(provider)
    expect(await provider.tokenStatus({ ...credentials, clientSecret: 'wrong' })).toBe(401)
    expect(await readLastUsed(provider, id)).toEqual([undefined, undefined])
    await provider.auth.applications.suspend(id)
    expect(await provider.tokenStatus(credentials)).toBe(401)
    expect(await provider.keyStatus(credentials)).toBe(403)
    expect(await readLastUsed(provider, id)).toEqual([undefined, undefined])
  })

  it('is written once for many requests, and not during a request', async ({ expect, onTestFinished }) => {
    const store = countNotes(memoryStore())
    const provider = openProvider({ onTestFinished }, { store })
    const { id, credentials } = await create(provider)
    for (let i = 0; i < 50; i++) await provider.keyStatus(credentials)
    await provider.tokenStatus(credentials)
    expect(store.notes).toBe(0)
    await readLastUsed(provider, id)
    expect(store.notes).toBe(1)
    // Nothing new: no call.
    await readLastUsed(provider, id)
    expect(store.notes).toBe(1)
  })

  it('is kept while the store cannot write it, and requests are answered', async ({ expect, onTestFinished }) => {
    const store = countNotes(memoryStore())
    const provider = openProvider({ onTestFinished }, { store })
    const { id, credentials } = await create(provider)
    store.failing = true
    expect(await provider.keyStatus(credentials)).toBe(200)
    expect(await readLastUsed(provider, id)).toEqual([undefined, undefined])
    store.failing = false
    expect(await readLastUsed(provider, id)).toEqual([new Date(provider.clock.now()), undefined])
  })

  it('survives a restart and changes of the application', async ({ expect, onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'last-used-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'platform.sqlite')
    const first = openProvider({ onTestFinished }, { store: sqliteStore(file) })
    const { id, credentials } = await create(first)
    await first.tokenStatus(credentials)
    const used = new Date(first.clock.now())
    await first.auth.close()

    const second = openProvider({ onTestFinished }, { store: sqliteStore(file) })
    expect(await readLastUsed(second, id)).toEqual([used, used])
    // The record changes while a use is not yet written.
    second.clock.advance(400)
    await second.keyStatus(credentials)
    await second.auth.applications.update(id, { name: 'Another' })
    expect(await readLastUsed(second, id)).toEqual([new Date(second.clock.now()), used])
    await second.auth.applications.rotateKey(id)
    const { keys } = (await second.auth.applications.get(id))!
    expect(keys.map(({ lastUsedAt }) => lastUsedAt)).toEqual([undefined, new Date(second.clock.now())])
  })

  it('is not written again within five minutes, by this process or another one', async ({ expect, onTestFinished }) => {
    const store = countNotes(memoryStore())
    const one = openProvider({ onTestFinished }, { store })
    const other = openProvider({ onTestFinished }, { store, now: one.clock.now })
    const { id, credentials } = await create(one)
    await one.keyStatus(credentials)
    const first = new Date(one.clock.now())
    expect(await readLastUsed(one, id)).toEqual([first, undefined])
    one.clock.advance(299)
    for (const provider of [one, other]) {
      await provider.keyStatus(credentials)
      expect(await readLastUsed(provider, id)).toEqual([first, undefined])
    }
    // The other process has asked the store once, since it could not know the stored time.
    expect(store.notes).toBe(2)
  })

  it('is the later one if two processes write it', async ({ expect, onTestFinished }) => {
    const store = memoryStore()
    const one = openProvider({ onTestFinished }, { store })
    const other = openProvider({ onTestFinished }, { store, now: one.clock.now })
    const { id, credentials } = await create(one)
    await one.keyStatus(credentials)
    one.clock.advance(400)
    await other.keyStatus(credentials)
    const latest = new Date(one.clock.now())
    expect(await readLastUsed(other, id)).toEqual([latest, undefined])
    expect(await readLastUsed(one, id)).toEqual([latest, undefined])
  })
})

it('lastUsedAt is written after 10 seconds without a call', async () => {
  const provider = openProvider({ onTestFinished })
  const { id } = await create(provider)
  const [{ hash } = { hash: '' }] = (await provider.findRecord(id)).keys
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const lastUsed = createLastUsed({ store: provider.store, now: provider.clock.now })
  lastUsed.note(hash)
  lastUsed.note(hash)
  await vi.advanceTimersByTimeAsync(9999)
  expect((await provider.findRecord(id)).keys[0]!.lastUsedAt).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect((await provider.findRecord(id)).keys[0]!.lastUsedAt).toBe(provider.clock.now())
})

it('lastUsedAt is written outside the context of the request that started the timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const request = new AsyncLocalStorage<string>()
  const writtenIn: unknown[] = []
  const store: StoreWith = { ...memoryStore(), noteCredentialUse: async () => void writtenIn.push(request.getStore()) }
  const lastUsed = createLastUsed({ store, now: Date.now })
  // A timer runs in the context in which it was set.
  await request.run('the first', async () => {
    lastUsed.note('hash')
    await vi.advanceTimersByTimeAsync(10_000)
  })
  expect(writtenIn).toEqual([undefined])
})

it('writes a thousand uses of credentials at a time at most, and the rest later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const written: number[] = []
  const noteCredentialUse: StoreWith['noteCredentialUse'] = async (uses) => void written.push(uses.length)
  const lastUsed = createLastUsed({ store: { noteCredentialUse }, now: () => 1_800_000_000_000 })
  for (let i = 0; i < 2500; i++) lastUsed.note(`hash ${i}`)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(written).toEqual([1000, 1000])
  for (let i = 0; i < 2500; i++) lastUsed.note(`hash ${i}`)
  await lastUsed.close()
  expect(written).toEqual([1000, 1000, 500])
})
