import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PLATFORM_PARTS } from '../../../src/shared/contracts/platform-parts.js'
import type { Core, Feature, FeaturePart } from '../../../src/feature.js'
import { emails } from '../../../src/features/emails/index.js'
import { usage } from '../../../src/features/usage/index.js'
import { createPlatformAuth, memoryStore, type FeatureEntry } from '../../../src/index.js'
import type { PlatformParts } from '../../../src/core/platform/core-auth.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { APIS, recordingLogger } from '../../support/platform.js'
import { request } from '../../support/request.js'

/** A feature of the test; the part is made of `core` when the platform is created. */
function feature(
  name: string,
  create: (core: Core) => Partial<FeaturePart>,
  more: Partial<Pick<Feature, 'needs' | 'mayUse' | 'pages'>> = {},
): Feature {
  return { name, ...more, prepare: () => (core) => ({ calls: {}, ...create(core) }) }
}

function open(features: readonly FeatureEntry[], options: { readonly background?: false } = {}) {
  const auth = createPlatformAuth({
    baseUrl: 'https://api.example.com',
    developersUrl: 'https://api.example.com/developers',
    apis: APIS,
    store: memoryStore(),
    logger: recordingLogger(),
    features,
    ...options,
  })
  onTestFinished(() => auth.close())
  return auth
}

describe('observe()', () => {
  async function callEach(features: readonly FeatureEntry[]) {
    const auth = open(features)
    const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    const app = express().use(auth.router)
    app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
    app.get('/weather/now', auth.requireApiKey('weather', { reportOnly: true }), (_req, res) => void res.json([]))
    const headers = { 'X-Api-Key': credentials.clientId }
    await request(app).get('/catalog/items').set(headers).expect(200)
    await request(app).get('/weather/now').set(headers).expect(200)
    const form = { grant_type: 'client_credentials', client_id: credentials.clientId }
    await request(app)
      .post('/orders/token')
      .type('form')
      .send({ ...form, client_secret: credentials.clientSecret })
      .expect(200)
    await request(app)
      .post('/orders/token')
      .type('form')
      .send({ ...form, client_secret: 'wrong' })
      .expect(401)
  }

  function recorder(name: string, seen: string[]): Feature {
    return feature(name, () => ({
      observe: ({ name: api }) => ({
        allowed: (id, times = 1) => seen.push(`${name} ${api} allowed ${times} ${id.slice(0, 4)}`),
        tokenIssued: () => seen.push(`${name} ${api} token`),
        refused: ({ reason }, req) => seen.push(`${name} ${api} refused ${reason} ${req.method}`),
        reported: ({ reason }, req) => seen.push(`${name} ${api} reported ${reason} ${req.url}`),
      }),
    }))
  }

  it('tells of what is allowed, issued, refused and reported, each feature once', async () => {
    const seen: string[] = []
    await callEach([recorder('one', seen), recorder('two', seen)])
    const expected = [
      'catalog allowed 1 app_',
      'weather reported not_allowed /weather/now',
      'orders token',
      'orders refused wrong_secret POST',
    ]
    expect(seen).toEqual(expected.flatMap((text) => [`one ${text}`, `two ${text}`]))
  })

  it('is called once for each API, and its functions may be left out', async () => {
    const apis: string[] = []
    const seen: string[] = []
    const silent = feature('silent', () => ({ observe: ({ name }) => (apis.push(name), {}) }))
    await callEach([silent, recorder('one', seen)])
    expect(apis).toEqual(Object.keys(APIS))
    expect(seen).toHaveLength(4)
  })
})

describe('a feature', () => {
  it('is started when the platform is ready, after those that it names, and stopped in the reverse order', async () => {
    const calls: string[] = []
    const part = (name: string) => () => ({
      start: () => void calls.push(`start ${name}`),
      stop: () => void calls.push(`stop ${name}`),
    })
    const auth = open([
      feature('b', part('b'), { needs: ['a'] }),
      feature('c', part('c'), { mayUse: ['b'] }),
      feature('a', part('a')),
    ])
    expect(calls).toEqual([])
    await auth.ready()
    await auth.close()
    expect(calls).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a'])
  })

  it('is not started with background: false, and is stopped', async () => {
    const calls: string[] = []
    const auth = open(
      [feature('a', () => ({ start: () => void calls.push('start'), stop: () => void calls.push('stop') }))],
      { background: false },
    )
    await auth.ready()
    await auth.close()
    expect(calls).toEqual(['stop'])
  })

  it('adds its calls under its name, and nothing else', () => {
    const auth = open([feature('shop', () => ({ calls: { hello: () => 'world' } }))])
    const bare = open([])
    expect(Object.keys(auth).filter((name) => !(name in bare))).toEqual(['shop'])
    expect(Reflect.get(auth, 'shop')).toMatchObject({ hello: expect.any(Function) })
  })

  it('gets what another offers, and addresses of pages that any of them serves', () => {
    const found: unknown[] = []
    open([
      feature('portal', (core) => (found.push(core.find('usage'), core.pageUrl('pages'), core.pageUrl('none')), {}), {
        mayUse: ['usage'],
      }),
      feature('usage', () => ({ offers: { list: 'of usage' } })),
      feature('other', (core) => (found.push(core.find('emails')), {}), { pages: { pages: '/pages' } }),
    ])
    expect(found).toEqual([{ list: 'of usage' }, 'https://api.example.com/developers/pages', undefined, undefined])
  })

  it('tells health() of a problem, and the doctor of what it found', async () => {
    let problem: string | undefined = 'the post is closed'
    const diagnosis = { problem: 'The post is closed', fix: 'Wait.' }
    const auth = open([
      feature('post', () => ({ problem: () => problem, diagnose: async () => [diagnosis] })),
      feature('silent', () => ({})),
    ])
    await auth.ready()
    expect(await auth.health()).toMatchObject({ problems: [problem] })
    problem = undefined
    expect(await auth.health()).toMatchObject({ problems: [] })
    const parts = Reflect.get(auth, PLATFORM_PARTS) as PlatformParts
    expect(await parts.diagnose()).toEqual([diagnosis])
  })

  it('that sends e-mails is woken when one is due; without one the call is refused', async () => {
    let woken = 0
    const sender = feature('sender', () => ({ wakeSender: () => void (woken += 1) }))
    const auth = open([sender])
    const { application } = await auth.applications.create({
      name: 'Shop',
      contact: 'dev@shop.example',
      apis: ['catalog'],
    })
    await auth.applications.rotateKey(application.id, { deliver: 'email' })
    expect(woken).toBe(1)
    const bare = open([])
    const made = await bare.applications.create({ name: 'Shop', contact: 'dev@shop.example', apis: ['catalog'] })
    await expect(bare.applications.rotateKey(made.application.id, { deliver: 'email' })).rejects.toMatchObject({
      name: 'ConfigurationError',
      fix: expect.stringContaining('emails({ mailer })'),
    })
  })

  it('that recognizes imported credentials is asked for keys that are unknown', async () => {
    const asked: string[] = []
    const recognizer = feature('recognizer', () => ({
      importedCredentials: {
        listKeyHashes: (key) => (asked.push(key), ['sha256:none']),
        adoptKey: (record) => record,
        matchDigest: () => undefined,
        hasSlowHash: () => false,
        matchSlowHash: async () => undefined,
      },
    }))
    const auth = open([recognizer])
    await expect(auth.verifyApiKey('catalog', 'a-key-of-another-system')).rejects.toMatchObject({
      error: 'invalid_api_key',
    })
    expect(asked).toEqual(['a-key-of-another-system'])
  })

  it.each(['wakeSender', 'importedCredentials'] as const)('is refused beside another with %s', (hook) => {
    const one = (name: string): Feature => feature(name, () => ({ [hook]: () => undefined }))
    expect(() => open([one('a'), one('b')])).toThrow('two features that do the same')
  })
})

describe('a feature of a host', () => {
  it.each(['requireApiKey', 'ready', 'flush', 'close', 'events', 'router', '__proto__', 'constructor', 'toString'])(
    'is refused with a name that auth has: %s',
    (name) => {
      const create = () => open([feature(name, () => ({ calls: () => undefined }))])
      expect(create).toThrow(`features has ${name}(), a name that auth has already. Give the feature another name.`)
    },
  )

  it('whose stop() throws keeps nothing from being stored and closed; close() rejects with its error', async () => {
    const stopped: string[] = []
    const broken = feature('broken', () => ({
      stop() {
        throw new Error('broken')
      },
    }))
    const other = feature('other', () => ({ stop: async () => void stopped.push('other') }))
    const memory = memoryStore()
    const store = { ...memory, close: async () => void stopped.push('store') }
    const auth = createPlatformAuth({
      baseUrl: 'https://api.example.com',
      apis: APIS,
      store,
      logger: recordingLogger(),
      features: [usage(), other, broken],
    })
    const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    const app = express().get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
    await request(app).get('/catalog/items').set('X-Api-Key', credentials.clientId).expect(200)
    await expect(auth.close()).rejects.toThrow('broken')
    expect(stopped).toEqual(['other', 'store'])
    expect((await memory.findApplication(application.id))?.keys[0]?.lastUsedAt).toBeGreaterThan(0)
    const query = {
      applicationId: application.id,
      api: undefined,
      from: '2000-01-01',
      to: '2100-01-01',
      by: 'day',
      after: undefined,
      limit: 10,
    }
    expect(await memory.usage.list(query as Parameters<typeof memory.usage.list>[0])).toHaveLength(1)
  })

  it('is started once, although the start of another fails and is tried again', async () => {
    const starts = { first: 0, second: 0 }
    const auth = open([
      feature('first', () => ({ start: () => void (starts.first += 1) })),
      feature('second', () => ({
        start() {
          starts.second += 1
          if (starts.second < 3) throw new Error('not yet')
        },
      })),
    ])
    await auth.ready()
    expect(starts).toEqual({ first: 1, second: 3 })
  })
})

describe('a store without parts', () => {
  it('is given no e-mails, and refuses to notify', async () => {
    const { emails: _emails, usage: _usage, signIns: _signIns, imports: _imports, ...memory } = memoryStore()
    const given: unknown[] = []
    const store: typeof memory = {
      ...memory,
      saveApplication: (record, audit, ...queued) => {
        given.push(...queued)
        return memory.saveApplication(record, audit)
      },
    }
    const auth = createPlatformAuth({
      baseUrl: 'https://api.example.com',
      apis: APIS,
      store,
      logger: recordingLogger(),
    })
    onTestFinished(() => auth.close())
    const { application } = await auth.applications.create({
      name: 'Shop',
      contact: 'a@shop.example',
      apis: ['catalog'],
    })
    const { id } = application
    const error = { code: 'invalid_state', message: 'The store has no part `emails`, so it can notify nobody.' }
    await expect(auth.applications.suspend(id, { notify: true })).rejects.toMatchObject(error)
    await auth.applications.suspend(id)
    await auth.applications.resume(id)
    await auth.applications.update(id, { contact: 'b@shop.example' })
    await auth.applications.addContact(id, 'c@shop.example')
    await auth.applications.rotateKey(id)
    await auth.applications.removeContact(id, 'c@shop.example')
    await auth.applications.recover(id, { contact: 'd@shop.example' })
    await auth.applications.delete(id)
    expect(given).toEqual([])
  })
})

describe('a store that lacks what it seems to have', () => {
  it.each([
    [{ emails: null }, 'store has no part `emails`, which emails() needs.'],
    [{ emails: {} }, 'store has no call emails.lease().'],
    [{ emails: { ...memoryStore().emails, save: 1 } }, 'store has no call emails.save().'],
    [{ listAudit: undefined }, 'store has no call listAudit().'],
  ])('is refused: %j', (changed, message) => {
    const store = { ...memoryStore(), ...changed } as ReturnType<typeof memoryStore>
    const options = { baseUrl: 'https://api.example.com', apis: APIS, store, logger: recordingLogger() }
    const create = () => createPlatformAuth({ ...options, features: [emails({ mailer: memoryMailer() })] })
    expect(create).toThrow(message)
  })
})
