import type { Express } from 'express'
import { describe, expect, it } from 'vitest'
import { usage } from '../../../src/features/usage/index.js'
import { EXPRESSES, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

type Next = (error?: unknown) => void

describe.each(Object.entries(EXPRESSES))(
  '%s: the route of a request that has left its router',
  (version, anyExpress) => {
    const { Router } = anyExpress
    const isExpress5 = version.includes('5')
    const fail = (): never => {
      throw new Error('of the handler')
    }
    const failLater = (_req: unknown, _res: unknown, next: Next): void => void setImmediate(next, new Error('later'))
    const passOn = (_req: unknown, _res: unknown, next: Next): void => next()
    const answer = (_req: unknown, res: { end(): unknown }): void => void res.end()
    const answerError = (_error: unknown, _req: unknown, res: { sendStatus(status: number): unknown }, _next: Next) =>
      void res.sendStatus(500)

    async function open() {
      const { auth } = usePlatform({ features: [usage({ routes: true })] })
      await auth.ready()
      const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
      return {
        guard: auth.requireApiKey('catalog'),
        /** The routes that were counted for these requests, in their order. */
        async listRoutes(app: Express, paths: readonly string[]): Promise<string[]> {
          for (const path of paths) await request(app).get(path).set('X-Api-Key', credentials.clientId)
          await auth.flush()
          const { items } = await auth.usage.routes()
          return items.flatMap(({ route, allowed }) => Array<string>(allowed).fill(route)).toSorted()
        },
      }
    }

    it('has the paths of its routers after an error, a throw, or next(), whoever answers', async () => {
      const { guard, listRoutes } = await open()
      const router = Router({ mergeParams: true })
        .get('/throws/:id', guard, fail)
        .get('/fails/:id', guard, failLater)
        .get('/passes/:id', guard, passOn)
        .get(['/one', /^\/two+$/], guard, failLater)
        .get('/leaves/:id', guard, (_req: unknown, _res: unknown, next: Next) => next('router'))
      if (isExpress5) router.get('/rejects/:id', guard, async () => fail())
      // The error of one is handled below the path of another router, that of the other by the app.
      const app = anyExpress()
        .use('/api/catalog', router)
        .use('/api', answerError)
        .use('/v1/items', router)
        .use(answerError)
      const names = ['throws', 'fails', 'passes', 'leaves', ...(isExpress5 ? ['rejects'] : [])]
      const mounts = ['/api/catalog', '/v1/items']
      const paths = mounts.flatMap((mount) => [
        ...names.map((name) => `${mount}/${name}/secret`),
        `${mount.toUpperCase()}/twoo`,
      ])
      expect(await listRoutes(app, paths)).toEqual(
        mounts
          .flatMap((mount) => [...names.map((name) => `GET ${mount}/${name}/:id`), `GET ${mount}/one,/^\\/two+$/`])
          .toSorted(),
      )
    })

    it('has them where guards are mounted before or inside of routers, and routers in routers, at several paths, or at the root', async () => {
      const { guard, listRoutes } = await open()
      const inner = Router({ mergeParams: true }).get('/inner/:id', failLater)
      const outer = Router().use(guard).use('/shops/:shop', inner).use('/plain', inner).use(inner).get('/own', passOn)
      const app = anyExpress()
        .get('/of-app/:id', guard, fail)
        .use('/v1', outer)
        .use('/v2', outer)
        .use(Router().use(guard).get('/of-root', fail))
        .use(answerError)
      const paths = ['/v1/shops/secret/inner/1', '/v2/plain/inner/1', '/v2/inner/1', '/v1/own', '/of-app/1', '/of-root']
      expect(await listRoutes(app, paths)).toEqual(
        [
          'GET /v1/*/inner/:id',
          'GET /v2/plain/inner/:id',
          'GET /v2/inner/:id',
          'GET /v1/own',
          'GET /of-app/:id',
          'GET /of-root',
        ].toSorted(),
      )
    })

    it('has them where it leaves an app that is mounted in another, or a later app answers', async () => {
      const { guard, listRoutes } = await open()
      const below = anyExpress().get('/own/:id', failLater).use('/inner', Router().get('/:id', passOn))
      const app = anyExpress()
        .use(anyExpress().get('/elsewhere', answer))
        .use('/app', guard, below)
        .use('/:tenant/app', guard, below)
        .use('/routes', Router().get('/:id', guard, passOn))
        .use('/routes', anyExpress().use(answer))
        .use(anyExpress().use(answer).use(answerError))
      const paths = ['/app/own/1', '/app/inner/1', '/secret/app/own/1', '/routes/1']
      expect(await listRoutes(app, paths)).toEqual(
        ['GET /app/own/:id', 'GET /app/inner/:id', 'GET /*/own/:id', 'GET /routes/:id'].toSorted(),
      )
    })
  },
)
