import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { developerConsole } from '../../../src/tools/console/index.js'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'
import { expectSecured, headersFor } from '../../../src/tools/testing/index.js'
import { openPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

const { auth, logger } = openPlatform()
afterAll(() => auth.close())

const READ = [{ bearer: ['orders:read'] }]

/** One document for all APIs, as generators write it: absolute paths, two schemes, tags and path items of both. */
function createDocument(more: object = {}): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    security: [{ bearer: ['orders:read'] }],
    tags: [{ name: 'Orders' }, { name: 'Catalogue' }, { name: 'About' }],
    paths: {
      '/orders': { get: { tags: ['Orders'], security: READ } },
      '/orders/items/{id}': { $ref: '#/components/pathItems/order' },
      '/orders-archive/items': { get: { security: [{ unknown: ['archive'] }] } },
      '/catalog/items': { get: { tags: ['Catalogue'], security: [{ key: [] }] } },
      '/catalog/secrets': { $ref: '#/components/pathItems/secret' },
    },
    components: {
      pathItems: {
        order: { get: { tags: ['Orders'], security: READ } },
        secret: { get: { tags: ['Catalogue'], security: [{ key: [] }] } },
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        unknown: { type: 'http', scheme: 'basic' },
      },
    },
    ...more,
  }
}

function createApp(): express.Express {
  const app = express()
  const orders = express
    .Router()
    .get('/', (_req, res) => void res.json([]))
    .get('/items/:id', (_req, res) => void res.json([]))
  const catalog = express
    .Router()
    .get('/items', (_req, res) => void res.json([]))
    .get('/secrets', (_req, res) => void res.json([]))
  const ordersGuard = guardsFromDocument(auth, 'orders', createDocument(), { prefix: '/orders' })
  const catalogGuard = guardsFromDocument(auth, 'catalog', createDocument(), { prefix: '/catalog' })
  ordersGuard.checkRoutes(orders)
  catalogGuard.checkRoutes(catalog)
  return app.use('/orders', ordersGuard, orders).use('/catalog', catalogGuard, catalog)
}

describe('one document for several APIs', () => {
  it('makes the guards of each by the prefix of its paths', async () => {
    const app = createApp()
    const headers = await headersFor(auth, 'orders')
    for (const path of ['/orders', '/orders/items/1']) {
      await request(app).get(path).expect(401)
      await request(app).get(path).set(headers).expect(200)
    }
    await request(app)
      .get('/catalog/items')
      .set(await headersFor(auth, 'catalog'))
      .expect(200)
    await request(app).get('/orders/secrets').set(headers).expect(404)
    await request(app).get('/orders/archive/items').set(headers).expect(404)
  })

  it('is checked by expectSecured() for each of them', async () => {
    const document = createDocument()
    const documents = { orders: { document, prefix: '/orders' }, catalog: { document, prefix: '/catalog' } }
    expect((await expectSecured(createApp(), { auth, documents })).routes).toHaveLength(4)
    const open = express().get('/orders', auth.requireBearer('orders'), (_req, res) => void res.end())
    const error = await expectSecured(open, { auth, documents: { orders: documents.orders } }).catch(
      (problem: unknown) => problem,
    )
    expect((error as Error).message).toMatch(/without the scope "orders:read", which the document demands/)
    expect((error as Error).message).toMatch(/GET \/orders\/items\/\{id\}.*describes it/s)
  })

  it('is shown by the console for each of them, without what belongs to others', async () => {
    const document = createDocument()
    const app = express().use(
      '/developers',
      developerConsole(auth, { documents: { orders: { document, prefix: '/orders' } } }),
    )
    const { text } = await request(app).get('/developers/apis/orders').expect(200)
    expect(text).toMatch(/\/items\/(?:<wbr \/>)?\{id\}/)
    expect(text).not.toContain('/orders/items')
    expect(text).not.toMatch(/secrets|Catalogue/)
  })

  it.each<[string, unknown, RegExp]>([
    ['is no text', 7, /guardsFromDocument\("orders"\): prefix is 7\. .*'\/orders'/],
    ['has no slash', 'orders', /prefix is "orders"/],
    ['ends with a slash', '/orders/', /prefix is "\/orders\/"/],
    [
      'is nowhere',
      '/order',
      /prefix is "\/order", and no path of the document begins with it\. Its paths begin with "\/orders", "\/orders-archive", "\/catalog"\./,
    ],
  ])('is refused if the prefix %s', (_what, prefix, message) => {
    const create = (): unknown => guardsFromDocument(auth, 'orders', createDocument(), { prefix: prefix as string })
    expect(create).toThrow(message)
    const show = (): unknown =>
      developerConsole(auth, { documents: { orders: { document: createDocument(), prefix } } })
    expect(show).toThrow(/documents\.orders\.prefix is/)
  })

  it('without a prefix: the error, checkRoutes() and the log name the prefix that is repeated', async () => {
    expect(() => guardsFromDocument(auth, 'orders', createDocument())).toThrow(
      /has paths that begin with "\/orders", such as \/orders, and others.*Give \{ prefix: '\/orders' \}/s,
    )
    const document = createDocument({ paths: { '/orders/items': { get: { security: READ } } }, components: {} })
    const guard = guardsFromDocument(auth, 'orders', document)
    const app = express()
      .use('/orders', guard)
      .get('/orders/items', (_req, res) => void res.json([]))
    expect(() => guard.checkRoutes(app, '/orders')).toThrow(
      /no route for GET \/orders\/items.*give \{ prefix: '\/orders' \}/s,
    )
    await request(app)
      .get('/orders/items')
      .set(await headersFor(auth, 'orders'))
      .expect(404)
    expect(logger.lines.join()).toContain(`give { prefix: '/orders' }`)
  })
})
