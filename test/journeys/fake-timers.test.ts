import { mock } from 'node:test'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStore } from '../../src/index.js'
import { openAdmin } from '../../src/tools/admin/index.js'
import { createCaller } from '../support/caller.js'
import { usePlatform } from '../support/platform.js'

const HOUR_MS = 3_600_000

/** Each replaces `Date` while the platform exists already. `test/package` does the same with Jest. */
const FAKE_TIMERS: readonly [string, (now: number) => void, () => void][] = [
  ['Vitest', (now) => void vi.useFakeTimers({ now, toFake: ['Date'] }), () => void vi.useRealTimers()],
  // Not setImmediate: supertest waits for it.
  [
    'Vitest, other clocks and timers too',
    (now) => void vi.useFakeTimers({ now, toFake: ['Date', 'performance', 'setTimeout', 'setInterval'] }),
    () => void vi.useRealTimers(),
  ],
  ['node:test', (now) => mock.timers.enable({ apis: ['Date'], now }), () => mock.timers.reset()],
]

describe.each(FAKE_TIMERS)('with fake timers of %s', (_, setTime, restore) => {
  it('an access token expires', async () => {
    const store = memoryStore()
    const made = usePlatform({ now: undefined, store })
    const { auth } = made
    onTestFinished(restore)
    const app = express().use(auth.router)
    app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
    const caller = createCaller({ ...made, app })
    const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['orders'] })
    const accessToken = await caller.accessToken('orders', credentials)
    await caller.bearer('/orders/items', accessToken).expect(200)

    const later = Date.now() + 2 * HOUR_MS
    setTime(later)
    await caller.bearer('/orders/items', accessToken).expect(401, /expired/)
    await caller.bearer('/orders/items', await caller.accessToken('orders', credentials)).expect(200)

    // openAdmin() has a clock of its own.
    await (await openAdmin(store)).applications.suspend(application.id)
    const { items } = await auth.audit.list({ applicationId: application.id })
    expect(items.at(-1)).toMatchObject({ type: 'application.suspended', at: new Date(later) })
  })
})
