import { expect, it } from 'vitest'
import { readProcessState } from './observe-guard.js'

it('importing the package and creating a platform changes no global state of the process except one hidden symbol', async () => {
  const before = readProcessState()
  const { createPlatformAuth, memoryStore } = await import('../../src/index.js')
  await import('../../src/tools/testing/index.js')
  expect(readProcessState()).toEqual(before)
  const shared = Symbol.for('express-platform-auth')
  expect(Object.getOwnPropertyDescriptor(globalThis, shared)).toMatchObject({ enumerable: false, writable: false })

  const auth = createPlatformAuth({
    baseUrl: 'http://localhost',
    apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } },
    store: memoryStore(),
  })
  auth.requireBearer('orders')
  auth.requireApiKey('catalog')
  await auth.ready()
  expect(readProcessState()).toEqual(before)
  await auth.close()
})
