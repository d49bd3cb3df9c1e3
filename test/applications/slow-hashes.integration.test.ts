import { createRequire } from 'node:module'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryStore, type ImportedApplication } from '../../src/index.js'
import { listen } from '../support/http.js'
import { EXPRESSES, openPlatform, type TestOptions } from '../support/platform.js'

// The compiler takes the package's types from src/applications/imports/slow-hashes-peers.d.ts, which has what src uses.
const { hash } = createRequire(import.meta.url)('@node-rs/bcrypt') as {
  hash: (text: string, cost: number) => Promise<string>
}

/** A platform with imported secrets, behind a proxy that names the addresses of its clients. */
async function openHost(secrets: Readonly<Record<string, readonly object[]>>, options: TestOptions = {}) {
  const { auth } = openPlatform({ store: memoryStore(), importedCredentials: true, now: Date.now, ...options })
  onTestFinished(() => auth.close())
  const lines = Object.entries(secrets).map(([clientId, given]) => ({ name: clientId, apis: ['orders'], clientId, secrets: given })) // prettier-ignore
  const refused: string[] = []
  await auth.applications.import(lines, { confirm: true, onRefused: (_line, reason) => void refused.push(reason) })
  expect(refused).toEqual([])
  const app = EXPRESSES['Express 5']()
  app.set('trust proxy', true)
  app.use(auth.router)
  const { port, close } = await listen(app)
  onTestFinished(close)

  async function requestToken(
    clientId: string,
    secret: string,
    address = '203.0.113.1',
    signal: AbortSignal | null = null,
  ): Promise<number> {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret })
    const headers = { 'X-Forwarded-For': address }
    const response = await fetch(`http://127.0.0.1:${port}/orders/token`, { method: 'POST', body, headers, signal })
    await response.arrayBuffer()
    return response.status
  }

  async function readSecret(clientId: string): Promise<string | undefined> {
    const { items } = await auth.applications.list({ limit: 100 })
    return items.find(({ name }) => name === clientId)?.secrets[0]?.prefix
  }
  return { auth, requestToken, readSecret }
}

describe('a flood of wrong secrets for one imported application', () => {
  it('lets the first uses of all others pass, and from a new address also its own', async () => {
    const secrets: Record<string, object[]> = {
      flooded: [{ bcrypt: await hash('x9!Kq2 vR7_pL4', 10) }, { bcrypt: await hash('x9!Kq2 vR7_pL5', 10) }],
    }
    for (let i = 0; i < 5; i++) secrets[`partner${i}`] = [{ bcrypt: await hash(`Partner-secret-${i}`, 10) }]
    const { requestToken } = await openHost(secrets)
    const flooding = new AbortController()
    // Each has one request under way at a time. Together they would wait for ten seconds.
    const flood = Array.from({ length: 100 }, async (_, i) => {
      while (!flooding.signal.aborted) {
        await requestToken('flooded', `wrong${Math.random()}`, `198.51.100.${i}`, flooding.signal).catch(
          () => undefined,
        )
      }
    })
    const partners = await Promise.all(
      Array.from({ length: 5 }, (_, i) => requestToken(`partner${i}`, `Partner-secret-${i}`)),
    )
    const own = await requestToken('flooded', 'x9!Kq2 vR7_pL5', '203.0.113.9')
    flooding.abort()
    expect([...partners, own]).toEqual([200, 200, 200, 200, 200, 200])
    await Promise.all(flood)
  })

  it('counts what waited in vain as a failure of its address', async () => {
    const { requestToken } = await openHost(
      { flooded: [{ bcrypt: await hash('x9!Kq2 vR7_pL4', 12) }] },
      { rateLimits: { failedAuthentication: { limit: 3, window: 3600 } } },
    )
    const flood = await Promise.all(Array.from({ length: 60 }, (_, i) => requestToken('flooded', `wrong${i}`)))
    const counts = Object.fromEntries([401, 503, 429].map((status) => [status, flood.filter((each) => each === status).length])) // prettier-ignore
    expect(counts[401]! + counts[503]!).toBe(3)
    expect(counts[429]).toBe(57)
    expect(await requestToken('flooded', 'x9!Kq2 vR7_pL4')).toBe(200)
  })
})

describe('a bcrypt hash', () => {
  const LONG = 'Zq7x9Kd2mPw'.repeat(8)
  const CASES: readonly (readonly [why: string, secret: string, others: readonly string[]])[] = [
    ['longer than 72 octets', LONG, [`${LONG.slice(0, 72)}other`, LONG.slice(0, 72)]],
    ['of 73 octets', LONG.slice(0, 73), [LONG.slice(0, 72), `${LONG.slice(0, 72)}?`]],
    ['of 72 octets', LONG.slice(0, 72), [`${LONG.slice(0, 72)}\0`, LONG]],
    ['of 71 octets', LONG.slice(0, 71), [`${LONG.slice(0, 71)}\0x`]],
    ['with a character across octet 72', `${LONG.slice(0, 71)}\u00E9`, [`${LONG.slice(0, 71)}\u00E8`]],
    ['with an emoji across octet 72', `${LONG.slice(0, 70)}\u{1F600}`, [`${LONG.slice(0, 70)}\u{1F601}`]],
    ['that is short', 'short-secret-0123', ['short-secret-0123\0short-secret-0123', 'short-secret-0123\0']],
  ]

  it.each(CASES)('of a secret %s is replaced by nothing that refuses it', async (_why, secret, others) => {
    for (const version of ['$2a$', '$2b$', '$2y$']) {
      const { requestToken } = await openHost({ c: [{ bcrypt: (await hash(secret, 4)).replace('$2b$', version) }] })
      for (const other of others) await requestToken('c', other)
      for (let i = 0; i < 3; i++) expect(await requestToken('c', secret)).toBe(200)
      expect(await requestToken('c', 'quite another one')).toBe(401)
    }
  })

  it('of a secret shorter than 72 octets is replaced at its first use, a longer one never', async () => {
    const { requestToken, readSecret } = await openHost({
      short: [{ bcrypt: await hash(LONG.slice(0, 71), 4) }],
      long: [{ bcrypt: await hash(LONG, 4) }],
    })
    expect(await requestToken('long', LONG)).toBe(200)
    expect(await requestToken('short', LONG.slice(0, 71))).toBe(200)
    await expect.poll(() => readSecret('short')).toBe('Zq7x')
    expect(await readSecret('long')).toBe('imported')
  })
})

describe('an argon2id hash', () => {
  const line = (parameters: string): ImportedApplication => ({
    name: 'Shop',
    apis: ['orders'],
    clientId: parameters,
    secrets: [{ argon2id: `$argon2id$v=19$${parameters}$c29tZXNhbHRzYWx0$${'A'.repeat(43)}` }],
  })

  it.each([
    ['m=65536,t=3,p=4', 1],
    ['m=65536,t=4,p=1', 1],
    ['m=65536,t=4,p=4', 1],
    ['m=19456,t=2,p=1', 1],
    ['m=47104,t=1,p=1', 1],
    ['m=262144,t=4,p=16', 1],
    ['m=262144,t=5,p=4', 0],
    ['m=262144,t=10,p=16', 0],
    ['m=131072,t=10,p=1', 0],
    ['m=65536,t=17,p=4', 0],
    ['m=524288,t=1,p=1', 0],
    ['m=8,t=999,p=17', 0],
  ])('is bounded by memory times passes: %s', async (parameters, added) => {
    const { auth } = await openHost({})
    expect(await auth.applications.import([line(parameters)])).toMatchObject({ added, refused: 1 - added })
  })
})
