import express from 'express'
import { expect, it, type TestContext } from 'vitest'
import { createCredentials } from '../../src/applications/credentials.js'
import { memoryStore, type Store } from '../../src/index.js'
import { callerOf } from '../support/caller.js'
import { failingStore } from '../support/outage.js'
import { platform } from '../support/platform.js'

async function open({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, store: Store) {
  const made = platform({ store })
  await made.auth.ready()
  onTestFinished(() => made.auth.close())
  const { credentials } = await made.auth.applications.create({ name: 'Shop', apis: ['orders'] })
  return { ...made, credentials, caller: callerOf({ app: express().use(made.auth.router) }) }
}

it('A store that is slow, and answers, has a wrong secret refused with 401 and a right one pass', async (test) => {
  const store = failingStore(memoryStore())
  const { caller, credentials } = await open(test, store)
  // Longer than a token request waits to know the latest.
  store.slowDown(300)
  await caller.token('orders', credentials).expect(200)
  await caller.token('orders', { ...credentials, clientSecret: 'wrong' }).expect(401, /invalid_client/)
  store.recover()
})

it('Look-ups that fail while all else is answered are 503, and no outage', async (test) => {
  const working = memoryStore()
  const store: Store = {
    ...working,
    async findApplicationByKey() {
      // As one that waits for a connection while others are answered.
      await new Promise((later) => setTimeout(later, 200))
      throw new Error('no connection free in time')
    },
  }
  const { auth } = await open(test, store)
  const told: string[] = []
  for (const type of ['store.unavailable', 'store.available'] as const) auth.events.on(type, () => void told.push(type))
  const nobody = createCredentials('epa', Buffer.alloc(32))
  const asked = Array.from({ length: 5 }, () => auth.verifyApiKey('catalog', nobody.mint('key', 1).plain))
  await auth.applications.list()
  for (const end of await Promise.allSettled(asked)) {
    expect(end).toMatchObject({ status: 'rejected', reason: { status: 503 } })
  }
  expect(told).toEqual([])
  expect(await auth.health()).toEqual({ ok: true, problems: [] })
})
