import express from 'express'
import { expect, it } from 'vitest'
import { memoryStore } from '../../src/index.js'
import { callerOf } from '../support/caller.js'
import { platform } from '../support/platform.js'

it('A token that a process remembers is refused when its signing key has ended, though it has not expired', async () => {
  const store = memoryStore()
  const { auth, clock } = platform({ store, accessTokenLifetime: 60 })
  const { auth: generous } = platform({ store, accessTokenLifetime: 100_000, now: clock.now })
  await Promise.all([auth.ready(), generous.ready()])
  const { credentials } = await generous.applications.create({ name: 'Shop', apis: ['orders'] })
  const token = await callerOf({ app: express().use(generous.router) }).accessToken('orders', credentials)
  const ask = () =>
    auth.verifyAccessToken('orders', token).then(
      () => 200,
      ({ status }: { status: number }) => status,
    )

  expect(await ask()).toBe(200)
  await auth.signingKeys.rotate({ immediately: true })
  // The former key verifies for as long as this platform's tokens last.
  expect(await ask()).toBe(200)
  clock.advance(3600)
  expect(await ask()).toBe(401)
  await Promise.all([auth.close(), generous.close()])
})
