import express from 'express'
import { expect, it, type TestContext } from 'vitest'
import { createCredentials } from '../../src/core/applications/credentials/credentials.js'
import { memoryStore } from '../../src/index.js'
import type { StoreWith } from '../../src/store.js'
import { createCaller } from '../support/caller.js'
import { failingStore } from '../support/failing-store.js'
import { openPlatform } from '../support/platform.js'

async function openApp({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, store: StoreWith) {
  const made = openPlatform({ store })
  await made.auth.ready()
  onTestFinished(() => made.auth.close())
  const { credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders'] })
  return { ...made, credentials, caller: createCaller({ app: express().use(made.auth.router) }) }
}

it('a slow store does not change the answers to a wrong and a right client secret', async (test) => {
  const store = failingStore(memoryStore())
  const { caller, credentials } = await openApp(test, store)
  // Longer than a token request waits for the latest changes.
  store.slowDown(300)
  await caller.token('orders', credentials).expect(200)
  await caller.token('orders', { ...credentials, clientSecret: 'wrong' }).expect(401, /invalid_client/)
  store.recover()
})

it('look-ups that fail while other calls are answered get 503, and are no outage', async (test) => {
  const working = memoryStore()
  const store: StoreWith = {
    ...working,
    async findApplicationByKey() {
      // As if the pool had no free connection for it.
      await new Promise((later) => setTimeout(later, 200))
      throw new Error('no connection free in time')
    },
  }
  const { auth } = await openApp(test, store)
  const storeEvents: string[] = []
  for (const type of ['store.unavailable', 'store.available'] as const)
    auth.events.on(type, () => void storeEvents.push(type))
  const unknown = createCredentials('epa', Buffer.alloc(32))
  const verifications = Array.from({ length: 5 }, () => auth.verifyApiKey('catalog', unknown.mint('key', 1).plain))
  await auth.applications.list()
  for (const result of await Promise.allSettled(verifications)) {
    expect(result).toMatchObject({ status: 'rejected', reason: { status: 503 } })
  }
  expect(storeEvents).toEqual([])
  expect(await auth.health()).toEqual({ ok: true, problems: [] })
})
