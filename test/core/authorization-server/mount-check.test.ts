import express from 'express'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

beforeEach(() => void vi.stubEnv('NODE_ENV', 'development'))
afterEach(() => void vi.unstubAllEnvs())

interface Case {
  readonly baseUrl: string
  readonly mount: string
  readonly path: string
  /** The `Host` header; that of `baseUrl` if left out, as without a proxy. */
  readonly host?: string
}

/** Sends the request three times; returns the lines about the mount. */
async function findReports({ baseUrl, mount, path, host = new URL(baseUrl).host }: Case): Promise<string[]> {
  const { auth, logger } = openPlatform({ baseUrl })
  onTestFinished(() => auth.close())
  const app = express().use(mount, auth.router)
  for (let i = 0; i < 3; i++) await request(app).get(path).set('Host', host)
  return logger.lines.filter((line) => line.includes('mounted'))
}

it.each<[string, Case, string]>([
  [
    'the path of baseUrl is missing in the mount',
    { baseUrl: 'http://shop.test/v1', mount: '/', path: '/v1/orders/token' },
    "app.use('/v1', auth.router)",
  ],
  [
    'the key set is not where baseUrl leads',
    { baseUrl: 'http://shop.test/v1', mount: '/', path: '/v1/.well-known/jwks.json?x=1' },
    "app.use('/v1', auth.router)",
  ],
  [
    'the mount has another path',
    { baseUrl: 'http://shop.test/v1', mount: '/api', path: '/api/orders/token' },
    "app.use('/v1', auth.router)",
  ],
  [
    'baseUrl has no path',
    { baseUrl: 'http://shop.test', mount: '/api', path: '/api/orders/token' },
    'app.use(auth.router)',
  ],
])('reports once that %s, with the fix', async (_, wrong, fix) => {
  expect(await findReports(wrong)).toEqual([expect.stringContaining(fix)])
})

it.each<[string, Case]>([
  ['the mount is right', { baseUrl: 'http://shop.test/v1', mount: '/v1', path: '/v1/orders/token' }],
  ['there is no path', { baseUrl: 'http://shop.test', mount: '/', path: '/orders/token' }],
  ['a proxy strips the path', { baseUrl: 'http://shop.test/v1', mount: '/', path: '/orders/token' }],
  ['a proxy strips a part of the path', { baseUrl: 'http://shop.test/a/v1', mount: '/v1', path: '/v1/orders/token' }],
  ['a proxy adds a path', { baseUrl: 'http://shop.test', mount: '/app', path: '/app/orders/token', host: 'app:3000' }],
  ['another route is called', { baseUrl: 'http://shop.test/v1', mount: '/', path: '/v1/orders/items' }],
])('does not report anything if %s', async (_, right) => {
  expect(await findReports(right)).toEqual([])
})

it.each(['production', 'test'])('reports nothing with NODE_ENV=%s', async (environment) => {
  vi.stubEnv('NODE_ENV', environment)
  expect(await findReports({ baseUrl: 'http://shop.test/v1', mount: '/', path: '/v1/orders/token' })).toEqual([])
})

it('reports a wrong mount inside a router of the host', async () => {
  const { auth, logger } = openPlatform({ baseUrl: 'http://shop.test/api/v1' })
  onTestFinished(() => auth.close())
  const app = express().use('/api', express.Router().use('/v2', auth.router))
  await request(app).get('/api/v2/orders/token').set('Host', 'shop.test')
  expect(logger.lines.filter((line) => line.includes('"/api/v2"'))).toHaveLength(1)
})
