import * as feathersExpress from '@feathersjs/express'
import * as feathers from '@feathersjs/feathers'
import type { Express } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authOf } from '../../src/index.js'
import { accessTokenFor, apiKeyFor, expectSecured, fetchFrom } from '../../src/tools/testing/index.js'
import { APIS, EXPRESSES, openPlatform, usePlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { runBlock } from './run-block.js'

/** The package is CommonJS: its default export is a member. */
const express = feathersExpress.default as unknown as (app: feathers.Application) => feathers.Application & Express

describe('docs/recipes/feathers.md', () => {
  const { orders } = APIS
  const { auth } = openPlatform({ apis: { orders }, now: () => Date.now() })
  let app: Parameters<typeof request>[0]
  let readToken: string

  beforeAll(async () => {
    readToken = await accessTokenFor(auth, 'orders', { scopes: ['orders:read'] })
    const ordersService = {
      find: async (params: { caller?: { application: { name: string } } }) => [
        { for: params.caller?.application.name },
      ],
      create: async () => ({ id: 1 }),
    }
    const modules = {
      '@feathersjs/express': { ...feathersExpress, default: express, __esModule: true },
      '@feathersjs/feathers': feathers,
      'express-platform-auth': { authOf },
    }
    const block = await runBlock('docs/recipes/feathers.md', 'Feathers', {
      variables: { auth, ordersService },
      modules,
      returned: ['app'],
    })
    app = block['app'] as typeof app
  })
  afterAll(() => auth.close())

  it('a service is called with a token only, and finds its caller', async () => {
    await request(app).get('/orders').expect(401)
    await request(app).get('/orders/1').expect(401)
    await request(app).post('/orders').send({}).expect(401)
    const answer = await request(app).get('/orders').auth(readToken, { type: 'bearer' }).expect(200)
    expect(answer.body).toEqual([{ for: expect.any(String) as string }])
    await request(app).post('/orders').auth(readToken, { type: 'bearer' }).send({}).expect(403)
    const writeToken = await accessTokenFor(auth, 'orders', { scopes: ['orders:write'] })
    await request(app).post('/orders').auth(writeToken, { type: 'bearer' }).send({}).expect(201)
  })

  it('no spelling of a path passes the guard, and expectSecured() finds one without the line before it', async () => {
    for (const path of ['//orders', '///orders/1', '/orders//1', '/./orders', '/%6frders', '/ORDERS'])
      expect((await fetchFrom(app as never)(`http://localhost${path}`)).status, path).toBeGreaterThanOrEqual(401)
    await expectSecured(app as never, { auth })
    const plain = express(feathers.feathers())
    plain.use('/orders', auth.requireBearer('orders') as never)
    plain.configure(feathersExpress.rest() as never)
    plain.use('/orders', { find: async () => [], get: async () => ({}) } as never)
    await expect(expectSecured(plain as never, { auth })).rejects.toThrow(/a second slash at the start/)
  })

  it('a service that no guard covers is found by expectSecured()', async () => {
    const open = express(feathers.feathers())
    open.get(
      '/orders/items',
      auth.requireBearer('orders') as never,
      ((_req: unknown, res: { end(): void }) => res.end()) as never,
    )
    open.configure(feathersExpress.rest() as never)
    open.use('/orders/notes', { find: async () => [] } as never)
    await expect(expectSecured(open as never, { auth, alsoTry: { paths: ['/orders/notes'] } })).rejects.toThrow(
      /GET \/orders\/notes/,
    )
  })

  it('a guard that comes after rest(), where Feathers’ own pages put middleware, is found by expectSecured()', async () => {
    const late = express(feathers.feathers())
    late.use(auth.router as never)
    late.configure(feathersExpress.rest() as never)
    late.use('/orders', auth.requireBearer('orders') as never)
    late.use('/orders', { find: async () => [] } as never)
    await expect(expectSecured(late as never, { auth })).rejects.toThrow(/orders/)
  })
})

describe.each(Object.entries(EXPRESSES))('docs/guards.md: "Keys in the query", %s', (_name, express) => {
  const { auth } = usePlatform({ now: () => Date.now() })

  it('a key in the query is taken, a header comes first, and a key twice is none', async () => {
    const app = express().use(auth.router)
    const listCatalog = (_req: unknown, res: { json(body: unknown): void }): void => res.json([])
    await runBlock('docs/guards.md', 'Keys in the query', { variables: { app, auth, listCatalog } })
    const key = await apiKeyFor(auth, 'catalog')
    const answer = await request(app).get(`/catalog/items?api-key=${key}`).expect(200)
    expect(answer.headers['cache-control']).toContain('private')
    await request(app).get('/catalog/items').set('X-Api-Key', key).expect(200)
    await request(app).get(`/catalog/items?api-key=${key}`).set('X-Api-Key', 'wrong').expect(401)
    await request(app).get(`/catalog/items?api-key=${key}&api-key=${key}`).expect(401)
    await request(app).get('/catalog/items?api-key=wrong').expect(401)
    await request(app).get('/catalog/items').expect(401)
  })
})
