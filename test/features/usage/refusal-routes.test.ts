import { describe, expect, it } from 'vitest'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'
import { EXPRESSES, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

describe.each(Object.entries(EXPRESSES))('%s: the routes of refusals', (_, anyExpress) => {
  it('are those behind the guard, and show nothing that a client has sent', async () => {
    const { auth } = usePlatform()
    await auth.ready()
    const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    const { clientId: key } = credentials
    await auth.applications.suspend(application.id)
    const guard = auth.requireApiKey('catalog')
    const operation = { responses: {}, security: [{ apiKey: [] }] }
    const documented = guardsFromDocument(auth, 'catalog', {
      openapi: '3.1.0',
      info: { title: 'Catalogue', version: '1' },
      paths: { '/sheds/{id}': { get: operation, put: operation } },
    })
    const { Router } = anyExpress
    const fail = (): never => expect.unreachable()
    const items = Router({ mergeParams: true }).get('/items/:id', fail).get('/', fail)
    const app = anyExpress()
      .get('/own/:id', guard, fail)
      .use('/v1', guard, Router().use('/shops/:shop', items))
      .use('/documented', documented, Router().get('/sheds/:id', fail).put('/sheds/:id', fail))
      .use('/app', anyExpress().use(guard).use('/inner', items))
      .use('/guarded-app', guard, anyExpress().use('/inner', items))
      .use('/proxied', guard, fail)
    for (const secret of [key, 'Secret-1', 'a'.repeat(300), '%C3%BC']) {
      for (const path of [
        '/own/#',
        '/v1/shops/#/items/#',
        '/documented/sheds/#',
        '/app/inner/items/#',
        '/guarded-app/inner/items/#',
        '/proxied/#',
      ])
        await request(app)
          .get(`${path.replaceAll('#', secret)}?q=${secret}`)
          .set('X-Api-Key', key)
          .expect(403)
    }
    await request(app).get('/v1/shops/4711').set('X-Api-Key', key).expect(403)
    await request(app).head('/v1/shops/4711/items/2').set('X-Api-Key', key).expect(403)
    await request(app).put('/documented/sheds/1').set('X-Api-Key', key).expect(403)
    await request(app).get('/app/inner').set('X-Api-Key', key).expect(403)
    await expect.poll(async () => (await auth.usage.refusals(application.id)).items.length).toBe(28)
    const { items: refusals } = await auth.usage.refusals(application.id)
    expect(new Set(refusals.map(({ route }) => route))).toEqual(
      new Set([
        'GET *',
        'GET /app/inner/',
        'GET /app/inner/items/:id',
        'GET /documented/sheds/:id',
        'GET /guarded-app/inner/items/:id',
        'GET /own/:id',
        'GET /v1/*/',
        'GET /v1/*/items/:id',
        'HEAD /v1/*/items/:id',
        'PUT /documented/sheds/:id',
      ]),
    )
  })
})
