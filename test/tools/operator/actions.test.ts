import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { OPERATIONS } from '../../../src/tools/operations/perform.js'
import { ACTIONS, type ActionName } from '../../../src/tools/operator/actions.js'
import { EXPRESSES } from '../../support/platform.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { request, type Response, type Test } from '../../support/request.js'
import { waitUntil } from '../../support/wait-until.js'
import { createBrowser, readHiddenFields } from '../../features/portal/browser.js'
import { openLink } from '../../features/portal/portal-app.js'
import { HOSTILE, openOperator, type OperatorApp } from './operator-app.js'

type Fields = Readonly<Record<string, string | readonly string[]>>

interface Case {
  /** The state of the application. */
  readonly state?: 'pending' | 'requested' | 'suspended' | 'invited' | 'keySet' | 'bounced'
  readonly query?: string
  readonly enter?: Fields
  /** What the operator then sees, or the effect. */
  readonly shows?: RegExp
}

const JWKS = JSON.stringify({
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
})
const KEY = /epa_key_\w{34}/
const SECRET = /epa_sec_\w{49}/

/** Each action, in the state that it fits, and what is entered. */
const CASES: Readonly<Record<ActionName, Case>> = {
  create: { enter: { name: 'Made', apis: ['orders orders:read', 'weather'] }, shows: SECRET },
  register: { enter: { name: 'Registered', contact: 'new@example.com', apis: 'weather' }, shows: /new@example\.com/ },
  approve: { state: 'pending', enter: { apis: 'orders orders:read', plan: 'gold', note: HOSTILE }, shows: /gold/ },
  deny: { state: 'pending', enter: { reason: 'Not now' }, shows: /Deleted/ },
  approveAccess: { state: 'requested', query: '?api=invoices', enter: { note: HOSTILE }, shows: /Invoices|invoices/ },
  denyAccess: { state: 'requested', query: '?api=invoices', enter: { reason: 'No' }, shows: /accessRejected/ },
  resume: { state: 'suspended', shows: /Active/ },
  edit: { enter: { name: 'Renamed', networks: '203.0.113.0/24 2001:db8::/32', metadata: '{"a":1}' }, shows: /Renamed/ },
  plan: { enter: { plan: 'gold' }, shows: /gold/ },
  resourceServer: {
    enter: { resourceServer: ['orders', 'weather'] },
    shows: /Resource server for[^]*Orders, weather/,
  },
  addKey: { enter: { name: 'till', expiresAt: '2031-01-31', apis: 'catalog' }, shows: KEY },
  addSecret: { enter: { name: 'till' }, shows: SECRET },
  addKeySet: { enter: { name: 'hsm', jwks: JWKS }, shows: /hsm/ },
  rotateKey: { query: '?credential=KEY', enter: { overlap: '3600' }, shows: KEY },
  rotateSecret: { query: '?credential=SECRET', enter: { overlap: '0', revokeTokens: 'on' }, shows: SECRET },
  replaceKeySet: {
    state: 'keySet',
    query: '?credential=SET',
    enter: { jwks: JWKS },
    shows: /credentialReplaced|keySet|Key set/,
  },
  reloadKeySet: { state: 'keySet', query: '?credential=SET', shows: /keySet|Key set/ },
  changeCredential: { query: '?credential=KEY', enter: { name: 'renamed' }, shows: /renamed/ },
  endCredential: { query: '?credential=KEY', shows: /credentialEnded|application\.\w+/ },
  grant: { query: '?api=weather', enter: {}, shows: /Weather|weather/ },
  allow: { query: '?api=orders', enter: { scopes: 'orders:read' }, shows: /accessChanged/ },
  limit: {
    query: '?api=orders',
    enter: { limit: '7', window: '60', until: '2031-01-31' },
    shows: /Own limit: 7 requests in 60 seconds/,
  },
  disallow: { query: '?api=orders', shows: /removed the access of[^]*to Orders/ },
  contact: { enter: { contact: 'other@example.com' }, shows: /other@example\.com/ },
  addContact: { enter: { address: 'second@example.com' }, shows: /second@example\.com/ },
  invite: { enter: { address: 'guest@example.com' }, shows: /guest@example\.com/ },
  removeContact: { query: '?at=1', shows: /contactRemoved/ },
  signOut: { query: '?at=0' },
  cancelInvitation: { state: 'invited', query: '?at=0', shows: /invitationCancelled|application\.\w+/ },
  retryEmails: { state: 'bounced', shows: /Done: Send again/ },
  cancelEmails: { state: 'bounced', shows: /Done: Cancel e-mails/ },
  revokeTokens: { shows: /tokensRevoked/ },
  suspend: { enter: { reason: HOSTILE, revokeTokens: 'on' }, shows: /Suspended/ },
  recover: { enter: { contact: 'owner@example.com' }, shows: SECRET },
  delete: { enter: { confirm: 'Acme' }, shows: /Deleted/ },
  rotateSigningKey: {},
  revokeSigningKey: { query: '?kid=KID' },
  endSessions: {},
  retryAllEmails: { state: 'bounced' },
}

const OWN = { 'X-Staff': 'alice@example.com', 'Sec-Fetch-Site': 'same-origin' }

/** What a browser would send of the form of a page. */
function readForm(text: string): Record<string, string | string[]> {
  const form = /<form method="post"[^]*?<\/form>/.exec(text)?.[0] ?? ''
  const decode = (value: string): string =>
    value.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  const fields: Record<string, string | string[]> = {}
  const add = (name: string, value: string): void => {
    const known = fields[name]
    fields[name] = known === undefined ? decode(value) : [known, decode(value)].flat()
  }
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const [, name = ''] = /name="([^"]*)"/.exec(tag) ?? []
    if (!tag.includes('type="checkbox"') || tag.includes(' checked')) add(name, /value="([^"]*)"/.exec(tag)?.[1] ?? '')
  }
  for (const [, attributes = '', options = ''] of form.matchAll(/<select([^>]*)>([^]*?)<\/select>/g)) {
    const [, chosen] = /value="([^"]*)"\s+selected/.exec(options) ?? /value="([^"]*)"/.exec(options) ?? []
    add(/name="([^"]*)"/.exec(attributes)![1]!, chosen ?? '')
  }
  for (const [, name = '', value = ''] of form.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>\n([^<]*)/g))
    add(name, value)
  return fields
}

describe.each(Object.entries(EXPRESSES))('actions on %s', (version, express) => {
  let host: OperatorApp
  let denied: string | undefined
  let asked = 0
  /** The session of a contact at the portal: its cookie, and what its forms carry. */
  let contactsCookie: string
  let contactsToken: string
  /** The contact whose mailbox takes nothing. */
  let bounced: string | undefined

  beforeAll(async () => {
    host = await openOperator({ can: (_operator, action) => action !== denied }, express)
    await host.auth.applications.create({ name: 'Own', contact: 'contact@example.com', apis: { orders: {} } })
    const browser = createBrowser(host.app as never)
    await browser.get()
    await browser.submit('/sign-in', { contact: 'contact@example.com' })
    const readLink = () => /https:\S+\/sign-in#\S+/.exec(host.mailer.emails.at(-1)?.text ?? '')?.[0]
    await waitUntil(() => readLink() !== undefined)
    await openLink(browser, readLink()!)
    await waitUntil(() => browser.page.text.includes('Sign out'))
    contactsCookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    contactsToken = readHiddenFields(browser.page.text)['csrf']!
  })
  afterAll(() => host.auth.close())

  /** The address of an action's form, about a new application in the state that it fits. */
  async function prepare(name: ActionName): Promise<string> {
    const { state, query = '' } = CASES[name]
    const isAboutOne = Object.hasOwn(ACTIONS[name], 'fits')
    if (!isAboutOne && state !== 'bounced')
      return `/do/${name}${query.replace('KID', (await host.auth.signingKeys.list()).items[0]!.kid)}`
    const { applications, registration, portal, emails } = host.auth
    const contact = `${state === 'bounced' ? 'bounce' : 'dev'}${asked++}@example.com`
    if (state === 'pending') {
      const { application } = await registration.register({ name: 'Acme', contact, apis: { orders: {}, catalog: {} } })
      return `/applications/${application.id}/${name}`
    }
    const { application } = await applications.create({ name: 'Acme', contact, apis: { orders: {}, catalog: {} } })
    const { id, keys, secrets } = application
    const ids = { KEY: keys[0]!.id, SECRET: secrets[0]!.id, SET: '' }
    await applications.addContact(id, `second-${contact}`)
    if (state === 'suspended') await applications.suspend(id)
    if (state === 'invited') await portal.invite(id, `third-${contact}`)
    if (state === 'keySet') {
      const added = await applications.addKeySet(id, { name: 'hsm', jwksUri: 'https://partner.example/jwks.json' })
      ids.SET = added.credential.id
    }
    if (state === 'requested') {
      const { requestAccess } = host.core.find('registration')!
      await requestAccess(() => undefined, id, { api: 'invoices', scopes: [], by: `contact:${contact}` })
    }
    if (state === 'bounced') {
      await applications.rotateKey(id, { deliver: 'email' })
      await waitUntil(async () => (await emails.list({ applicationId: id })).items[0]?.problem !== undefined)
      bounced = id
    }
    return isAboutOne
      ? `/applications/${id}/${name}${query.replace(/KEY|SECRET|SET/, (each) => ids[each as keyof typeof ids])}`
      : `/do/${name}`
  }

  const post = (path: string, fields: Fields, headers: Readonly<Record<string, string>> = OWN): Test =>
    request(host.app).post(`/staff/operator${path}`).type('form').set(headers).send(fields)

  /** All that changes may change. E-mails are sent meanwhile, but those that wait for a decision or for their next attempt. */
  async function readState(): Promise<string> {
    const { auth, store } = host
    const { items } = await auth.audit.list({ order: 'newest', limit: 5 })
    const { items: keys } = await auth.signingKeys.list()
    const { items: all } = await auth.applications.list({ limit: 1000 })
    const query = { applicationId: undefined, limit: 1000 }
    const held = await store.emails.list({ ...query, state: 'held' })
    const waiting = bounced && (await store.emails.list({ ...query, applicationId: bounced, state: 'due' }))
    return JSON.stringify([items, keys, all, held, waiting, await store.establishSecret('session', 'x')])
  }

  /** Somebody else changes what the form of an action shows. */
  async function changeMeanwhile(name: ActionName, path: string): Promise<void> {
    const { place } = ACTIONS[name]
    if (place === 'keys' || place === 'signingKey') await host.auth.signingKeys.rotate({ immediately: true })
    const id = path.split('/')[2]!
    if (path.startsWith('/applications/')) await host.auth.applications.update(id, { metadata: { changed: asked++ } })
  }

  async function follow(response: Response): Promise<string> {
    if (response.status !== 303) return response.text
    const { location } = response.headers as Record<string, string>
    expect(location).toMatch(/^\/staff\/operator\//)
    return (await request(host.app).get(location!).set(OWN)).text
  }

  it('has an action for each operation that changes something', () => {
    const performed = new Set(Object.values(ACTIONS).map(({ operation }) => operation))
    expect(
      OPERATIONS.filter(({ changes, name }) => changes !== 'nothing' && !performed.has(name)).map(({ name }) => name),
    ).toEqual([])
  })

  const names = Object.keys(ACTIONS) as ActionName[]
  const isSample = version !== 'Express 5' && !IS_LONG_LANE
  it.each(isSample ? names.filter((_, at) => at % 6 === 0) : names)(
    '%s: performs it once, for its operator, and for nobody else',
    async (name) => {
      const { enter, shows } = CASES[name]
      const path = await prepare(name)
      const page = await host.get(path)
      expect(page.status, page.text.slice(-2000)).toBe(200)
      const old = { ...readForm(page.text), ...enter }
      await changeMeanwhile(name, path)
      const form = { ...readForm((await host.get(path)).text), ...enter }
      const before = await readState()
      const { 'X-Staff': alice } = OWN
      const own = { 'Sec-Fetch-Site': 'same-origin' }
      const contacts = { ...own, Cookie: contactsCookie }
      const stale = old['version'] === form['version'] ? { ...form, version: '0' } : old
      const forged = String(form['token']).replace(/^.{20}/, (start) => start.split('').toReversed().join(''))
      const elsewhere = path.replace(name, name === 'create' ? 'register' : 'create')
      const attempts: readonly (readonly [attack: string, status: number, send: () => Test])[] = [
        ['no sign-in', 403, () => post(path, form, own)],
        ['another origin', 403, () => post(path, form, { ...OWN, 'Sec-Fetch-Site': 'cross-site' })],
        ['the same site', 403, () => post(path, form, { ...OWN, 'Sec-Fetch-Site': 'same-site' })],
        [
          'another origin, by Origin',
          403,
          () => post(path, form, { 'X-Staff': alice, Origin: 'https://evil.example' }),
        ],
        ['no origin', 403, () => post(path, form, { 'X-Staff': alice })],
        ['an opaque origin', 403, () => post(path, form, { 'X-Staff': alice, Origin: 'null' })],
        ['a forged form', 403, () => post(path, { ...form, token: forged })],
        ['no token', 403, () => post(path, { ...form, token: '' })],
        ['another operator’s form', 403, () => post(path, form, { ...OWN, 'X-Staff': 'mallory@example.com' })],
        ['the form of another page', 403, () => post(elsewhere, form)],
        ['a portal session', 403, () => post(path, form, contacts)],
        ['a portal session’s form', 403, () => post(path, { ...form, token: contactsToken }, contacts)],
        ['a portal session’s form, sent by the operator', 403, () => post(path, { ...form, token: contactsToken })],
        ['a portal session that looks', 403, () => request(host.app).get(`/staff/operator${path}`).set(contacts)],
        ['a stale form', 409, () => post(path, stale)],
        // The page with its form, which does nothing.
        ['GET with the fields of the form', 200, () => host.get(path, own).query(form)],
        ['PUT', 405, () => request(host.app).put(`/staff/operator${path}`).type('form').set(OWN).send(form)],
      ]
      // Each action meets a third of them in `npm test`, and each of them a third of the actions.
      const chosen = attempts.filter((_, at) => IS_LONG_LANE || (at + names.indexOf(name)) % 3 === 0)
      for (const [attack, status, send] of chosen) expect([attack, (await send()).status]).toEqual([attack, status])
      denied = ACTIONS[name].operation
      expect((await post(path, form)).status).toBe(404)
      expect((await host.get(path)).status).toBe(404)
      denied = undefined
      expect(await readState()).toBe(before)

      const done = await post(path, form)
      // What shows a credential once cannot redirect; a reload sends that form again, which then does nothing.
      const isIssued = KEY.test(done.text) || SECRET.test(done.text)
      expect(done.status, done.text.slice(-3000)).toBe(isIssued ? 200 : 303)
      expect(done.headers['cache-control']).toBe('no-store')
      expect(done.headers['location'] ?? '').not.toMatch(/epa_/)
      const text = await follow(done)
      if (shows) expect(text).toMatch(shows)
      expect(text).not.toContain('<script>alert')
      const operation = OPERATIONS.find((each) => each.name === ACTIONS[name].operation)!
      if (operation.audited && name !== 'rotateSigningKey') {
        const { items } = await host.auth.audit.list({ order: 'newest', limit: 3, by: 'operator:alice@example.com' })
        expect(items.length, name).toBeGreaterThan(0)
      }
      if (operation.changes !== 'application' || name === 'register') return
      const after = await readState()
      expect((await post(path, form)).status).toBe(409)
      expect(await readState()).toBe(after)
    },
  )

  it('create an application whose contact gets the credentials by e-mail, for who may register one', async () => {
    expect((await host.get('/applications')).text).not.toContain('/do/register')
    const form = readForm((await host.get('/do/create')).text)
    const mailed = { ...form, name: 'Mailed', apis: 'catalog', deliver: 'email' }
    expect((await post('/do/create', mailed)).text).toContain('“E-mail address” was not accepted.')
    const { status, text, headers } = await post('/do/create', { ...mailed, contact: 'mailed@example.com' })
    expect([status, text]).toEqual([303, expect.not.stringMatching(/epa_(?:key|sec)_/)])
    await waitUntil(() => host.mailer.emails.some(({ to }) => to === 'mailed@example.com'))
    expect((await host.auth.applications.get(headers['location']!.split('/').at(-1)!.split('?')[0]!))?.name).toBe(
      'Mailed',
    )
    denied = 'registration.register'
    const later = { ...mailed, ...readForm((await host.get('/do/create')).text), contact: 'later@example.com' }
    expect((await post('/do/create', later)).text).toContain('Nothing was done')
    expect((await host.get('/do/create')).text).not.toContain('name="deliver"')
    denied = 'applications.create'
    expect((await host.get('/applications')).text).toContain('/do/register')
    denied = undefined
  })

  it('approve fewer scopes than requested: at no time there are more', async () => {
    const path = await prepare('approve')
    const id = path.split('/')[2]!
    const form = readForm((await host.get(path)).text)
    expect((await post(path, { ...form, apis: [] })).status).toBe(400)
    await post(path, { ...form, apis: 'orders orders:write', plan: 'gold' }).expect(303)
    const { apis, plan } = (await host.auth.applications.get(id))!
    expect([apis, plan]).toEqual([{ orders: { scopes: ['orders:write'] } }, 'gold'])
    await waitUntil(async () => (await host.auth.applications.get(id))!.keys.length === 1)
    const access = await prepare('approveAccess')
    await post(access, readForm((await host.get(access)).text)).expect(303)
    expect(Object.keys((await host.auth.applications.get(access.split('/')[2]!))!.apis)).toContain('invoices')
  })

  it('tell the contact a word with an approval, as text', async () => {
    const { applications, registration } = host.auth
    const contact = `word${asked++}@example.com`
    const { application } = await registration.register({ name: 'Word', contact, apis: { orders: {} } })
    const path = `/applications/${application.id}/approve`
    const { text } = await host.get(path)
    const form = readForm(text)
    for (const note of ['x'.repeat(501), 'a\u0007b'])
      expect((await post(path, { ...form, apis: 'orders orders:read', note })).status).toBe(400)
    expect((await applications.get(application.id))!.apis.orders!.scopes).toContain('orders:write')
    await post(path, { ...form, note: HOSTILE }).expect(303)
    const sent = () => host.mailer.emails.findLast(({ to }) => to === contact)
    await waitUntil(() => sent() !== undefined)
    expect(sent()!.text).toContain(`The operator writes: ${HOSTILE}`)
    expect(sent()!.html).not.toContain('<script>alert')
    const { items } = await host.auth.audit.list({ applicationId: application.id, type: 'application.approved' })
    expect(items[0]!.details).toEqual({ note: HOSTILE })
  })

  it('approve fewer scopes of a request in one step, of which the contact learns', async () => {
    const { applications } = host.auth
    const contact = `fewer${asked++}@example.com`
    const { id } = (await applications.create({ name: 'Fewer', contact, apis: { catalog: {} } })).application
    const { requestAccess } = host.core.find('registration')!
    const scopes = ['orders:read', 'orders:write']
    await requestAccess(() => undefined, id, { api: 'orders', scopes, by: `contact:${contact}` })
    const path = `/applications/${id}/approveAccess?api=orders`
    const form = readForm((await host.get(path)).text)
    expect((await post(path, { ...form, scopes: [] })).status).toBe(400)
    expect((await post(path, { ...form, scopes: 'orders:delete' })).status).toBe(400)
    await post(path, { ...form, scopes: 'orders:read', note: 'Read only, for now.' }).expect(303)
    expect((await applications.get(id))!.apis.orders).toEqual({ scopes: ['orders:read'] })
    await waitUntil(() =>
      host.mailer.emails.some(({ to, text }) => to === contact && text.includes('Read only, for now.')),
    )
  })

  it('approve nothing that was not asked for, and choose a plan only with the right to set one', async () => {
    const path = await prepare('approve')
    const form = readForm((await host.get(path)).text)
    const more = { ...form, apis: ['orders orders:write', 'invoices'] }
    expect((await post(path, more)).status).toBe(400)
    denied = 'plans.set'
    try {
      expect((await host.get(path)).text).not.toContain('name="plan"')
      // As the form that was opened with the right does: nothing is approved without what was chosen.
      await post(path, { ...form, plan: 'gold' }).expect(409)
      await post(path, form).expect(303)
    } finally {
      denied = undefined
    }
    expect((await host.auth.applications.get(path.split('/')[2]!))!.plan).not.toBe('gold')
  })

  it('change the credential that the form shows, and show no private key again', async () => {
    const path = await prepare('changeCredential')
    const form = readForm((await host.get(path)).text)
    const read = async () => (await host.auth.applications.get(path.split('/')[2]!))!
    const { secrets } = await read()
    await post(path, { ...form, name: 'renamed', credentialId: secrets[0]!.id }).expect(303)
    const { keys, secrets: left } = await read()
    expect([keys[0]!.name, left[0]!.name]).toEqual(['renamed', 'default'])
    const adding = await prepare('addKeySet')
    const jwks = "{'kty':'EC','d':'private'}"
    const answer = await post(adding, { ...readForm((await host.get(adding)).text), name: 'bank', jwksUri: '', jwks })
    expect([answer.status, answer.text.includes('private&#39;'), answer.text.includes("'private'")]).toEqual([
      400,
      false,
      false,
    ])
  })

  it('take a name as it was entered, also one that is the value of a choice', async () => {
    const form = readForm((await host.get('/do/create')).text)
    const answer = await post('/do/create', { ...form, name: 'here', apis: 'weather' })
    expect([answer.status, KEY.test(answer.text)]).toEqual([200, true])
    expect((await host.auth.applications.list({ name: 'here' })).items).toHaveLength(1)
  })

  it('take nothing that a form entered in place of what its address names', async () => {
    const { contacts } = (await host.auth.applications.list({ contact: 'contact@example.com' })).items[0]!
    const others = { contact: contacts[0]!, address: contacts[0]!, api: 'weather', kid: 'x', credential: 'x' }
    const readDone = () => host.auth.audit.list({ order: 'newest', limit: 1, by: 'operator:alice@example.com' })
    const named = names.filter((name) => CASES[name].query !== undefined)
    const addresses = ['', '?api=none&credential=cred_x&at=7&kid=x', '?api=__proto__&at=-1', '?at=length&api=', '?at=']
    for (const name of isSample ? ['signOut' as const] : named) {
      const path = await prepare(name)
      const [place = ''] = path.split('?')
      const form = { ...readForm((await host.get(path)).text), ...CASES[name].enter }
      const before = await readDone()
      for (const address of addresses) {
        expect([name, address, (await host.get(place + address)).status]).toEqual([name, address, 404])
        const sent = [form, { ...form, ...others, credentialId: 'x' }].map((fields) => post(place + address, fields))
        for (const { status } of await Promise.all(sent)) expect([name, address, status]).toEqual([name, address, 409])
      }
      expect(await readDone(), name).toEqual(before)
      if (name === 'signOut') await post(path, { ...form, ...others }).expect(303)
      expect(await host.store.signIns.listSignOuts([`contact:${contacts[0]}`]), name).toEqual([])
    }
  })

  it('answers an address of slashes alone', async () => {
    expect((await host.get('//')).status).toBe(200)
  })

  it('names the field of each refusal by its label, marks it, and keeps what was entered', async () => {
    const long = 'x'.repeat(501)
    const inputs: readonly (readonly [ActionName, Fields, field: string, label: string, problem?: RegExp])[] = [
      ['create', { name: '' }, 'name', 'Name', /Fill this in/],
      ['create', { name: 'A', contact: 'nobody', apis: 'weather' }, 'contact', 'E-mail address', /^[^]*plain e-mail/],
      ['create', { name: 'A' }, 'apis', 'APIs and scopes'],
      ['create', { name: 'A', apis: 'weather', language: 'xx' }, 'language', 'E-mail language'],
      ['create', { name: 'A', apis: 'weather', externalId: 'a\u0007' }, 'externalId', 'External id'],
      ['register', { name: HOSTILE.repeat(9), contact: 'a@example.com', apis: 'weather' }, 'name', 'Name'],
      ['register', { name: 'A', contact: 'http://a', apis: 'weather' }, 'contact', 'E-mail address'],
      ['approve', { apis: [] }, 'apis', 'APIs and scopes', /Choose at least one/],
      ['approve', { apis: 'orders orders:read', note: long }, 'note', 'Message to the contact'],
      ['approve', { apis: 'orders orders:read', plan: 'iron' }, 'plan', 'Plan'],
      ['deny', { reason: long }, 'reason', 'Reason'],
      ['approveAccess', { note: long }, 'note', 'Message to the contact', /At most 500/],
      ['denyAccess', { reason: 'a\u0007' }, 'reason', 'Reason'],
      ['edit', { name: HOSTILE.repeat(9) }, 'name', 'Name', /It must be 1 to 100 characters/],
      ['edit', { metadata: '{' }, 'metadata', 'Metadata (JSON)', /This is not JSON/],
      ['edit', { metadata: '[]' }, 'metadata', 'Metadata (JSON)'],
      ['edit', { networks: 'nowhere' }, 'networks', 'Allowed networks', /It has "nowhere", which is no network/],
      ['plan', { plan: 'iron' }, 'plan', 'Plan'],
      ['resourceServer', { resourceServer: 'none' }, 'resourceServer', 'Resource server for'],
      ['addKey', { name: 'default' }, 'name', 'Name', /There is a live key/],
      ['addKey', { name: 'a', expiresAt: '2001-01-31' }, 'expiresAt', 'Expires on', /not in the future\.$/],
      ['addKey', { name: 'a', expiresAt: 'soon' }, 'expiresAt', 'Expires on'],
      ['addKey', { name: 'a', apis: 'weather' }, 'apis', 'APIs and scopes'],
      ['addSecret', { name: 'a', networks: 'nowhere' }, 'networks', 'Allowed networks'],
      [
        'addKeySet',
        { name: 'a' },
        'jwksUri',
        'Address of the keys (https)',
        /either “Or the keys as a JWK Set” or “Address of the keys \(https\)”/,
      ],
      ['addKeySet', { name: 'a', jwksUri: 'http://a.example' }, 'jwksUri', 'Address of the keys (https)'],
      ['addKeySet', { name: 'a', jwks: '{}' }, 'jwks', 'Or the keys as a JWK Set'],
      ['replaceKeySet', { jwks: '{' }, 'jwks', 'Or the keys as a JWK Set'],
      ['rotateKey', { overlap: '7' }, 'overlap', 'Keep the old one working for', /Choose at least one/],
      ['rotateSecret', { overlap: '7' }, 'overlap', 'Keep the old one working for', /Choose at least one/],
      ['changeCredential', { name: '' }, 'name', 'Name'],
      ['allow', { scopes: 'none' }, 'scopes', 'Scopes', /Choose at least one/],
      ['limit', { limit: '0' }, 'limit', 'Requests', /It must be at least 1/],
      ['limit', { limit: '1', window: '0' }, 'window', 'Seconds'],
      ['limit', { limit: '1', window: '60', until: '2001-01-31' }, 'until', 'Until'],
      ['contact', { contact: 'nobody' }, 'contact', 'E-mail address'],
      ['addContact', { address: 'nobody' }, 'address', 'E-mail address', /It must be one plain/],
      ['invite', { address: 'nobody' }, 'address', 'E-mail address'],
      ['suspend', { reason: long }, 'reason', 'Reason'],
      ['recover', { contact: '' }, 'contact', 'E-mail address'],
      ['delete', { confirm: 'Other' }, 'confirm', 'Confirmation', /not the name/],
    ]
    const withFields = Object.entries(ACTIONS).filter(([, { asks }]) => asks.length > 0)
    const free = ['endCredential', 'grant', 'rotateSigningKey']
    expect(withFields.map(([name]) => name).filter((name) => !inputs.some(([each]) => each === name))).toEqual(free)
    const found: unknown[] = []
    const readDone = () => host.auth.audit.list({ order: 'newest', limit: 1, by: 'operator:alice@example.com' })
    const tried = isSample ? inputs.slice(0, 3) : inputs
    for (const [name, entered, field, , problem = /./] of tried) {
      const path = await prepare(name)
      const before = await readDone()
      host.clock.advance(1)
      const form = { ...readForm((await host.get(path)).text), ...entered }
      const { status, text } = await post(path, form)
      const decoded = text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      const [, target, label, says = ''] =
        /id="(\w+)-problem">“(.*?)” was not accepted\. ([^]*?)<\/p>/.exec(decoded) ?? []
      const isMarked = new RegExp(
        `name="${field}"[^>]* aria-describedby="(?:\\w+-hint )?${field}-problem" aria-invalid="true"`,
      )
      const isSaid = problem.test(says) && !/\w\(\)|[a-z][A-Z][a-z]|\bnull\b/.test(says.replace(/cred_\w+/, ''))
      found.push([name, status, target, label, isSaid ? true : says, isMarked.test(text)])
      // A choice that there is not cannot be shown again.
      const [[id, value]] = Object.entries(entered) as [[string, string]]
      const isKept = ['name', 'contact', 'networks', 'metadata', 'reason', 'limit'].includes(id)
      if (isKept) expect(readForm(text)[id], name).toBe(value)
      expect(text).not.toContain('<script>alert')
      expect(await readDone()).toEqual(before)
    }
    expect(found).toEqual(tried.map(([name, , field, label]) => [name, 400, field, label, true, true]))
    const path = await prepare('edit')
    const german = { ...OWN, 'Accept-Language': 'de' }
    const form = { ...readForm((await host.get(path)).text), networks: 'nirgends' }
    // What the core says is English. What the pages say is not, and is not marked as such.
    const marked = 'wurde nicht angenommen. <span lang="en">It '
    expect((await post(path, form, german)).text).toContain(`„Erlaubte Netze“ ${marked}`)
    const query = await host.get('/audit?from=nothing', german)
    expect([query.status, query.text]).toEqual([400, expect.stringContaining(marked)])
    expect((await post(path, { ...form, name: '' }, german)).text).not.toContain('<span lang="en">')
  })

  it('tells whom it would hit', async () => {
    const path = await prepare('suspend')
    const id = path.split('/')[2]!
    expect((await host.get(path)).text).toContain('No calls in the last 7 days: nobody is affected.')
    const at = host.clock.now()
    const day = (back: number): string => new Date(at - back * 86_400_000).toISOString().slice(0, 10)
    await host.store.usage.add({ id, at }, [
      { day: day(0), applicationId: id, api: 'orders', outcome: 'allowed', count: 1200 },
      { day: day(6), applicationId: id, api: 'catalog', outcome: 'allowed', count: 4 },
      { day: day(7), applicationId: id, api: 'catalog', outcome: 'allowed', count: 1000 },
    ])
    const { keys } = (await host.store.findApplication(id))!
    await host.store.noteCredentialUse([{ hash: keys[0]!.hash, at: at - 180_000 }])
    const { text } = await host.get(path)
    expect(text.replaceAll(/<[^>]*>/g, '')).toMatch(/made 1,204 calls in the last 7 days\.\s+Last used 3 minutes ago\./)
    const { text: ofLink } = await host.get(`${path}?api=Nothing&credential=Nothing&kid=Nothing`)
    expect(ofLink).toContain('1,204 calls')
    expect(ofLink).not.toMatch(/>[^<]*Nothing/)
    const { text: ofApi } = await host.get(path.replace('suspend', 'disallow?api=catalog'))
    expect(ofApi).not.toContain('Last used')
    expect(ofApi).toContain('made 4 calls in the last 7 days.')
    await host.store.usage.add({ id: 'one', at }, [
      { day: day(0), applicationId: id, api: 'weather', outcome: 'allowed', count: 1 },
    ])
    await host.auth.applications.allow(id, 'weather')
    const { text: ofOne } = await host.get(path.replace('suspend', 'disallow?api=weather'))
    expect(ofOne).toContain('made 1 call in')
    const ofCredential = await host.get(path.replace('suspend', `rotateKey?credential=${keys[0]!.id}`))
    expect(ofCredential.text.replaceAll(/<[^>]*>/g, '')).toMatch(
      /made 1,205 calls [^]* This credential was last used 3 minutes ago\./,
    )
  })
})

it('accepts forms without Sec-Fetch-Site whose Origin has the host of the request', async () => {
  const host = await openOperator({}, undefined, { mailer: memoryMailer() })
  const { application } = await host.auth.applications.create({ name: 'Acme', apis: { catalog: {} } })
  const path = `/staff/operator/applications/${application.id}/suspend`
  const page = await request(host.app).get(path).set({ 'X-Staff': 'alice' })
  const send = (origin: string, hosts: object) =>
    request(host.app)
      .post(path)
      .type('form')
      .set({ 'X-Staff': 'alice', Origin: origin, ...hosts })
      .send(readForm(page.text))
  const own = { Host: 'api.example.com' }
  expect((await send('https://api.example.com.evil.example', own)).status).toBe(403)
  expect((await send('file://', { ...own, 'X-Forwarded-Host': '' })).status).toBe(403)
  expect((await send('http://undefined', own)).status).toBe(403)
  expect((await send('https://api.example.com', own)).status).toBe(303)
  // A proxy that replaces the host names it in a header, in which pages of other sites can write nothing.
  const proxied = { Host: '127.0.0.1:3000', 'X-Forwarded-Host': 'ops.example, proxy.example' }
  expect((await send('http://evil.example', proxied)).status).toBe(403)
  // Where the proxy does not, nobody would find the cause by opening the page again.
  const unnamed = await send('http://ops.example', { Host: '127.0.0.1:3000' })
  expect([unnamed.status, unnamed.text]).toEqual([
    403,
    expect.stringContaining('sent from http://ops.example, and the server was asked as 127.0.0.1:3000. Let the proxy'),
  ])
  expect((await send('null', { Host: '127.0.0.1:3000' })).text).toContain('was open for too long')
  expect((await send('http://ops.example', proxied)).status, 'it is suspended already').toBe(409)
  await host.auth.close()
})

it('refuses forms that are 12 hours old, of the time before a start of the clock, and of a former session secret', async () => {
  const host = await openOperator()
  const { application } = await host.auth.applications.create({ name: 'Acme', apis: { catalog: {} } })
  const path = `/staff/operator/applications/${application.id}/revokeTokens`
  const load = async () => readForm((await request(host.app).get(path).set(OWN)).text)
  const send = async (form: Fields) => (await request(host.app).post(path).type('form').set(OWN).send(form)).status
  const old = await load()
  host.clock.advance(12 * 3600 + 1)
  expect(await send(old)).toBe(403)
  const fresh = await load()
  host.clock.advance(-60)
  expect(await send(fresh)).toBe(403)
  host.clock.advance(60)
  await host.auth.sessionSecret.replace()
  expect(await send(fresh)).toBe(403)
  expect(await send(await load())).toBe(303)
  await host.auth.close()
})

it('shows the keys of a registration to who approves it', async () => {
  const apis = { loans: { scheme: 'oauth2', registration: 'manual', clientAuthentication: ['private_key_jwt'] } }
  const options = { background: false as const, apis }
  const host = await openOperator({}, undefined, options)
  for (const [keySet, shown] of [
    [{ jwks: JSON.parse(JWKS) as object }, /Ed25519, SHA-256 kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k/],
    [{ jwksUri: 'https://bank.example/keys' }, /https:\/\/bank\.example\/keys/],
  ] as const) {
    const { application } = await host.auth.registration.register({
      name: 'Bank',
      contact: 'dev@example.com',
      apis: { loans: {} },
      keySet,
    } as never)
    expect((await host.get(`/applications/${application.id}/approve`)).text).toMatch(shown)
  }
  await host.auth.close()
})
