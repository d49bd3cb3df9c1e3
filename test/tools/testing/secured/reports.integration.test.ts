import type { RequestHandler } from 'express'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createPlatformAuth, memoryStore } from '../../../../src/index.js'
import { openAdmin } from '../../../../src/tools/admin/index.js'
import { usage } from '../../../../src/features/usage/index.js'
import { expectSecured } from '../../../../src/tools/testing/index.js'
import { IS_LONG_LANE } from '../../../support/long-lane.js'
import { recordingLogger } from '../../../support/platform.js'
import { NEWEST_EXPRESS, SECURED_EXPRESSES } from './expresses.js'
import { APIS, findProblems, openShop } from './shop.js'

const { auth } = openShop()
afterAll(() => auth.close())
const mayRead = auth.requireBearer('orders', { scopes: ['orders:read'] })

const fail = (app: Parameters<typeof expectSecured>[0]) => findProblems(app, { auth })

describe.each(IS_LONG_LANE ? SECURED_EXPRESSES : NEWEST_EXPRESS)('%s: a problem names', (_name, express) => {
  it('the route that takes another spelling of a guarded path', async () => {
    const app = express().use(
      '/orders',
      mayRead,
      express.Router().get('/items', (_req, res) => void res.end()),
    )
    app.get(/^\/\/.*$/, (_req, res) => void res.end())
    const { problems } = await fail(app)
    expect(problems.map(({ fix }) => fix).join()).not.toMatch(/app\.use\(\)/)
  })

  it('what a text of the app says in a page for errors', async () => {
    const app = express().use('/orders', () => {
      throw new Error('The "guard" was <not> called')
    })
    expect((await fail(app)).message).toContain('the answer was 500 Error: The "guard" was <not> called')
  })
})

describe.each(NEWEST_EXPRESS)('expectSecured()', (_name, express) => {
  const handle: RequestHandler = () => expect.fail('The handler ran.')

  it('leaves no usage and no refusals of the applications that it has made', async () => {
    const store = memoryStore()
    const platform = createPlatformAuth({
      baseUrl: 'http://localhost',
      apis: APIS,
      store,
      logger: recordingLogger(),
      features: [usage()],
    })
    const app = express().get('/orders/items', platform.requireBearer('orders'), handle)
    app.get('/catalog/items', platform.requireApiKey('catalog', { reportOnly: { until: tomorrow() } }), handle)
    await expectSecured(app, { auth: platform, public: { '/catalog/items': 'report only' } }).catch(() => undefined)
    await platform.close()
    const admin = await openAdmin(store)
    onTestFinished(() => admin.close())
    expect(await admin.usage!.list()).toMatchObject({ items: [] })
  })

  it('is quiet in tests of Node, Vitest and Jest, and nowhere else', async () => {
    const count = async (env: Readonly<Record<string, string | undefined>>): Promise<number> => {
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
      onTestFinished(() => void vi.unstubAllEnvs())
      const logger = recordingLogger()
      const platform = createPlatformAuth({ baseUrl: 'http://localhost', apis: APIS, store: memoryStore(), logger })
      await expectSecured(express().get('/orders/items', platform.requireBearer('orders'), handle), { auth: platform })
      await platform.close()
      return logger.lines.filter((line) => line.startsWith('orders: 401')).length
    }
    expect(await count({ NODE_ENV: undefined, NODE_TEST_CONTEXT: 'child-v8' })).toBe(0)
    expect(await count({ NODE_ENV: 'test', NODE_TEST_CONTEXT: undefined })).toBe(0)
    expect(await count({ NODE_ENV: undefined, NODE_TEST_CONTEXT: undefined })).toBeGreaterThan(5)
  })
})

function tomorrow(): string {
  return new Date(Date.now() + 24 * 3600 * 1000).toISOString().slice(0, 10)
}
