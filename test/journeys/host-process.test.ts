import { expect, it } from 'vitest'
import { sharedByAll } from './untouched.js'

it('importing the package and making a platform changes nothing that a process shares', async () => {
  const before = sharedByAll()
  const { createPlatformAuth, memoryStore } = await import('../../src/index.js')
  await import('../../src/testing/index.js')
  expect(sharedByAll()).toEqual(before)

  const auth = createPlatformAuth({
    baseUrl: 'http://localhost',
    apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } },
    store: memoryStore(),
  })
  auth.requireBearer('orders')
  auth.requireApiKey('catalog')
  await auth.ready()
  expect(sharedByAll()).toEqual(before)
  await auth.close()
})
