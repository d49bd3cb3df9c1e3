import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessToken } from '../../support/http.js'
import { request } from '../../support/request.js'
import { openOperator, type OperatorApp } from './operator-app.js'

let host: OperatorApp
let id: string
let credentials: { clientId: string; clientSecret: string }

beforeAll(async () => {
  host = await openOperator()
  const created = await host.auth.applications.create({ name: 'Warehouse', apis: { orders: {}, catalog: {} } })
  id = created.application.id
  credentials = created.credentials as typeof credentials
})
afterAll(() => host.auth.close())

/** Types into the search of a page, as a browser sends it; `address` is the query of that page. */
async function search(
  tab: 'applications' | 'audit',
  fields: Readonly<Record<string, string>>,
  { app, get }: Pick<OperatorApp, 'app' | 'get'> = host,
  address = '',
) {
  const { text } = await get(`/${tab}${address}`)
  const token = /name="token" value="([^"]*)"/.exec(text)![1]!
  const headers = { 'X-Staff': 'alice@example.com', 'Sec-Fetch-Site': 'same-origin' }
  const sent = await request(app)
    .post(`/staff/operator/${tab}${address}`)
    .type('form')
    .set(headers)
    .send({ token, ...fields })
  const { location } = sent.headers as { location?: string }
  const page = location === undefined ? sent : await request(app).get(location).set(headers)
  return { location, page }
}

it('finds the application of a whole key, secret or access token, which no address and no log has', async () => {
  const other = await host.auth.applications.create({ name: 'Other', apis: { catalog: {} } })
  const { clientId, clientSecret } = credentials
  const token = await accessToken(host.app, 'orders', credentials)
  const spent = `${token.split('.', 2).join('.')}.${'A'.repeat(86)}`
  for (const whole of [clientId, clientSecret, token, spent]) {
    for (const typed of [whole, `  ${whole}\n`]) {
      const { location, page } = await search('applications', { q: typed, status: 'active' })
      expect(location).toMatch(/^\/staff\/operator\/applications\?.*status=active/)
      expect(page.text).toContain(`/applications/${id}"`)
      expect(page.text).not.toContain(`/applications/${other.application.id}"`)
      expect([location, page.text].join()).not.toContain(whole)
      expect(location).not.toContain(whole.slice(20, 40))
    }
    const { location } = await search('audit', { application: whole })
    expect(location).not.toContain(whole.slice(20, 40))
    expect(JSON.stringify(host.logger.lines)).not.toContain(whole.slice(20, 40))
  }
  const revoked = `epa_sec_${'x'.repeat(49)}`
  expect((await search('applications', { q: revoked })).location).toBe('/staff/operator/applications?q=epa_sec_xxxx')
})

it('keeps in the address what is no credential', async () => {
  const typed = [
    'Warehouse',
    'Donaudampfschifffahrt GmbH & Co',
    'dev@example.com',
    'ada.lovelace-king1985@mail.partner.example',
    id,
    `${id} (Nightly job)`,
    credentials.clientId.slice(0, 12),
    'customer 4711 of the north',
    'https://www.partner.example/orders',
  ]
  for (const q of typed) {
    const { location } = await search('applications', { q })
    expect(new URL(location!, 'http://x').searchParams.get('q')).toBe(q)
  }
  const { location } = await search('audit', { type: 'application.credentialReplaced', by: '', from: '2026-01-31' })
  expect(location).toBe('/staff/operator/audit?type=application.credentialReplaced&from=2026-01-31')
})

it('shows what is found of a text that could be the credential of another system, without an address', async () => {
  const externalId = '550e8400-e29b-41d4-a716-446655440000'
  await host.auth.applications.create({ name: 'Theirs', externalId, apis: { catalog: {} } })
  const { location, page } = await search('applications', { q: externalId })
  expect(location).toBeUndefined()
  expect(page.text).toMatch(/>Theirs</)
  for (const tab of ['applications', 'audit'] as const) {
    const opaque = 'sk-live-9f8e7d6c5b4a39281706'
    for (const whole of [opaque, credentials.clientId, credentials.clientSecret]) {
      const pasted = [`X-Api-Key: ${whole}`, `job:${whole}`, `Bearer ${whole}`, `${whole}@api.example`]
      for (const typed of [
        ...pasted,
        `https://${whole}@api.example/?key=${whole}`,
        ...(whole === opaque ? [opaque] : []),
      ]) {
        const answer = await search(tab, { [tab === 'audit' ? 'by' : 'q']: typed })
        expect([typed, answer.location]).toEqual([typed, undefined])
        expect(answer.page.text).not.toMatch(new RegExp(`href="[^"]*${whole}`))
      }
    }
  }
})

it('finds by the rights for what was typed, and not by those for the application that the address names', async () => {
  let mine = ''
  const restricted = await openOperator({ can: (_, __, { applicationId }) => applicationId === mine })
  const made = ['Mine', 'Foreign'].map((name) => restricted.auth.applications.create({ name, apis: { catalog: {} } }))
  const [own, foreign] = (await Promise.all(made)).map(({ application }) => application.id)
  mine = own!
  for (const [tab, name] of [
    ['applications', 'q'],
    ['audit', 'application'],
  ] as const) {
    expect((await restricted.get(`/${tab}?${name}=${mine}`)).text).toContain(mine)
    // Nothing of it is a filter, but it could be a credential.
    const { page } = await search(tab, { other: 'sk-live-9f8e7d6c5b4a39281706' }, restricted, `?${name}=${mine}`)
    expect([page.status, page.text.includes(foreign!), page.text.includes('Foreign')]).toEqual([403, false, false])
  }
  await restricted.auth.close()
})
