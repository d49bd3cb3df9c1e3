import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { type ImportedApplication } from '../../../src/features/imports/index.js'
import { listen } from '../../support/http.js'
import { EXPRESSES, openPlatform, type TestOptions } from '../../support/platform.js'
import { waitUntil } from '../../support/wait-until.js'

// The compiler takes the package's types from src/features/imports/slow-hashes-peers.d.ts, which has what src uses.
const { hash } = createRequire(import.meta.url)('@node-rs/bcrypt') as {
  hash: (text: string, cost: number) => Promise<string>
}

/** A platform with imported secrets, behind a proxy that names the addresses of its clients. */
async function openHost(secrets: Readonly<Record<string, readonly object[]>>, options: TestOptions = {}) {
  const { auth } = openPlatform({ store: memoryStore(), imports: true, now: Date.now, ...options })
  onTestFinished(() => auth.close())
  const lines = Object.entries(secrets).map(([clientId, given]) => ({
    name: clientId,
    apis: ['orders'],
    clientId,
    secrets: given,
  }))
  const refused: string[] = []
  await auth.imports.run(lines, { confirm: true, onRefused: (_line, reason) => void refused.push(reason) })
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
    return send({ client_id: clientId, client_secret: secret }, { 'X-Forwarded-For': address }, signal)
  }

  /** The secret form-encoded in a Basic header, as RFC 6749 2.3.1 has it: also what was sent is compared. */
  async function requestTokenByBasic(clientId: string, secret: string, address: string): Promise<number> {
    const pair = `${clientId}:${encodeURIComponent(secret)}`
    const headers = { 'X-Forwarded-For': address, Authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
    return send({}, headers, null)
  }

  async function send(
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | null,
  ): Promise<number> {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...form })
    const response = await fetch(`http://127.0.0.1:${port}/orders/token`, { method: 'POST', body, headers, signal })
    await response.arrayBuffer()
    return response.status
  }

  async function readSecret(clientId: string): Promise<string | undefined> {
    const { items } = await auth.applications.list({ limit: 100 })
    return items.find(({ name }) => name === clientId)?.secrets[0]?.prefix
  }
  return { auth, requestToken, requestTokenByBasic, readSecret }
}

/** Guesses secrets of `flooded`, from many addresses that have one request under way each, until the test ends. */
function startFlood({ requestToken }: Awaited<ReturnType<typeof openHost>>, addresses: number) {
  const flooding = new AbortController()
  const answers = Array.from({ length: addresses }, () => 0)
  const compared = new Set<number>()
  const flood = answers.map(async (_, i) => {
    while (!flooding.signal.aborted) {
      const secret = `wrong${Math.random()}`
      const status = await requestToken('flooded', secret, `198.51.100.${i}`, flooding.signal).catch(() => 0)
      answers[i]!++
      if (status === 401) compared.add(i)
    }
  })
  onTestFinished(async () => {
    flooding.abort()
    await Promise.all(flood)
  })
  const count = (): number => answers.reduce((sum, each) => sum + each, 0)
  return {
    /** Resolves after as many more answers. */
    answered: (more: number) => {
      const before = count()
      return waitUntil(() => count() >= before + more)
    },
    /** Resolves once each address has had a turn: a 503 tells of none. */
    everyAddressCompared: () => waitUntil(() => compared.size === addresses),
    /** The status that a request gets, and the answers that the flood got meanwhile, whatever the machine's speed. */
    async during(request: () => Promise<number>): Promise<{ status: number; meanwhile: number }> {
      const before = count()
      const status = await request()
      return { status, meanwhile: count() - before }
    },
  }
}

/** Computes no hash until it is released: a thread that opens a pipe waits for whoever writes to it. */
async function occupyThreadPool(): Promise<() => void> {
  const folder = await mkdtemp(join(tmpdir(), 'slow-hashes-'))
  const pipe = join(folder, 'pipe')
  execFileSync('/usr/bin/mkfifo', [pipe])
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  const readers = Array.from({ length: threads }, () => open(pipe, 'r'))
  let writer: number | undefined
  const release = (): void => void (writer ??= openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK))
  onTestFinished(async () => {
    release()
    closeSync(writer!)
    for (const reader of await Promise.all(readers)) await reader.close()
    await rm(folder, { recursive: true })
  })
  return release
}

/** A fair turn waits for one or two computations; one that comes last waits for those of all addresses. */
const FLOODING_ADDRESSES = 20
const FEW = FLOODING_ADDRESSES / 2

describe('a flood of wrong secrets for one imported application', () => {
  it('lets the first uses of all others pass, and from a new address also its own', async () => {
    const secrets: Record<string, object[]> = {
      flooded: [{ bcrypt: await hash('x9!Kq2 vR7_pL4', 7) }, { bcrypt: await hash('x9!Kq2 vR7_pL5', 7) }],
    }
    for (let i = 0; i < 5; i++) secrets[`partner${i}`] = [{ bcrypt: await hash(`Partner-secret-${i}`, 7) }]
    const host = await openHost(secrets)
    const flood = startFlood(host, FLOODING_ADDRESSES)
    await flood.answered(3)
    for (let i = 0; i < 5; i++) {
      const { status, meanwhile } = await flood.during(() =>
        host.requestToken(`partner${i}`, `Partner-secret-${i}`, '203.0.113.1'),
      )
      expect(status).toBe(200)
      expect(meanwhile).toBeLessThan(FEW)
    }
    await flood.everyAddressCompared()
    const own = await flood.during(() => host.requestToken('flooded', 'x9!Kq2 vR7_pL5', '203.0.113.9'))
    expect(own.status).toBe(200)
    expect(own.meanwhile).toBeLessThan(FEW)
  })

  it('makes no secret wait that is compared without a slow hash, in whichever reading it is right', async () => {
    const host = await openHost({
      flooded: [{ bcrypt: await hash('x9!Kq2 vR7_pL4', 8) }, { plain: 'q8+Zr1%vT6/pM3=wK5' }],
    })
    const flood = startFlood(host, FLOODING_ADDRESSES)
    await flood.answered(3)
    // The address has had turns, so that it would wait for all others.
    await host.requestToken('flooded', 'wrong', '203.0.113.9').catch(() => undefined)
    const { status, meanwhile } = await flood.during(() =>
      host.requestTokenByBasic('flooded', 'q8+Zr1%vT6/pM3=wK5', '203.0.113.9'),
    )
    expect(status).toBe(200)
    expect(meanwhile).toBeLessThan(FEW)
  })

  it('makes a secret that can be read in two ways wait once, not once for each', async () => {
    const host = await openHost({ flooded: [{ bcrypt: await hash('q8+Zr1%vT6/pM3=wK5', 8) }] })
    const order: string[] = []
    /** Each from an address of its own, so that it comes before whoever has had a turn. */
    const guess = (wave: number) =>
      Array.from({ length: 15 }, async (_, i) => {
        await host.requestToken('flooded', `wrong${wave}.${i}`, `198.51.${wave}.${i}`)
        order.push(`wave ${wave}`)
      })
    const first = guess(1)
    await waitUntil(() => order.length >= 2)
    const partner = host.requestTokenByBasic('flooded', 'q8+Zr1%vT6/pM3=wK5', '203.0.113.9')
    const noted = partner.then(() => order.push('partner'))
    await waitUntil(() => order.length >= 5)
    const second = guess(2)
    await Promise.all([...first, ...second, noted])
    expect(await partner).toBe(200)
    // Its two computations follow each other, unless its request arrived late.
    expect(order.slice(0, order.indexOf('partner')).filter((each) => each === 'wave 2').length).toBeLessThan(5)
  })

  it('counts what waited in vain as a failure of its address', async () => {
    const { requestToken } = await openHost(
      { flooded: [{ bcrypt: await hash('x9!Kq2 vR7_pL4', 7) }] },
      { rateLimits: { failedAuthentication: { limit: 40, window: 3600 } } },
    )
    expect(await requestToken('flooded', 'wrong')).toBe(401)
    const release = await occupyThreadPool()
    const statuses: number[] = []
    const flood = Array.from({ length: 80 }, async (_, i) => statuses.push(await requestToken('flooded', `wrong${i}`)))
    // All but the one that is being computed, which is refused a second later.
    await waitUntil(() => statuses.length >= 79)
    release()
    await Promise.all(flood)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(30)
    expect(statuses).toContain(503)
    // This one is remembered, so that nothing is computed.
    expect(await requestToken('flooded', 'wrong')).toBe(429)
    await expect.poll(() => requestToken('flooded', 'x9!Kq2 vR7_pL4')).toBe(200)
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
    expect(await auth.imports.run([line(parameters)])).toMatchObject({ added, refused: 1 - added })
  })
})
