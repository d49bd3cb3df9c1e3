import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/index.js'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'
import { expectSecured } from '../../../src/tools/testing/index.js'
import { EXPRESSES, openPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

const { auth } = openPlatform()
const { auth: single } = openPlatform({ apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } } })
afterAll(() => Promise.all([auth.close(), single.close()]))

const handle: RequestHandler = () => expect.fail('The handler ran.')
const { requireBearer } = auth

describe.each(Object.entries(EXPRESSES))('%s: a route whose guard was not called', (_name, express) => {
  it.each<[string, unknown, RegExp]>([
    [
      'requireBearer',
      auth.requireBearer,
      /requireBearer was called with a request: it makes guards, and is none\. Call .*auth\.requireBearer\('orders'\)/,
    ],
    ['requireApiKey', auth.requireApiKey, /requireApiKey was called with a request.*auth\.requireApiKey\('catalog'\)/],
    ['requireAny', auth.requireAny, /requireAny was called with a request.*auth\.requireAny\(\[/],
    [
      'guardsFromDocument',
      guardsFromDocument,
      /guardsFromDocument\(\) was given a request, which is no platform.*guardsFromDocument\(auth, 'orders'/,
    ],
    ['requireBearer of the only API', single.requireBearer, /requireBearer was called with a request/],
    ['requireApiKey of the only API', single.requireApiKey, /requireApiKey was called with a request/],
    ['a bound call', auth.requireBearer.bind(auth), /requireBearer was called with a request/],
    ['a call in a variable', requireBearer, /requireBearer was called with a request/],
  ])('refuses every request, and says so: %s', async (_what, guard, message) => {
    const errors: unknown[] = []
    const app = express().get('/orders/items', guard as RequestHandler, handle)
    app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
      errors.push(error)
      res.sendStatus(500)
    })
    await request(app).get('/orders/items').set('Authorization', 'Bearer a-secret-token').expect(500)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toBeInstanceOf(ConfigurationError)
    expect(String(errors[0])).toMatch(message)
    expect(String(errors[0])).not.toContain('a-secret-token')
    const error = await expectSecured(express().get('/orders/items', guard as RequestHandler, handle), { auth }).catch(
      (problem: unknown) => problem,
    )
    expect(String(error)).toMatch(message)
  })
})

describe('a guard that is made in a wrong way says so:', () => {
  const bearer = auth.requireBearer('orders')

  it.each<[string, () => unknown, RegExp]>([
    [
      'requireAny() of a call',
      () => auth.requireAny([bearer, auth.requireApiKey as never]),
      /requireAny: guard 2 is requireApiKey itself, which makes guards and is none\. Call it/,
    ],
    [
      'requireAny() of guards without a list',
      () => auth.requireAny(bearer as never),
      /requireAny: the guards are function\. List them/,
    ],
    [
      'scopes as text',
      () => auth.requireBearer('orders', 'x' as never),
      /options are "x"\. Write an object: \{ scopes/,
    ],
    [
      'scopes as a list',
      () => auth.requireBearer('orders', ['x'] as never),
      /are \["x"\]\. Write an object: \{ scopes/,
    ],
    [
      'undocumented: a call',
      () =>
        guardsFromDocument(
          auth,
          'orders',
          { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: { '/a': {} } },
          { undocumented: auth.requireBearer as never },
        ),
      /undocumented is requireBearer itself/,
    ],
  ])('%s', (_what, make, message) => {
    expect(make).toThrow(message)
  })

  it.each(['verifyAccessToken', 'verifyApiKey'] as const)('%s() for a route', async (call) => {
    const req = { method: 'GET', url: '/', headers: { authorization: 'Bearer a-secret-token' } }
    const error = await (auth[call] as (req: unknown) => Promise<unknown>)(req).catch((problem: unknown) => problem)
    expect(String(error)).toMatch(new RegExp(`${call} was called with a request.*Use a guard`))
    expect(String(error)).not.toContain('a-secret-token')
  })
})
