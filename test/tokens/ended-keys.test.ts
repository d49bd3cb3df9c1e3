import express from 'express'
import { expect, it } from 'vitest'
import { memoryStore } from '../../src/index.js'
import { callerOf } from '../support/caller.js'
import { platform } from '../support/platform.js'

it('refuses a cached, unexpired access token once its signing key no longer verifies', async () => {
  const store = memoryStore()
  const { auth, clock } = platform({ store, accessTokenLifetime: 60 })
  const { auth: longLived } = platform({ store, accessTokenLifetime: 100_000, now: clock.now })
  await Promise.all([auth.ready(), longLived.ready()])
  const { credentials } = await longLived.applications.create({ name: 'Shop', apis: ['orders'] })
  const token = await callerOf({ app: express().use(longLived.router) }).accessToken('orders', credentials)
  const verify = () =>
    auth.verifyAccessToken('orders', token).then(
      () => 200,
      ({ status }: { status: number }) => status,
    )

  expect(await verify()).toBe(200)
  await auth.signingKeys.rotate({ immediately: true })
  // The former key verifies for as long as this platform's tokens last.
  expect(await verify()).toBe(200)
  clock.advance(3600)
  expect(await verify()).toBe(401)
  await Promise.all([auth.close(), longLived.close()])
})
