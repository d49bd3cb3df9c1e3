import { randomBytes } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import express, { type default as express5, type ErrorRequestHandler, type RequestHandler } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'
import { memoryStore, type Guard } from '../../../src/index.js'
import { accessToken, createApplication, listen } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { APIS, EXPRESSES, openPlatform, type TestOptions, type TestPlatform } from '../../support/platform.js'
import { openRedis } from '../../support/redis.js'

type Next = (error?: unknown) => void
type Opened = TestPlatform<typeof HIDING_APIS>

/** Breaks what the host gives to a guard: its response or its `next`. */
type Fault = (res: ServerResponse, next: Next) => Next

/** A `next` that throws instead of calling the handler. */
const throwingOnce =
  (thrown: unknown): Fault =>
  (_, next) =>
  (error) => {
    if (error !== undefined) return next(error)
    throw thrown
  }

const HIDING_APIS = { ...APIS, weather: { scheme: 'apiKey', hideCredential: true } } as const

const BROKEN = ['setHeader', 'appendHeader', 'getHeader', 'end'] as const

const breaking =
  (name: (typeof BROKEN)[number], value: unknown): Fault =>
  (res, next) => {
    Object.defineProperty(res, name, { value, configurable: true, writable: true })
    return next
  }

function fail(): never {
  throw new Error('broken by the test')
}

const FAULTS: Readonly<Record<string, Fault>> = {
  nothing: (_, next) => next,
  'a next that throws once': throwingOnce(new Error('next')),
  'a next that throws undefined once': throwingOnce(undefined),
  'a next that throws "route" once': throwingOnce('route'),
  'a next that always throws': () => fail,
  ...Object.fromEntries(
    BROKEN.flatMap((name) => [
      [`a res.${name}() that throws`, breaking(name, fail)],
      [`a response without ${name}()`, breaking(name, undefined)],
    ]),
  ),
}

const SHORT = [
  'nothing',
  'a next that throws once',
  'a next that always throws',
  'a response without appendHeader()',
].map((name) => [name, FAULTS[name]!] as const)

/** Every kind of guard. */
function listGuards({ auth }: Opened): Readonly<Record<string, Guard>> {
  const late = async (): Promise<true> => true
  const reportOnly = { reportOnly: true } as const
  const rejecting = (): Promise<never> => Promise.reject(new Error('the host'))
  const reportOnlyBeside = { ...reportOnly, otherIssuers: rejecting }
  const passing: RequestHandler = (_req, _res, next) => next()
  /** As a guard of another promise library: its `next` is called within `then`. */
  // oxlint-disable-next-line unicorn/no-thenable -- it is one
  const thenable: RequestHandler = (_req, _res, next): unknown => ({ then: (settle: Next) => (next(), settle()) })
  const cost = rejecting as unknown as () => number
  const document = {
    openapi: '3.1.0',
    info: { title: 'Catalog', version: '1' },
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
    paths: { '/': { get: {} } },
  }
  return {
    bearer: auth.requireBearer('orders'),
    'bearer that asks the host': auth.requireBearer('orders', { allow: late }),
    'bearer that the host refuses': auth.requireBearer('orders', { allow: rejecting }),
    'bearer whose cost rejects': auth.requireBearer('orders', { cost }),
    'bearer that reports': auth.requireBearer('orders', reportOnly),
    'bearer with onDenied': auth.requireBearer('orders', { onDenied: rejecting }),
    'bearer beside a guard of the host': auth.requireBearer('orders', { otherIssuers: passing }),
    'bearer beside a guard that rejects': auth.requireBearer('orders', { otherIssuers: rejecting }),
    'bearer beside a guard with a thenable': auth.requireBearer('orders', { otherIssuers: thenable }),
    'bearer that reports, beside a guard that rejects': auth.requireBearer('orders', reportOnlyBeside),
    key: auth.requireApiKey('catalog'),
    'key that asks the host': auth.requireApiKey('catalog', { allow: late }),
    'key whose cost rejects': auth.requireApiKey('catalog', { cost }),
    'key that reports and hides': auth.requireApiKey('weather', reportOnly),
    'optional key': auth.requireApiKey('catalog', { optional: true }),
    any: auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')]),
    'optional any': auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')], { optional: true }),
    document: guardsFromDocument(auth, 'catalog', document),
  }
}

const redis = await openRedis()
const store = memoryStore()
const opened: TestPlatform<typeof HIDING_APIS>[] = []

/** All share a store. Counts in Redis are awaited, others are not. */
function open(name: string, rateLimits: NonNullable<TestOptions['rateLimits']>): TestPlatform<typeof HIDING_APIS> {
  const baseUrl = `https://${name}.example.com`
  const platform = openPlatform({ apis: HIDING_APIS, store, baseUrl, rateLimits })
  opened.push(platform)
  return platform
}

const WINDOW = { window: 600 }
const RUN = randomBytes(8).toString('hex')
const SHARED = {
  redis: redis.connect(),
  headers: true,
  requests: { limit: 1e6, ...WINDOW },
  failedAuthentication: { limit: 1e6, ...WINDOW },
}
const ONE = { limit: 1, ...WINDOW }
const openShared = () => open(`shared-${RUN}`, SHARED)
const warm = {
  'counted in Redis': openShared(),
  'beyond limits in Redis': open(`limited-${RUN}`, { ...SHARED, requests: ONE, failedAuthentication: ONE }),
  'counted in memory': open('memory', { requests: SHARED.requests }),
}
const headers: Record<string, Readonly<Record<string, string>>> = {}
let key = ''
const unhandled: unknown[] = []
const record = (reason: unknown): void => void unhandled.push(reason)

beforeAll(async () => {
  process.on('unhandledRejection', record)
  await Promise.all(opened.map(({ auth }) => auth.ready()))
  const known = await createApplication(warm['counted in Redis'].auth, ['orders', 'catalog', 'weather'])
  key = known.clientId
  for (const [name, { auth }] of Object.entries(warm)) {
    const token = await accessToken(express().use(auth.router), 'orders', known)
    headers[name] = { Authorization: `Bearer ${token}` }
  }
})
afterAll(async () => {
  process.off('unhandledRejection', record)
  await Promise.all(opened.map(({ auth }) => auth.close()))
  await redis.end()
})

/** Each guard of a platform, mounted with the fault. */
function createApp(express: typeof express5, platform: Opened, fault: Fault): RequestListener {
  const app = express()
  for (const [name, guard] of Object.entries(listGuards(platform))) {
    const broken: RequestHandler = (req, res, next) => guard(req, res, fault(res, next))
    app.use(`/${encodeURIComponent(name)}`, broken, (_req, res) => void repair(res).send('reached'))
  }
  const answer: ErrorRequestHandler = (error, _req, res, _next) =>
    void repair(res)
      .status(error instanceof Error ? 555 : 556)
      .send('handed on')
  return app.use(answer) as RequestListener
}

function repair<Res extends ServerResponse>(res: Res): Res {
  for (const name of BROKEN) Reflect.deleteProperty(res, name)
  return res
}

/** The status of the answer, or how the request ended without one. */
async function send(url: string, headers: Readonly<Record<string, string>>): Promise<number | 'closed' | 'hangs'> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(50_000) })
    await answer.text()
    return answer.status
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'hangs' : 'closed'
  }
}

describe.each(Object.entries(EXPRESSES))(
  'A guard answers, or hands on, whatever fails behind it: %s',
  (name, express) => {
    // The versions of Express differ in what they do about an error, not in the response.
    const short = name === 'Express 5' ? SHORT : SHORT.slice(1, 2)
    it.each(IS_LONG_LANE ? Object.entries(FAULTS) : short)('with %s', async (faultName, fault) => {
      const cold = openShared()
      const { 'counted in memory': inMemory, ...awaited } = warm
      const shared =
        IS_LONG_LANE || faultName === 'nothing' ? awaited : { 'counted in Redis': warm['counted in Redis'] }
      const apps = { ...shared, ...(IS_LONG_LANE && { 'counted in memory': inMemory }), 'not ready yet': cold }
      const answers = await Promise.all(
        Object.entries(apps).map(async ([state, platform]) => {
          const { port, close } = await listen(createApp(express, platform, fault))
          const good = headers[platform === cold ? 'counted in Redis' : state]!
          const credentials = {
            'no credential': {},
            'a good token': good,
            'a bad token': { Authorization: `${good['Authorization']}A` },
            'a malformed token': { Authorization: 'Bearer a b' },
            'a token of another issuer': { Authorization: 'Bearer of-another-issuer' },
            'a good key': { 'X-Api-Key': key },
            'an unknown key': { 'X-Api-Key': `epa_key_${'x'.repeat(43)}` },
          }
          const sent = Object.keys(listGuards(platform)).flatMap((guard) =>
            Object.entries(credentials).map(async ([credential, presented]) => {
              const url = `http://127.0.0.1:${port}/${encodeURIComponent(guard)}`
              return { case: `${state}: ${guard}, ${credential}`, status: await send(url, presented) }
            }),
          )
          const settled = await Promise.all(sent)
          await close()
          return settled
        }),
      )
      const all = answers.flat()
      // An error that is none would be no error for Express: its next(undefined) calls the handler.
      expect(all.filter(({ status }) => status === 'hangs' || status === 556)).toEqual([])
      expect(unhandled.splice(0)).toEqual([])
      if (faultName !== 'nothing') return
      expect(all.filter(({ status }) => status === 'closed')).toEqual([])
      // Every way of a guard is taken, so that a later change cannot make this test see nothing.
      for (const status of [200, 400, 401, 429, 500, 555]) expect(all.map((each) => each.status)).toContain(status)
    })
  },
)
