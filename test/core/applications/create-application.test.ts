import { describe, expect, it } from 'vitest'
import type { ApplicationErrorCode } from '../../../src/index.js'
import { describeCredential, expectRefused, onEveryHost } from './operator.js'

onEveryHost((host, { caller }) => {
  describe('create()', () => {
    it('resolves an active application that can use its APIs at once, and no other API', async () => {
      const { application, credentials } = await host.auth.applications.create({
        name: 'Shop',
        contact: 'dev@example.com',
        apis: ['orders', 'catalog'],
      })
      expect(application).toEqual({
        id: expect.stringMatching(/^app_[0-9a-f]{32}$/),
        name: 'Shop',
        contact: 'dev@example.com',
        contacts: ['dev@example.com'],
        invitations: [],
        accessRequests: [],
        status: 'active',
        apis: { orders: { scopes: ['orders:read', 'orders:write'] }, catalog: { scopes: [] } },
        rateLimits: {},
        keys: [describeCredential(credentials.clientId, host.clock.now())],
        secrets: [describeCredential(credentials.clientSecret!, host.clock.now())],
        createdAt: new Date(host.clock.now()),
      })
      const { body } = await caller.token('orders', credentials).expect(200)
      expect(body).toMatchObject({ scope: 'orders:read orders:write' })
      const accessToken = (body as { access_token: string }).access_token
      const seen = await caller.bearer('/orders/items', accessToken).expect(200)
      expect(seen.body).toMatchObject({ api: 'orders', application: { id: application.id, name: 'Shop' } })
      const seenByKey = await caller.key('/catalog/items', credentials.clientId).expect(200)
      expect(seenByKey.body).toMatchObject({ api: 'catalog', application: { id: application.id, name: 'Shop' } })
      await caller.token('invoices', credentials).expect(400, /unauthorized_client/)
      await caller.key('/weather/now', credentials.clientId).expect(403, /access_denied/)
    })

    it('grants the named scopes in the order of the API, and all scopes if none are named', async () => {
      const { application, credentials } = await host.auth.applications.create({
        name: 'Shop',
        apis: { orders: { scopes: ['orders:write', 'orders:write'] }, catalog: {} },
      })
      expect(application.apis).toEqual({ orders: { scopes: ['orders:write'] }, catalog: { scopes: [] } })
      const { body } = await caller.token('orders', credentials).expect(200)
      expect(body).toMatchObject({ scope: 'orders:write' })
      await caller.token('orders', credentials, { scope: 'orders:read' }).expect(400, /invalid_scope/)

      const all = await host.auth.applications.create({
        name: 'Shop',
        apis: { orders: { scopes: ['orders:write', 'orders:read'] }, invoices: {} },
      })
      expect(all.application.apis).toEqual({
        orders: { scopes: ['orders:read', 'orders:write'] },
        invoices: { scopes: [] },
      })
    })

    it('makes no secret for an application that uses key APIs only', async () => {
      const { application, credentials } = await host.auth.applications.create({ name: 'Reader', apis: ['catalog'] })
      expect(credentials).toEqual({ clientId: expect.any(String) })
      expect(application.secrets).toEqual([])
      expect(application.contact).toBeUndefined()
    })

    it('accepts a name of 100 characters', async () => {
      const name = 'n'.repeat(100)
      const { application } = await host.auth.applications.create({ name, apis: ['catalog'] })
      expect((await host.auth.applications.get(application.id))?.name).toBe(name)
    })

    it('trims the name', async () => {
      const { application } = await host.auth.applications.create({ name: '  Café Ω 店 \t', apis: ['catalog'] })
      expect(application.name).toBe('Café Ω 店')
      expect(await host.auth.applications.get(application.id)).toMatchObject({ name: 'Café Ω 店' })
    })

    it.each(BAD_NAMES)('rejects the name %j', async (name) => {
      await expectRefused(
        host.auth.applications.create({ name: name as string, apis: ['catalog'] }),
        'invalid_argument',
        /^name /,
      )
    })

    it.each(BAD_CONTACTS)('rejects the contact %j', async (contact) => {
      const creation = host.auth.applications.create({ name: 'Shop', contact: contact as string, apis: ['catalog'] })
      await expectRefused(creation, 'invalid_argument', /^contact /)
    })

    it.each(GOOD_CONTACTS)('accepts the contact %j', async (contact) => {
      const { application } = await host.auth.applications.create({ name: 'Shop', contact, apis: ['catalog'] })
      expect((await host.auth.applications.get(application.id))?.contact).toBe(contact)
    })

    it.each(BAD_ACCESS)('rejects the apis %j', async (apis, code, message) => {
      const before = await host.auth.audit.list({ limit: 1000 })
      const creation = host.auth.applications.create({ name: 'Shop', apis: apis as never })
      await expectRefused(creation, code, message)
      expect(await host.auth.audit.list({ limit: 1000 })).toEqual(before)
    })
  })
})

const BAD_NAMES = [
  '',
  ' ',
  '\t\n',
  'x'.repeat(101),
  'two\nlines',
  'carriage\rreturn',
  'nul\0',
  'bell\u0007',
  'line\u2028break',
  'turned \u202E around',
  'zero\u200Bwidth',
  '\uD800',
  undefined,
  null,
  7,
  {},
  ['Shop'],
]

/** One of each kind: `email-address.test.ts` has the others. */
const BAD_CONTACTS = [
  '',
  ' ',
  '@example.com',
  'dev@',
  'dev@@example.com',
  'a@b.example,c@d.example',
  'Dev <dev@example.com>',
  'dev@example.com\r\nBcc: all@example.com',
  ' dev@example.com',
  '"dev"@example.com',
  '.dev@example.com',
  'de..v@example.com',
  'dev@example.com.',
  'dev@-example.com',
  'dev@[127.0.0.1]',
  'dev@exam_ple.com',
  'dëv@example.com',
  'mailto:dev@example.com',
  'dev(comment)@example.com',
  'dev\u200B@example.com',
  'dev@example.com?cc=all@example.com',
  `dev@${'x'.repeat(64)}.com`,
  `${'x'.repeat(60)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(11)}`,
  null,
  ['dev@example.com'],
]

const GOOD_CONTACTS = [
  'dev@example.com',
  'dev@localhost',
  `o'neill+api_1=2@sub.mail-server.example`,
  `${'x'.repeat(64)}@example.com`,
  `${'x'.repeat(60)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(10)}`,
]

const BAD_ACCESS: readonly (readonly [unknown, ApplicationErrorCode, RegExp])[] = [
  [['ordres'], 'unknown_api', /There is no API "ordres". There are: orders, invoices, catalog, weather\./],
  [['orders', 'constructor'], 'unknown_api', /"constructor"/],
  [['Orders'], 'unknown_api', /"Orders"/],
  [{ ordres: {} }, 'unknown_api', /"ordres"/],
  [JSON.parse('{ "__proto__": {} }'), 'unknown_api', /"__proto__"/],
  [{ orders: { scopes: ['orders:reed'] } }, 'unknown_scope', /"orders:reed".*orders:read, orders:write/],
  [{ orders: { scopes: ['orders:read orders:write'] } }, 'unknown_scope', /has no scope/],
  [{ orders: { scopes: ['toString'] } }, 'unknown_scope', /has no scope/],
  [{ catalog: { scopes: ['orders:read'] } }, 'unknown_scope', /It has none/],
  [{ orders: { scopes: 'orders:read' } }, 'invalid_argument', /scopes/],
  [{ orders: { scope: ['orders:read'] } }, 'invalid_argument', /scope/],
  [{ orders: 'orders:read' }, 'invalid_argument', /orders/],
  [{ orders: ['orders:read'] }, 'invalid_argument', /orders/],
  [{ orders: null }, 'invalid_argument', /orders/],
  [{ orders: undefined }, 'invalid_argument', /orders/],
  [[], 'invalid_argument', /apis is empty/],
  [{}, 'invalid_argument', /apis is empty/],
  ['orders', 'invalid_argument', /apis must be/],
  [undefined, 'invalid_argument', /apis must be/],
  [null, 'invalid_argument', /apis must be/],
]
