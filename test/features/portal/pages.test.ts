import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Application } from '../../../src/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { expectHidden } from './foreign-ids.js'
import { openPortalApp, usePortalApp, visit, type PortalApp } from './pages-app.js'
import type { Page, Visitor } from './visitor.js'

const ANNA = 'anna@example.com'
const BOB = 'bob@example.com'

let app: PortalApp
let anna: Visitor

beforeAll(async () => {
  app = await openPortalApp()
  await createApplication('First')
  anna = await visit(app, ANNA)
})
afterAll(() => app.close())

/** An application of Anna's that may use `orders` for reading, and the catalogue. */
async function createApplication(name: string, contact = ANNA): Promise<Application & { key: string; secret: string }> {
  const apis = { orders: { scopes: ['orders:read'] }, catalog: {} } as const
  const { application, credentials } = await app.auth.applications.create({ name, contact, apis })
  return { ...application, key: credentials.clientId, secret: credentials.clientSecret! }
}

async function readStatus(path: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${app.baseUrl}/${path}`, { headers })
  await response.body?.cancel()
  return response.status
}

async function requestToken(
  id: string,
  secret: string,
  more: Record<string, string> = {},
): Promise<string | undefined> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret, ...more })
  const response = await fetch(`${app.baseUrl}/orders/token`, { method: 'POST', body })
  return ((await response.json()) as { access_token?: string }).access_token
}

const findKey = ({ text }: Page): string | undefined => /epa_key_\w{34}/.exec(text)?.[0]
const findSecret = ({ text }: Page): string | undefined => /epa_sec_\w{49}/.exec(text)?.[0]

async function readAudit(applicationId: string): Promise<unknown[]> {
  const { items } = await app.auth.audit.list({ applicationId })
  return items.map(({ type, by }) => [type, by])
}

/** The page with its form sent to another path. */
function forge(page: Page, path: string): Page {
  return { ...page, html: page.html.replace('<form class="card"', `<form action="/developers/applications/${path}"`) }
}

describe('the list of applications (P30)', () => {
  it("has the visitor's applications and no others, and none of its pages is cached or framed", async () => {
    await createApplication('Of somebody else', BOB)
    const page = await anna.open('')
    expect(page.status).toBe(200)
    expect(page.text).toContain('First')
    expect(page.text).not.toContain('Of somebody else')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/)
  })

  it('has names as text', async () => {
    const { id } = await createApplication('<script>alert(1)</script>')
    expect((await anna.open('')).html).not.toContain('<script>alert')
    expect((await anna.open(id)).html).not.toContain('<script>alert')
    expect((await anna.open(`${id}/delete`)).text).toContain('<script>alert(1)</script>')
  })
})

describe('the page of an application (P31)', () => {
  it('shows APIs with scopes, credentials without their values, and contacts', async () => {
    const { id, key, secret } = await createApplication('Complete')
    const { text, html } = await anna.open(id)
    for (const part of [
      'Orders',
      'orders:read',
      'Catalogue',
      'Request more',
      key.slice(0, 12),
      secret.slice(0, 12),
      ANNA,
    ])
      expect(text).toContain(part)
    expect(html).not.toContain(key)
    expect(html).not.toContain(secret)
    // Closed to registration.
    expect(text).not.toContain('Internal')
  })

  it('answers 404 with the same bytes for the applications of others, deleted ones and ids that do not exist (P19)', async () => {
    const { id } = await createApplication('Hidden', BOB)
    const unknown = await anna.open('app_00000000000000000000')
    expect(unknown.status).toBe(404)
    const deleted = await createApplication('Gone')
    await app.auth.applications.delete(deleted.id)
    for (const each of [id, deleted.id, `${id}/delete`, `${id}/credentials/new-key`, 'constructor', '__proto__']) {
      const page = await anna.open(each)
      expect(page.status, each).toBe(404)
      expect(page.html, each).toBe(unknown.html)
    }
  })

  it('hides ids of applications of others, whatever is asked of them (P19)', { timeout: 1_800_000 }, async () => {
    const own = await usePortalApp({ now: Date.now })
    await own.auth.applications.create({ name: 'Own', contact: ANNA, apis: ['catalog'] })
    await expectHidden(own, await visit(own, ANNA), IS_LONG_LANE ? 100_000 : 150)
  })

  it('changes nothing of the applications of others', async () => {
    const { id } = await createApplication('Untouched', BOB)
    const before = await readAudit(id)
    const own = await anna.open(`${(await createApplication('Own')).id}/delete`)
    for (const path of [
      'delete',
      'tokens/revoke',
      'credentials/new-key',
      'colleagues/invite',
      'apis/invoices/request',
    ]) {
      const forged = forge(own, `${id}/${path}`)
      const fields = { version: '1', name: 'Untouched', expires: '0', address: ANNA, scopes: 'invoices:read' }
      expect((await anna.submit(forged, fields, `${id}/${path}`)).status, path).toBe(404)
    }
    expect(await readAudit(id)).toEqual(before)
    expect((await app.auth.applications.get(id))?.status).toBe('active')
  })
})

describe('credentials', () => {
  it('adds a key that is shown once, and is audited as the contact (P33)', async () => {
    const { id } = await createApplication('Adding')
    const form = await anna.open(`${id}/credentials/new-key`)
    const shown = await anna.submit(form, { name: 'warehouse' })
    const key = findKey(shown)!
    expect(await readStatus('catalog', { 'X-Api-Key': key })).toBe(200)
    expect(shown.text).toContain(`curl -H "X-Api-Key: ${key}"`)
    expect(await readAudit(id)).toContainEqual(['application.credentialAdded', `contact:${ANNA}`])
    const page = await anna.open(id)
    expect(page.text).toContain('warehouse')
    expect(page.html).not.toContain(key)
  })

  it('adds nothing when the form is sent again (P35)', async () => {
    const { id } = await createApplication('Twice')
    const form = await anna.open(`${id}/credentials/new-secret`)
    const [one, other] = await Promise.all([anna.submit(form, { name: 'a' }), anna.submit(form, { name: 'a' })])
    const again = await anna.submit(form, { name: 'b' })
    expect([one.status, other.status]).toEqual(expect.arrayContaining([200, 409]))
    expect(again.status).toBe(409)
    expect(again.text).toContain('Nothing was changed')
    expect((await app.auth.applications.get(id))!.secrets).toHaveLength(2)
  })

  it('refuses a name that is missing, too long or in use, and keeps what was entered (P36)', async () => {
    const { id } = await createApplication('Names')
    const form = await anna.open(`${id}/credentials/new-key`)
    for (const [name, problem] of [
      ['', 'Enter a name.'],
      ['x'.repeat(101), '1 to 100 characters'],
      ['default', 'in use'],
    ] as const) {
      const refused = await anna.submit(form, { name, expires: '90' })
      expect(refused.status).toBe(400)
      expect(refused.text).toContain(problem)
      expect(refused.html).toMatch(/<option value="90" selected/)
    }
    expect((await anna.submit(form, { name: 'x', expires: '31' })).status).toBe(400)
    const { keys } = (await app.auth.applications.get(id))!
    expect(keys).toHaveLength(1)
  })

  it('rotates: the new secret works at once, the old one until the overlap ends (P33)', async () => {
    const { id, secret, secrets } = await createApplication('Rotating')
    const form = await anna.open(`${id}/credentials/${secrets[0]!.id}/rotate`)
    const made = findSecret(await anna.submit(form, { overlap: '3600' }))!
    expect(await requestToken(id, made)).toBeDefined()
    expect(await requestToken(id, secret)).toBeDefined()
    expect((await anna.open(id)).text).toContain('Replaced: works until')
    app.clock.advance(3_600_000)
    // Her session has ended too.
    anna = await visit(app, ANNA)
    expect(await requestToken(id, secret)).toBeUndefined()
    expect(await readAudit(id)).toContainEqual(['application.credentialRotated', `contact:${ANNA}`])
  })

  it('renames and ends a credential; access tokens end if that was chosen (P34)', async () => {
    const { id, secret, secrets } = await createApplication('Ending')
    const accessToken = await requestToken(id, secret)
    const renamed = await anna.submit(await anna.open(`${id}/credentials/${secrets[0]!.id}/rename`), { name: 'old' })
    expect([renamed.path, renamed.fragment]).toEqual([id, 'renamed'])
    const form = await anna.open(`${id}/credentials/${secrets[0]!.id}/end`)
    expect(form.text).toContain('It is the only secret')
    const ended = await anna.submit(form, { revoke: 'yes' })
    expect([ended.path, ended.fragment]).toEqual([id, 'ended'])
    expect(await requestToken(id, secret)).toBeUndefined()
    expect(await readStatus('orders', { Authorization: `Bearer ${accessToken}` })).toBe(401)
  })

  it('leads back to the application from the page of a credential that has ended (P19)', async () => {
    const { id, secrets } = await createApplication('Going back')
    const path = `${id}/credentials/${secrets[0]!.id}/end`
    await anna.submit(await anna.open(path))
    const gone = await anna.open(path)
    expect(gone.status).toBe(404)
    expect(gone.text).toContain('There is no such page of Going back.')
    expect(gone.html).toContain(`href="/developers/applications/${id}"`)
  })

  it('revokes all access tokens, once for each form (P34, P35)', async () => {
    const { id, secret } = await createApplication('Revoking')
    const accessToken = await requestToken(id, secret)
    const form = await anna.open(`${id}/tokens/revoke`)
    expect((await anna.submit(form)).fragment).toBe('revoked')
    expect(await readStatus('orders', { Authorization: `Bearer ${accessToken}` })).toBe(401)
    const newer = await requestToken(id, secret)
    expect((await anna.submit(form)).status).toBe(409)
    expect(await readStatus('orders', { Authorization: `Bearer ${newer}` })).toBe(200)
  })

  it('sends a new secret as a file .env, which has the addresses of its APIs (P39)', async () => {
    const { id, secrets } = await createApplication('Download')
    const shown = await anna.submit(await anna.open(`${id}/credentials/${secrets[0]!.id}/rotate`))
    const file = await anna.submit(shown, {}, `${id}/download`)
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${id}.env"`)
    expect(file.headers.get('cache-control')).toBe('no-store')
    expect(file.html).toBe(
      `CLIENT_ID=${id}\nCLIENT_SECRET=${findSecret(shown)}\nORDERS_URL=${app.baseUrl}/orders\nORDERS_TOKEN_URL=${app.baseUrl}/orders/token\n`,
    )
    expect((await anna.submit(shown, { value: 'a\nINJECTED=1' }, `${id}/download`)).status).toBe(404)
  })
})

describe('APIs', () => {
  it('grants an open API at once, and further scopes (P34)', async () => {
    const { id } = await createApplication('Wanting')
    const form = await anna.open(`${id}/apis/orders/request`)
    expect((await anna.submit(form, { scopes: [] })).status).toBe(400)
    const granted = await anna.submit(form)
    expect(granted.fragment).toBe('granted')
    const { apis } = (await app.auth.applications.get(id))!
    expect(apis['orders']!.scopes.toSorted()).toEqual(['orders:read', 'orders:write'])
  })

  it('requests a manual API, which then waits for approval (P34)', async () => {
    const { id } = await createApplication('Waiting')
    const requested = await anna.submit(await anna.open(`${id}/apis/invoices/request`))
    expect(requested.fragment).toBe('requested')
    expect(requested.text).toContain('Waits for approval')
    expect((await app.auth.applications.get(id))!.apis).not.toHaveProperty('invoices')
    expect((await anna.open(`${id}/apis/invoices/request`)).status).toBe(404)
    expect((await anna.open(`${id}/apis/secrets/request`)).status).toBe(404)
  })
})

describe('colleagues', () => {
  it('invites a contact, and cancels the invitation (P34)', async () => {
    const { id } = await createApplication('Inviting')
    const page = await anna.open(id)
    const invited = await anna.submit(page, { address: 'carl@example.com' }, `${id}/colleagues/invite`)
    expect(invited.fragment).toBe('invited')
    expect(invited.text).toContain('carl@example.com Invited')
    const cancel = /invitations\/\w+\/cancel/.exec(invited.html)![0]
    const cancelled = await anna.submit(await anna.open(`${id}/${cancel}`))
    expect(cancelled.fragment).toBe('cancelled')
    expect(cancelled.text).not.toContain('carl@example.com')
    const refused = await anna.submit(cancelled, { address: 'nobody' }, `${id}/colleagues/invite`)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('Enter one e-mail address')
  })

  it('removes a contact, who sees nothing from then on; the last contact cannot leave (P34)', async () => {
    const { id } = await createApplication('Leaving')
    await createApplication("Bob's own", BOB)
    await app.auth.applications.addContact(id, BOB, { by: 'test' })
    const bob = await visit(app, BOB)
    expect((await bob.open(id)).status).toBe(200)
    const [, ofBob] = [...(await anna.open(id)).html.matchAll(/colleagues\/\w{16}\/remove/g)].map(String)
    const removed = await anna.submit(await anna.open(`${id}/${ofBob}`))
    expect(removed.fragment).toBe('removed')
    expect((await bob.open(id)).status).toBe(404)
    expect(removed.html).not.toContain('/remove')
  })
})

describe('deletion (P34)', () => {
  it('asks for the name, deletes, and shows the list', async () => {
    const { id, key } = await createApplication('To be deleted')
    const form = await anna.open(`${id}/delete`)
    expect((await anna.submit(form, { name: 'something else' })).status).toBe(400)
    const deleted = await anna.submit(form, { name: 'To be deleted' })
    expect([deleted.path, deleted.fragment]).toEqual(['', 'deleted'])
    expect(deleted.text).not.toContain('To be deleted')
    expect(await readStatus('catalog', { 'X-Api-Key': key })).toBe(401)
    expect(await readAudit(id)).toContainEqual(['application.deleted', `contact:${ANNA}`])
  })
})

describe('what is not possible (P37)', () => {
  it('shows no link to an action that is turned off, and answers 404 for it', async () => {
    const limited = await usePortalApp({ portal: { rotate: false, delete: false, invite: false } })
    const { application } = await limited.auth.applications.create({
      name: 'Limited',
      contact: ANNA,
      apis: ['catalog'],
    })
    const visitor = await visit(limited, ANNA)
    const page = await visitor.open(application.id)
    expect(page.html).not.toMatch(/\/(?:rotate|delete|invite)"/)
    const form = await visitor.open(`${application.id}/credentials/${application.keys[0]!.id}/rename`)
    expect(form.status).toBe(200)
    for (const path of ['delete', 'colleagues/invite', `credentials/${application.keys[0]!.id}/rotate`]) {
      expect((await visitor.open(`${application.id}/${path}`)).status).toBe(404)
      const forged = forge(form, `${application.id}/${path}`)
      expect(
        (await visitor.submit(forged, { name: 'Limited', overlap: '0', address: BOB }, `${application.id}/${path}`))
          .status,
      ).toBe(404)
    }
  })

  it('lets nobody who may not make credentials get them by removing the first contact', async () => {
    const limited = await usePortalApp({ portal: { addKey: false, addSecret: false, rotate: false } })
    const given = { name: 'Owned', contact: ANNA, apis: ['catalog'] } as const
    const { application } = await limited.auth.applications.create(given)
    await limited.auth.applications.addContact(application.id, BOB)
    const bob = await visit(limited, BOB)
    const page = await bob.open(application.id)
    const removals = [...page.html.matchAll(/colleagues\/(\w+)\/remove/g)].map(([path]) => path)
    expect(removals).toHaveLength(1)
    const hash = createHash('sha256').update(ANNA).digest('hex').slice(0, 16)
    expect((await bob.open(`${application.id}/colleagues/${hash}/remove`)).status).toBe(404)
    const owner = await visit(limited, ANNA)
    expect((await owner.open(`${application.id}/colleagues/${hash}/remove`)).status).toBe(200)
  })

  it('makes no credentials for an application that waits for approval or is suspended', async () => {
    const { id } = await createApplication('Suspended')
    await app.auth.applications.suspend(id)
    const { application } = await app.auth.registration.register({ name: 'Pending', contact: ANNA, apis: ['invoices'] })
    for (const each of [id, application.id]) {
      expect((await anna.open(`${each}/credentials/new-key`)).status).toBe(404)
      expect((await anna.open(`${each}/credentials/new-secret`)).status).toBe(404)
      expect((await anna.open(each)).text).toContain('This application is')
    }
    expect((await anna.open(`${id}/tokens/revoke`)).status).toBe(200)
  })

  it('lets contacts of a suspended application take power away, and nothing else', async () => {
    const { id, keys } = await createApplication('Under investigation')
    await app.auth.applications.addContact(id, BOB)
    const page = await anna.open(id)
    const removal = /colleagues\/(\w+)\/remove/.exec(page.html)![0]
    const rename = `credentials/${keys[0]!.id}/rename`
    const forms = await Promise.all(['delete', removal, rename].map((path) => anna.open(`${id}/${path}`)))
    await app.auth.applications.suspend(id)
    for (const path of ['delete', removal, rename]) expect((await anna.open(`${id}/${path}`)).status).toBe(404)
    for (const form of forms) expect((await anna.submit(form, { name: 'Under investigation' })).status).toBe(409)
    const fresh = await anna.open(`${id}/tokens/revoke`)
    for (const path of ['delete', removal, rename]) {
      const sent = await anna.submit(forge(fresh, `${id}/${path}`), { name: 'Under investigation' }, `${id}/${path}`)
      expect(sent.status).toBe(404)
    }
    expect((await anna.submit(fresh)).status).toBe(200)
    expect((await anna.submit(await anna.open(`${id}/credentials/${keys[0]!.id}/end`))).status).toBe(200)
    expect(await app.auth.applications.get(id)).toMatchObject({ status: 'suspended', contacts: [ANNA, BOB], keys: [] })
  })
})

it('shows usage as a table and refusals with their fix, at once and without JavaScript (P31)', async () => {
  const { id, key, secret } = await createApplication('Busy')
  for (let count = 0; count < 3; count++) await readStatus('catalog', { 'X-Api-Key': key })
  const accessToken = await requestToken(id, secret)
  await app.auth.applications.revokeTokens(id)
  await readStatus('orders', { Authorization: `Bearer ${accessToken}` })
  await requestToken(id, secret, { scope: 'orders:none' })
  const { text, html } = await anna.open(id)
  expect(html).toContain('or leave out <code>scope</code>.')
  expect(text).toMatch(/Catalogue Allowed 3 Refused 0/)
  expect(text).toMatch(/Refused 2 1 invalid_scope , 1 invalid_token Access tokens 1/)
  expect(text).toMatch(/Revoked access token Request a new access token\. just now GET \/orders Orders/)
})

it('counts equal refusals, and shows the others apart (P31)', async () => {
  const { id, key } = await createApplication('Suspended')
  const wrong = async (): Promise<unknown> => requestToken(id, 'wrong')
  for (let count = 0; count < 2; count++) await wrong()
  await app.auth.applications.suspend(id)
  app.clock.advance(3600)
  await wrong()
  for (let count = 0; count < 2; count++) await readStatus('catalog', { 'X-Api-Key': key })
  app.clock.advance(3600)
  const page = await visit(app, ANNA).then((visitor) => visitor.open(id))
  expect(page.text).toMatch(/Suspended application .*? 2 times, last 1 hour ago GET \/catalog Catalog/)
  expect(page.text).toMatch(/Wrong client secret .*? 3 times, last 1 hour ago POST \/orders\/token Orders/)
})
