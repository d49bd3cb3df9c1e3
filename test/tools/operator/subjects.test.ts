import { describe, expect, it } from 'vitest'
import { memoryStore, StoreUnavailableError } from '../../../src/index.js'
import { managementApi } from '../../../src/tools/management/index.js'
import { atEnd } from '../../support/at-end.js'
import { APIS, type TestOptions } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { openOperator, type OperatorApp } from './operator-app.js'

async function openWithApplication(host: OperatorApp) {
  atEnd(() => host.auth.close())
  const apis = { orders: {}, catalog: {} }
  const { application } = await host.auth.applications.create({ name: 'Acme', contact: 'dev@example.com', apis })
  return { id: application.id, key: application.keys[0]!.id, secret: application.secrets[0]!.id }
}

function readHidden(text: string): Readonly<Record<string, string>> {
  const [, form = ''] = /<form method="post"([^]*?)<\/form>/.exec(text) ?? []
  return Object.fromEntries(
    [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value!]),
  )
}

const send = (host: OperatorApp, path: string, body: object) =>
  request(host.app)
    .post(`/staff/operator${path}`)
    .type('form')
    .set({ 'X-Staff': 'alice@example.com', 'Sec-Fetch-Site': 'same-origin' })
    .send(body)

describe('a form of the operator’s pages', () => {
  it('is not there for what its action is not for, and changes nothing if it is sent', async () => {
    const host = await openOperator()
    const { id, key, secret } = await openWithApplication(host)
    await host.auth.applications.disallow(id, 'catalog')
    await host.auth.registration.requestAccess(id, { api: 'invoices' })
    const wrong = {
      [`rotateKey?credential=${key}`]: [secret, 'constructor', ''],
      [`rotateSecret?credential=${secret}`]: [key],
      [`endCredential?credential=${key}`]: ['constructor', id],
      'approveAccess?api=invoices': ['weather', 'orders', '__proto__'],
      'denyAccess?api=invoices': ['orders'],
      'grant?api=catalog': ['orders', 'nowhere'],
      'allow?api=orders': ['catalog', 'weather'],
      'limit?api=orders': ['catalog', '__proto__'],
      'disallow?api=orders': ['weather'],
      'signOut?at=0': ['1', '-1', '00x'],
    }
    for (const [right, others] of Object.entries(wrong)) {
      const form = await host.get(`/applications/${id}/${right}`)
      expect([right, form.status]).toEqual([right, 200])
      const fields = { plan: 'gold', scopes: 'orders:read', overlap: '86400', deliver: 'here' }
      for (const other of others) {
        const path = `/applications/${id}/${right.replace(/[^=]*$/, other)}`
        expect([path, (await host.get(path)).status]).toEqual([path, 404])
        expect([path, (await send(host, path, { ...readHidden(form.text), ...fields })).status]).toEqual([path, 409])
      }
    }
    for (const path of [
      `replaceKeySet?credential=${secret}`,
      `reloadKeySet?credential=${secret}`,
      'removeContact?at=0',
    ])
      expect([path, (await host.get(`/applications/${id}/${path}`)).status]).toEqual([path, 404])
    expect((await host.auth.audit.list({ by: 'operator:alice@example.com' })).items).toEqual([])
  })

  it('that approves access shows the plan that the application has', async () => {
    const host = await openOperator()
    const { id } = await openWithApplication(host)
    await host.auth.plans.set(id, 'gold')
    await host.auth.registration.requestAccess(id, { api: 'invoices' })
    const { text } = await host.get(`/applications/${id}/approveAccess?api=invoices`)
    const [, plans = ''] = /<select[^>]*name="plan"[^>]*>([^]*?)<\/select>/.exec(text) ?? []
    expect(plans).toMatch(/value="gold" selected/)
  })

  it('is about nothing that Object.prototype has', async () => {
    const host = await openOperator()
    const { id } = await openWithApplication(host)
    const read = async (action: string) =>
      (await host.get(`/applications/${id}/${action}`)).text.replaceAll(
        /(?:name="(?:token|version)" value|nonce)="[^"]*"/g,
        '',
      )
    const before = [await read('suspend'), await read('edit')]
    const polluted = { credential: 'x', api: 'orders', kid: 'x', address: 'x@example.com' }
    for (const [member, value] of Object.entries(polluted)) {
      // oxlint-disable-next-line no-extend-native
      Object.defineProperty(Object.prototype, member, { value, configurable: true, writable: true })
    }
    try {
      expect([await read('suspend'), await read('edit')]).toEqual(before)
    } finally {
      for (const member of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, member)
    }
  })

  it.each([
    ['answers again', false],
    ['is still down', true],
  ])('says that the change may have been made, where the store did not say so and %s', async (_, isDown) => {
    const calls = memoryStore()
    let isLost = false
    const store: typeof calls = {
      ...calls,
      async saveApplication(...args) {
        const saved = await calls.saveApplication(...args)
        if (args[0].name !== 'Made') return saved
        isLost = isDown
        throw new StoreUnavailableError('The connection was lost.', { outcome: 'unknown' })
      },
      async findApplication(id) {
        if (isLost) throw new StoreUnavailableError('There is no connection.')
        return calls.findApplication(id)
      },
    }
    const host = await openOperator({}, undefined, { store })
    atEnd(() => host.auth.close())
    const hidden = readHidden((await host.get('/do/create')).text)
    const { status, text } = await send(host, '/do/create', {
      ...hidden,
      name: 'Made',
      apis: 'weather',
      deliver: 'here',
    })
    expect(status).toBe(503)
    expect(text).toContain('The change may have been made')
  })
})

describe('an operator who may not do everything', () => {
  type Context = { readonly scope: string; readonly applicationId: string | undefined }
  const openFor = async (may: (context: Context) => boolean) => {
    const can = (_operator: string, _action: string, context: Context) => may(context)
    const host = await openOperator({ can }, undefined, {
      apis: { ...APIS, management: managementApi },
    } as TestOptions)
    const { id } = await openWithApplication(host)
    const { applications } = host.auth
    const { application: robot } = await applications.create({ name: 'Robot', apis: ['management' as never] })
    const { application: service } = await applications.create({ name: 'Service', resourceServer: ['orders'] })
    return { host, id, guarded: [robot.id, service.id] }
  }
  const may = ({ scope }: Context) => scope.startsWith('applications:') || scope === 'credentials:write'

  it('gives no access to management, makes no resource server, and changes neither', async () => {
    const { host, id, guarded } = await openFor(may)
    const create = await host.get('/do/create')
    expect(create.text).not.toContain('management')
    const asked = { ...readHidden(create.text), name: 'Mine', apis: 'management credentials:write', deliver: 'here' }
    expect((await send(host, '/do/create', asked)).status).toBe(400)
    const edit = readHidden((await host.get(`/applications/${id}/edit`)).text)
    for (const path of ['grant?api=management', 'resourceServer']) {
      expect([path, (await host.get(`/applications/${id}/${path}`)).status]).toEqual([path, 404])
      const fields = { ...edit, scopes: 'credentials:write', resourceServer: 'orders' }
      expect([path, (await send(host, `/applications/${id}/${path}`, fields)).status]).not.toEqual([path, 303])
    }
    expect((await host.get(`/applications/${id}`)).text).not.toContain('api=management')
    for (const each of guarded) {
      const page = await host.get(`/applications/${each}`)
      expect([page.status, page.text.match(/href="[^"]*\/(?:edit|addKey|contact|suspend|grant)\b/g)]).toEqual([
        200,
        null,
      ])
      for (const action of ['edit', 'addKey', 'contact', 'suspend', 'grant?api=weather'])
        expect([action, (await host.get(`/applications/${each}/${action}`)).status]).toEqual([action, 404])
    }
    const { items } = await host.auth.applications.list({ limit: 10 })
    expect(items.map(({ name, apis }) => [name, Object.keys(apis)])).toEqual([
      ['Acme', ['orders', 'catalog']],
      ['Robot', ['management']],
      ['Service', []],
    ])
  })

  it.each<readonly [string, (own: string, context: Context) => boolean]>([
    ['his own application', (own, { applicationId }) => applicationId === own],
    ['each application', (_own, { applicationId }) => applicationId !== undefined],
    [
      'his own application, and what is about none',
      (own, { applicationId }) => [own, undefined].includes(applicationId),
    ],
  ])('is one who may do everything with %s', async (_, mayWith) => {
    let own = ''
    const { host, id } = await openFor((context) => mayWith(own, context))
    own = id
    const paths = ['edit', 'grant?api=management', 'resourceServer'].map((path) => `/applications/${id}/${path}`)
    const answers = await Promise.all(paths.map((path) => host.get(path)))
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404])
  })

  it('is none where everything is allowed', async () => {
    const { host, id, guarded } = await openFor(() => true)
    for (const path of [`${id}/grant?api=management`, `${id}/resourceServer`, ...guarded.map((each) => `${each}/edit`)])
      expect([path, (await host.get(`/applications/${path}`)).status]).toEqual([path, 200])
  })
})
