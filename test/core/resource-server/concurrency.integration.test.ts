import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { authOf } from '../../../src/index.js'
import { accessToken, createApplication, listen } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { EXPRESSES, openPlatform } from '../../support/platform.js'

const APPLICATIONS = IS_LONG_LANE ? 100 : 25
const REQUESTS = IS_LONG_LANE ? 1000 : 250
const CONCURRENCY = 60

/** A request of one caller, and the application or the refusal that its answer must show. */
interface Call {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly expected: { readonly status: number; readonly applicationId?: string; readonly error?: string }
}

/** In `npm test` with Express 5 only: what a guard keeps, it keeps on the request itself, whichever version made it. */
const TRIED = Object.entries(EXPRESSES).filter(([name]) => IS_LONG_LANE || name === 'Express 5')

describe.each(TRIED)(`${REQUESTS} concurrent requests of ${APPLICATIONS} applications, in an %s app,`, (_, express) => {
  it('are each answered for the application that sent it', async () => {
    const { auth } = openPlatform()
    const app = express().use(auth.router)
    // Handlers answer late and out of order, so that many requests are in each handler at the same time.
    const waitSometimes = (): Promise<void> => (Math.random() < 0.5 ? sleep(Math.random() * 8) : Promise.resolve())
    for (const [path, guard] of [
      ['/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'] })],
      ['/catalog/items', auth.requireApiKey('catalog')],
    ] as const) {
      app.get(path, guard, guard, (req, res, next) => {
        const { id: early } = authOf(req).application
        void waitSometimes()
          .then(() => void res.json({ early, late: authOf(req).application, sent: req.get('X-Caller') }))
          .catch(next)
      })
    }

    const calls: Call[] = []
    for (let i = 0; i < APPLICATIONS; i++) {
      const one = await createApplication(auth, { orders: {}, catalog: {} }, `Application ${i}`)
      const token = await accessToken(app, 'orders', one)
      const narrow = await accessToken(app, 'orders', one, { scope: 'orders:write' })
      const bearer = (value: string) => ({ Authorization: `Bearer ${value}`, 'X-Caller': one.id })
      const key = (value: string) => ({ 'X-Api-Key': value, 'X-Caller': one.id })
      const good = { status: 200, applicationId: one.id }
      const kinds: Call[] = [
        { path: '/orders/items', headers: bearer(token), expected: good },
        { path: '/catalog/items', headers: key(one.clientId), expected: good },
        { path: '/orders/items', headers: { ...bearer(token), 'X-Api-Key': 'x' }, expected: good },
        {
          path: '/orders/items',
          headers: bearer(`${token.slice(0, -9)}AAAAAAAAA`),
          expected: { status: 401, error: 'invalid_token' },
        },
        { path: '/orders/items', headers: bearer(narrow), expected: { status: 403, error: 'insufficient_scope' } },
        {
          path: '/catalog/items',
          headers: key(`${one.clientId}x`),
          expected: { status: 401, error: 'invalid_api_key' },
        },
        { path: '/catalog/items', headers: { 'X-Caller': one.id }, expected: { status: 401, error: 'unauthorized' } },
      ]
      for (let n = 0; n < REQUESTS / APPLICATIONS; n++) calls.push(kinds[n % kinds.length]!)
    }
    shuffle(calls)

    const { port, close } = await listen(app)
    const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
    let running = 0
    let maxRunning = 0
    const wrong: unknown[] = []
    const next = calls.values()
    const caller = async (): Promise<void> => {
      for (const { path, headers, expected } of next) {
        maxRunning = Math.max(maxRunning, ++running)
        const { status, body } = await get(agent, port, path, headers)
        running -= 1
        const { early, late, sent, error } = body
        const right =
          status === expected.status &&
          error === expected.error &&
          (expected.applicationId === undefined ||
            [early, late?.id, sent].every((each) => each === expected.applicationId))
        if (!right) wrong.push({ path, headers, expected, status, body })
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, caller))
    agent.destroy()
    await close()
    await auth.close()

    expect(wrong).toEqual([])
    expect(calls).toHaveLength(REQUESTS)
    expect(maxRunning).toBe(CONCURRENCY)
  })
})

interface Answer {
  readonly status: number
  readonly body: { early?: string; late?: { id: string }; sent?: string; error?: string }
}

function get(agent: Agent, port: number, path: string, headers: Call['headers']): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ agent, port, path, headers, host: '127.0.0.1' }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
      res.on('end', () => resolve({ status: res.statusCode!, body: JSON.parse(text) as Answer['body'] }))
    })
    sent.on('error', reject).end()
  })
}

function shuffle(list: unknown[]): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[list[i], list[j]] = [list[j], list[i]]
  }
}
