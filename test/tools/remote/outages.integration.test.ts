import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { DatabaseSync } from '@photostructure/sqlite'
import { createTemporaryFolder } from '../../support/temporary-folder.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { FEATURE_NAMES, PLATFORM_OPTION_NAMES } from '../../../src/core/options/read-platform-options.js'
import { createRemoteAuth } from '../../../src/tools/remote/index.js'
import { callersFor, expectSecured, fakeClock } from '../../../src/tools/testing/index.js'
import { accessToken, createApplication, createTokenForm, post } from '../../support/http.js'
import { recordingLogger } from '../../support/platform.js'
import { waitUntil } from '../../support/wait-until.js'
import { ask, type HttpAnswer, openSite, SERVED, startAnswerProxy, startPlatform } from './site.js'

type Site = Awaited<ReturnType<typeof openSite>>
const site = await openSite()
afterAll(() => site.close())

const POLL = { timeout: 60_000 }
/** Where seconds pass before the condition can be met. */
const INTERVAL = { interval: 100 }

/** An application with a token and a key, which both sides accept. */
async function createClient(site: Site) {
  const { id, ...client } = await createApplication(site.auth, { orders: {}, catalog: {} })
  return { id, ...client, key: client.clientId, token: await accessToken(site.app, 'orders', client) }
}

describe('a service whose platform does not answer', () => {
  it.each(['refuse', 'stall'] as const)(
    'serves what it knows for maxStaleness, and then answers 503: %s',
    async (way) => {
      const { auth, url } = await site.openService({ maxStaleness: 5 })
      const [client, other, revoked] = [await createClient(site), await createClient(site), await createClient(site)]
      const askAll = () =>
        Promise.all([
          ask(`${url}/orders/items`, client.token),
          ask(`${url}/catalog/items`, client.key),
          ask(`${url}/orders/items`, revoked.token),
        ])
      expect(await askAll()).toEqual(['200', '200', '200'])
      await site.proxy[way]()
      await site.auth.applications.revokeTokens(revoked.id)
      const answers = new Set<string>()
      await waitUntil(async () => {
        const each = await askAll()
        for (const answer of each) answers.add(answer.slice(0, 3))
        return each.every((answer) => answer.startsWith('503'))
      }, INTERVAL)
      expect([...answers].toSorted()).toEqual(['200', '503'])
      // Nobody is refused whom the service does not know.
      expect(await ask(`${url}/catalog/items`, other.key)).toMatch(/^503/)
      expect(await ask(`${url}/orders/items`, other.token)).toMatch(/^503/)
      const { ok, problems } = await auth.health()
      expect(ok).toBe(false)
      expect(problems.join()).toMatch(/platform/)
      await site.proxy.forward()
      await expect.poll(askAll, POLL).toEqual(['200', '200', expect.stringMatching(/^401/)])
      expect(await ask(`${url}/catalog/items`, other.key)).toBe('200')
      await expect.poll(auth.health, POLL).toEqual({ ok: true, problems: [] })
    },
  )

  it('starts when the platform does: until then requests get 503, and it names the platform, and no store', async () => {
    await site.proxy.refuse()
    const { auth, url, logger } = await site.startService()
    const client = await createClient(site)
    expect(await ask(`${url}/catalog/items`, client.key)).toMatch(/^503/)
    const { problems } = await auth.health()
    await site.proxy.forward()
    await auth.ready()
    expect(await ask(`${url}/catalog/items`, client.key)).toBe('200')
    await auth.close()
    const closed = await auth.health()
    expect(logger.lines.join('\n')).toContain(
      `The service could not start yet and will retry: It asks the platform at ${site.proxy.url.slice(0, -1)}. `,
    )
    expect([...problems, ...closed.problems]).toEqual([
      expect.stringMatching(/^The service is not ready: the platform cannot be used yet \(.*\)\.$/),
      'The service has been closed.',
    ])
    expect(logger.lines.join('\n')).not.toMatch(/\bstore\b/)
  })

  it('says in the log that the secret of the resource server is wrong, and refuses no caller', async () => {
    const { auth, url, logger } = await site.startService({ clientSecret: 'epa_sec_wrong' })
    const client = await createClient(site)
    expect(await ask(`${url}/catalog/items`, client.key)).toMatch(/^503/)
    expect(logger.lines.join('\n')).toMatch(/status 401: it does not know the client id and secret/)
    expect((await auth.health()).ok).toBe(false)
    expect(logger.lines.join('\n')).not.toContain('epa_sec_wrong')
  })

  const refused = (status: number) => (answer: HttpAnswer) => ({ ...answer, status })
  it.each([
    [401, 'it does not know the client id and secret as those of a resource server', refused(401)],
    [403, 'it refuses the network of this process, or the path is not that of credentialSource()', refused(403)],
    [404, 'there is no credentialSource() at its address', refused(404)],
    [502, 'it answers with status 502', refused(502)],
    ['not its own', 'its answer is not authentic', (answer: HttpAnswer) => ({ ...answer, body: Buffer.from('{}') })],
  ])('tells in health() what is wrong with its answer, before and after the start: %s', async (_, reason, change) => {
    let isWrong = true
    const address = await startAnswerProxy(site.proxy.url.slice(0, -1), (answer) => (isWrong ? change(answer) : answer))
    const { auth } = await site.startService({ address })
    await expect(auth.ready({ retry: false })).rejects.toThrow()
    expect(await auth.health()).toEqual({
      ok: false,
      problems: [`The service is not ready: the platform cannot be used yet (${reason}).`],
    })
    isWrong = false
    await auth.ready()
    isWrong = true
    await expect
      .poll(async () => (await auth.health()).problems[0], POLL)
      .toMatch(/^The platform has been unavailable since /)
    expect((await auth.health()).problems[0]!.split('Z: ')[1]).toBe(`${reason}.`)
  })
})

describe('a service', () => {
  it('accepts tokens of a replaced signing key, and none of a revoked one', async () => {
    const { url } = await site.openService()
    const { token: former, ...client } = await createClient(site)
    expect(await ask(`${url}/orders/items`, former)).toBe('200')
    const [{ kid }] = (await site.auth.signingKeys.list()).items as unknown as [{ kid: string }]
    await site.auth.signingKeys.rotate({ immediately: true })
    const token = await accessToken(site.app, 'orders', client)
    expect(await ask(`${url}/orders/items`, token)).toBe('200')
    await site.auth.signingKeys.revoke(kid)
    const expected = await ask(`${site.url}/orders/items`, former)
    expect(expected).toMatch(/^401/)
    await expect.poll(() => ask(`${url}/orders/items`, former), POLL).toBe(expected)
    expect(await ask(`${url}/orders/items`, token)).toBe('200')
  })

  it('refuses a single token that was revoked, before it began and after', async () => {
    const [before, after, kept] = [await createClient(site), await createClient(site), await createClient(site)]
    const revoke = (client: typeof before) =>
      post(site.app, '/orders/revoke', { ...createTokenForm(client), token: client.token })
    await revoke(before)
    const { url } = await site.openService()
    expect(await ask(`${url}/orders/items`, before.token)).toMatch(/^401/)
    expect(await ask(`${url}/orders/items`, after.token)).toBe('200')
    await revoke(after)
    await expect.poll(() => ask(`${url}/orders/items`, after.token), POLL).toMatch(/^401/)
    expect(await ask(`${url}/orders/items`, kept.token)).toBe('200')
  })

  it('asks for each token where it may keep few revoked ones', async () => {
    const [one, other] = [await createClient(site), await createClient(site)]
    const { url } = await site.openService({ cache: { revokedAccessTokens: 1 } })
    await post(site.app, '/orders/revoke', { ...createTokenForm(one), token: one.token })
    await expect.poll(() => ask(`${url}/orders/items`, one.token), POLL).toMatch(/^401/)
    expect(await ask(`${url}/orders/items`, other.token)).toBe('200')
  })

  it('answers 503 at an API that operators have taken from it, until they give it back, and goes on at the others', async () => {
    const { application, credentials } = await site.auth.applications.create({
      name: 'Other backend',
      resourceServer: ['orders', 'catalog'],
    })
    const { clientId, clientSecret } = credentials
    const { auth, url } = await site.openService({ clientId, clientSecret: clientSecret! })
    const client = await createClient(site)
    expect(await ask(`${url}/catalog/items`, client.key)).toBe('200')
    await site.auth.applications.update(application.id, { resourceServer: ['orders'] })
    // Also of callers that it sees for the first time: the platform answers as of unknown ones.
    const strangers = await Promise.all(Array.from({ length: 20 }, () => createApplication(site.auth, { catalog: {} })))
    for (const { clientId: key } of strangers) expect(await ask(`${url}/catalog/items`, key)).toMatch(/^503/)
    await expect.poll(() => ask(`${url}/catalog/items`, client.key), POLL).toMatch(/^503/)
    await expect.poll(() => ask(`${url}/orders/items`, client.token), POLL).toBe('200')
    await expect(auth.verifyApiKey('catalog', client.key)).rejects.toMatchObject({ status: 503 })
    expect((await auth.health()).problems.join()).toContain('has taken API catalog')
    await site.auth.applications.update(application.id, { resourceServer: ['orders', 'catalog'] })
    await expect.poll(() => ask(`${url}/catalog/items`, client.key), POLL).toBe('200')
    for (const { clientId: key } of strangers) expect(await ask(`${url}/catalog/items`, key)).toBe('200')
    await expect.poll(auth.health, POLL).toEqual({ ok: true, problems: [] })
  })

  it('is limited as a resource server: 503 for callers that it does not know, and for no others', async () => {
    const limited = await openSite({}, undefined, { requests: { limit: 40, window: 600 } })
    onTestFinished(limited.close)
    const { url, logger } = await limited.openService({ maxStaleness: 60 })
    const [known, ...strangers] = await Promise.all(Array.from({ length: 60 }, () => createClient(limited)))
    expect(await ask(`${url}/catalog/items`, known!.key)).toBe('200')
    const answers = new Set<string>()
    for (const { key } of strangers) answers.add((await ask(`${url}/catalog/items`, key)).slice(0, 3))
    expect([...answers].toSorted()).toEqual(['200', '503'])
    expect(await ask(`${url}/catalog/items`, known!.key)).toBe('200')
    expect(logger.lines.join('\n')).toContain('status 429: this resource server asks too often')
  })

  it('tells the platform when keys were last used', async () => {
    const { auth, url } = await site.openService()
    const client = await createClient(site)
    expect(await ask(`${url}/catalog/items`, client.key)).toBe('200')
    await auth.flush()
    const { keys } = (await site.auth.applications.get(client.id))!
    expect(Date.now() - keys[0]!.lastUsedAt!.getTime()).toBeLessThan(60_000)
  })

  it('activates an application whose key it is the first to see', async () => {
    const { url } = await site.openService()
    const client = await createClient(site)
    const record = (await site.store.findApplication(client.id))!
    const pending = { ...record, status: 'pending', version: record.version + 1 } as const
    expect(await site.store.saveApplication(pending, undefined)).toBe(true)
    expect(await ask(`${url}/catalog/items`, client.key)).toBe('200')
    expect((await site.auth.applications.get(client.id))!.status).toBe('active')
  })

  it('keeps few applications in memory, and misses no change of those', async () => {
    const { url } = await site.openService({ cache: { applications: 2 } })
    const clients = await Promise.all(Array.from({ length: 30 }, () => createClient(site)))
    const askAll = () => Promise.all(clients.map(({ key }) => ask(`${url}/catalog/items`, key)))
    for (const round of [1, 2, 3]) expect(new Set(await askAll()), `round ${round}`).toEqual(new Set(['200']))
    // One that stays in memory, while so many others come and go that their names are more than are kept.
    const [hot, ...others] = clients
    for (const { key } of others) {
      expect(await ask(`${url}/catalog/items`, hot!.key)).toBe('200')
      expect(await ask(`${url}/catalog/items`, key)).toBe('200')
    }
    await site.auth.applications.suspend(hot!.id)
    await expect.poll(() => ask(`${url}/catalog/items`, hot!.key), POLL).toMatch(/^40[13]/)
    for (const { id } of others) await site.auth.applications.suspend(id)
    await expect.poll(async () => new Set(await askAll()), POLL).toEqual(new Set([expect.stringMatching(/^40[13]/)]))
  })

  it.each([
    ['another scheme', { apis: { ...SERVED, catalog: { scheme: 'oauth2' } } }, 'apis.catalog.scheme'],
    [
      'an unknown scope',
      { apis: { ...SERVED, orders: { scheme: 'oauth2', scopes: { 'a:b': 'c' } } } },
      'apis.orders.scopes',
    ],
    ['another header', { apis: { ...SERVED, catalog: { scheme: 'apiKey', header: 'X-Key' } } }, 'apis.catalog.header'],
    ['an API that it does not serve', { apis: { ...SERVED, weather: { scheme: 'apiKey' } } }, 'apis.weather'],
    [
      'a misspelt API',
      { apis: { ...SERVED, katalog: { scheme: 'apiKey' } } },
      'apis.katalog',
      /^Did you mean "catalog"\? At/,
    ],
    ['another platform', { platform: 'https://api.example.org' }, 'platform'],
  ])('does not start with %s', async (_, options, option, fix = /./) => {
    const auth = createRemoteAuth({ ...site.serviceOptions, logger: recordingLogger(), ...(options as object) })
    await expect(auth.ready()).rejects.toMatchObject({
      code: 'invalid_configuration',
      option,
      fix: expect.stringMatching(fix) as string,
    })
    await auth.close()
  })

  it.each([
    ['http to another machine', { address: 'http://api.example.com' }, 'address'],
    ['http to the platform', { platform: 'http://api.example.com', address: undefined }, 'platform'],
    ['no secret', { clientSecret: '' }, 'clientSecret'],
    ['no address', { platform: 'api.example.com' }, 'platform'],
    ['an unknown option', { maxStalness: 1 }, 'maxStalness', 'Did you mean "maxStaleness"?'],
    ['an unknown limit', { rateLimits: { request: false } }, 'rateLimits.request', 'Did you mean "requests"?'],
    ["a limit of the platform's endpoints", { rateLimits: { revocations: false } }, 'rateLimits.revocations', ''],
  ])('is not created with %s', (_, options, option, fix = '') => {
    const create = () => createRemoteAuth({ ...site.serviceOptions, ...(options as object) })
    const expected = { code: 'invalid_configuration', option, fix: expect.stringContaining(fix) as string }
    expect(create).toThrow(expect.objectContaining(expected) as Error)
  })

  it('is told what to write in place of each option of createPlatformAuth() that it does not have', () => {
    const own = ['apis', 'metadata', 'rateLimits', 'maxStaleness', 'cache', 'onDenied', 'reportOnly', 'logger']
    const others = [...PLATFORM_OPTION_NAMES, ...FEATURE_NAMES].filter((name) => !own.includes(name))
    const fixes: Readonly<Record<string, string>> = {
      baseUrl: 'Write platform, with the same address.',
      secret: 'Write clientSecret, with the secret of a resource server.',
    }
    for (const option of others) {
      const create = () => createRemoteAuth({ ...site.serviceOptions, [option]: 'x' })
      const problem = 'is an option of the platform, which this service asks'
      const expected = { option, problem, fix: fixes[option] ?? 'Leave it out.' }
      expect(create).toThrow(expect.objectContaining(expected) as Error)
    }
  })
})

it('a service is checked by expectSecured(), with the applications of the platform', async () => {
  // Its clock is set back for credentials that have expired.
  const site = await openSite({ now: fakeClock().now })
  onTestFinished(site.close)
  const { auth, app } = await site.openService({ rateLimits: { failedAuthentication: false } })
  const { routes } = await expectSecured(app, { auth: { ...site.auth, ...auth } as typeof site.auth })
  expect(routes).toContain('GET /orders/items')
  app.get('/orders/open', (_req, res) => void res.json([]))
  await expect(expectSecured(app, { auth: { ...site.auth, ...auth } as typeof site.auth })).rejects.toThrow(
    '/orders/open',
  )
})

it('a service that has heard the time at which an expired credential was made is asked again', async () => {
  const site = await openSite({ now: fakeClock().now })
  onTestFinished(site.close)
  const { auth } = await site.openService({ rateLimits: { failedAuthentication: false } })
  // One credential is made before the clocks are set back, the next while they are.
  for (const made of [1, 2]) {
    const unknown = await Promise.all(Array.from({ length: 12 }, () => createClient(site)))
    let left = made
    const create: typeof site.auth.applications.create = async (application) => {
      left -= 1
      if (left === 0) for (const { key } of unknown) await auth.verifyApiKey('catalog', key)
      return site.auth.applications.create(application)
    }
    const platform = { ...site.auth, ...auth, applications: { ...site.auth.applications, create } } as typeof site.auth
    for (const api of ['orders', 'catalog'] as const) {
      left = made
      const { expired, allowed } = await callersFor(platform, api)
      const verify = api === 'orders' ? auth.verifyAccessToken : auth.verifyApiKey
      await expect(verify(api as never, expired.credential)).rejects.toThrow(/expired|not valid/)
      await verify(api as never, allowed.credential)
    }
  }
})

it('the clock of a service may be wrong by minutes', async () => {
  for (const minutes of [-2, 2]) {
    const site = await openSite({ now: () => Date.now() + minutes * 60_000 })
    try {
      const { url } = await site.openService()
      const client = await createClient(site)
      expect(await ask(`${url}/orders/items`, client.token)).toBe('200')
    } finally {
      await site.close()
    }
  }
})

it('a service goes on where the platform is replaced, and forgets what a restored database does not have', async () => {
  const file = join(await createTemporaryFolder(), 'platform.sqlite')
  const site = await openSite({}, async () => ({ store: sqliteStore(file), remove: async () => undefined }))
  onTestFinished(() => site.close())
  const { url } = await site.openService({ maxStaleness: 60 })
  const kept = await createClient(site)
  expect(await ask(`${url}/catalog/items`, kept.key)).toBe('200')

  const next = await startPlatform({ store: sqliteStore(file) })
  site.proxy.forwardTo(next.url)
  await site.auth.close()
  await next.auth.applications.suspend(kept.id)
  await expect.poll(() => ask(`${url}/catalog/items`, kept.key), POLL).toMatch(/^40[13]/)
  await next.auth.applications.resume(kept.id)
  await expect.poll(() => ask(`${url}/catalog/items`, kept.key), POLL).toBe('200')
  await next.close()

  new DatabaseSync(file).prepare('VACUUM INTO ?').run(`${file}.backup`)
  const later = await startPlatform({ store: sqliteStore(file) })
  site.proxy.forwardTo(later.url)
  const lost = await createApplication(later.auth, { catalog: {} })
  await expect.poll(() => ask(`${url}/catalog/items`, lost.clientId), POLL).toBe('200')
  await later.auth.applications.suspend(kept.id)
  await expect.poll(() => ask(`${url}/catalog/items`, kept.key), POLL).toMatch(/^40[13]/)
  await later.close()

  for (const part of ['', '-wal', '-shm']) await rm(file + part, { force: true })
  await copyFile(`${file}.backup`, file)
  const restored = await startPlatform({ store: sqliteStore(file) })
  // It takes the numbers of the changes that were lost.
  for (const name of ['a', 'b', 'c']) await restored.auth.applications.create({ name, apis: ['weather'] })
  site.proxy.forwardTo(restored.url)
  await expect.poll(() => ask(`${url}/catalog/items`, lost.clientId), POLL).toMatch(/^401/)
  await expect.poll(() => ask(`${url}/catalog/items`, kept.key), POLL).toBe('200')
  await restored.close()
})
