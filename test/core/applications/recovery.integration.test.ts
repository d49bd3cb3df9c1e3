import { describe, expect, it, onTestFinished } from 'vitest'
import { type MemoryMailer } from '../../../src/tools/testing/index.js'
import { memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { openPortalApp, visit } from '../../features/portal/pages-app.js'
import { readCredentials } from './applicant.js'
import type { TestOptions } from '../../support/platform.js'

const LOST = 'dev@acme.example'
const THIEF = 'thief@evil.example'
const NEW = 'security@acme.example'

async function open(options: TestOptions = {}) {
  const app = await openPortalApp(options)
  onTestFinished(app.close)
  const mailer = (options.mailer as MemoryMailer | undefined) ?? app.mailer
  const { applications } = app.auth
  const keyStatus = async (key: string) =>
    (await fetch(`${app.baseUrl}/catalog`, { headers: { 'X-Api-Key': key } })).status
  const tokenStatus = async (id: string, secret: string) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret })
    return (await fetch(`${app.baseUrl}/orders/token`, { method: 'POST', body })).status
  }
  return { ...app, mailer, applications, keyStatus, tokenStatus }
}

/** An application of which a thief has used everything that the portal offers. */
async function openStolen(options: TestOptions = {}) {
  const site = await open(options)
  const { auth, applications } = site
  const { application, credentials } = await applications.create({
    name: 'Acme',
    contact: LOST,
    apis: { orders: { scopes: ['orders:read'] }, catalog: {} },
  })
  const { id } = application
  const thief = await visit(site, LOST)
  const key = await thief.submit(await thief.open(`${id}/credentials/new-key`), { name: 'monitoring' })
  const secret = await thief.submit(await thief.open(`${id}/credentials/new-secret`), { name: 'monitoring' })
  await thief.submit(await thief.open(`${id}/apis/orders/request`), { scopes: ['orders:write'] })
  await applications.addContact(id, THIEF, { by: `contact:${LOST}` })
  await auth.portal.invite(id, 'second@evil.example', { by: `contact:${THIEF}` })
  await auth.registration.requestAccess(id, { api: 'invoices', by: `contact:${LOST}` }).catch(() => undefined)
  const other = await visit(site, THIEF)
  const link = await auth.portal.link({ contact: THIEF })
  const stolen = { key: /epa_key_\w{34}/.exec(key.text)![0], secret: /epa_sec_\w{49}/.exec(secret.text)![0] }
  return { ...site, id, old: credentials, stolen, thief, other, link }
}

describe('recover()', () => {
  it.each([
    ['another address', NEW],
    ['the mailbox that was won back', LOST],
  ])('ends everything that a thief at the portal has and has made, for %s', async (_, contact) => {
    const { applications, auth, id, old, stolen, thief, other, link, keyStatus, tokenStatus } = await openStolen()
    const { application, credentials, selfService } = await applications.recover(id, { contact, by: 'alice' })
    expect(application).toMatchObject({ status: 'active', contacts: [contact], invitations: [], accessRequests: [] })
    expect([application.keys.length, application.secrets.length]).toEqual([1, 1])
    for (const key of [old.clientId, stolen.key]) expect(await keyStatus(key)).toBe(401)
    for (const secret of [old.clientSecret!, stolen.secret]) expect(await tokenStatus(id, secret)).toBe(401)
    expect(await keyStatus(credentials!.clientId)).toBe(200)
    expect(await tokenStatus(id, credentials!.clientSecret!)).toBe(200)
    for (const visitor of [thief, other]) expect((await visitor.open('')).text).not.toContain('Acme')
    await expect(visit({ auth }, THIEF)).rejects.toThrow()
    const { origin, pathname } = new URL(link)
    expect((await fetch(origin + pathname)).status).toBe(200)
    expect(selfService).toEqual([
      { api: 'orders', scopes: expect.arrayContaining(['orders:write']), at: expect.any(Date), by: `contact:${LOST}` },
    ])
    expect(application.apis['orders']!.scopes).toContain('orders:write')
    const { items } = await auth.audit.list({ applicationId: id })
    expect(items.at(-1)).toMatchObject({ type: 'application.recovered', by: 'alice', details: { tokensRevoked: true } })
  })

  it('sends key and secret in one e-mail with deliver: email, and ends the former ones at once', async () => {
    const { applications, id, old, stolen, mailer, keyStatus, tokenStatus } = await openStolen()
    const before = mailer.emails.length
    const { credentials } = await applications.recover(id, { contact: NEW, deliver: 'email' })
    expect(credentials).toBeUndefined()
    for (const key of [old.clientId, stolen.key]) expect(await keyStatus(key)).toBe(401)
    await expect.poll(() => mailer.emails.filter(({ to }) => to === NEW).length).toBe(1)
    const sent = mailer.emails
      .slice(before)
      .filter(({ to }) => to === NEW)
      .map(readCredentials)
    const key = sent.find(({ clientId }) => clientId !== '')!.clientId
    const secret = sent.find(({ clientSecret }) => clientSecret !== '')!.clientSecret
    expect([await keyStatus(key), await tokenStatus(id, secret)]).toEqual([200, 200])
    expect(mailer.emails.slice(before).filter(({ to }) => to !== NEW && to !== 'second@evil.example')).toEqual([])
  })

  it('that fails leaves less access, and a second call completes it', async () => {
    const store = memoryStore()
    let fails = false
    const saveApplication: StoreWith['saveApplication'] = (...args) =>
      fails ? Promise.reject(new Error('full')) : store.saveApplication(...args)
    const { applications, id, thief, keyStatus, stolen } = await openStolen({ store: { ...store, saveApplication } })
    fails = true
    await expect(applications.recover(id, { contact: NEW })).rejects.toMatchObject({ code: 'store_unavailable' })
    fails = false
    expect((await thief.open('')).text).not.toContain('Acme')
    const { credentials } = await applications.recover(id, { contact: NEW })
    expect([await keyStatus(credentials!.clientId), await keyStatus(stolen.key)]).toEqual([200, 401])
  })

  it('rejects for a deleted application, an unknown one and a wrong address', async () => {
    const { applications, id } = await openStolen()
    await expect(applications.recover(id, { contact: 'no address' })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    await expect(applications.recover('app_x', { contact: NEW })).rejects.toMatchObject({
      code: 'application_not_found',
    })
    await applications.delete(id)
    await expect(applications.recover(id, { contact: NEW })).rejects.toMatchObject({ code: 'invalid_state' })
  })
})
