import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { expect, it } from 'vitest'
import { usePortalApp, openPortalApp, visit } from './pages-app.js'

const ANNA = 'anna@example.com'
const BOB = 'bob@example.com'
const DAY_MS = 86_400_000
const ADDRESS = 'https://bank.example/jwks.json'

const app = await usePortalApp({ proofs: true, clientAssertions: { allow: ['JWKS.internal', '10.0.0.7'] } })
await app.auth.applications.create({ name: 'First', contact: ANNA, apis: ['catalog'] })
const anna = await visit(app, ANNA)

function createJwk(kid: string): JsonWebKey {
  return { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid }
}

async function open(language?: 'de' | 'fr' | 'es') {
  const { applications } = app.auth
  const { application } = await applications.create({
    name: 'Bank',
    contact: ANNA,
    apis: ['payments', 'orders'],
    language,
  })
  const { id } = application
  const read = async () => (await applications.get(id))!.secrets.filter(({ keySet }) => keySet)
  const add = async (fields: Record<string, string>) =>
    anna.submit(await anna.open(`${id}/credentials/new-key-set`), { name: 'bank', ...fields })
  const act = async (action: string, fields: Record<string, string> = {}) =>
    anna.submit(await anna.open(`${id}/credentials/${(await read())[0]!.id}/${action}`), fields)
  return { id, applications, read, add, act }
}

it('a contact adds, renames, replaces, reads again and ends public keys, which other contacts are told', async () => {
  const { id, applications, read, add, act } = await open()
  await applications.addContact(id, BOB)
  const [first, second] = [createJwk('one'), createJwk('two')]
  const added = await add({ keys: JSON.stringify({ keys: [first] }) })
  expect([added.fragment, added.text]).toEqual([
    'keySetSaved',
    expect.stringMatching(/Ed25519, kid one, SHA-256 [\w-]{43}/),
  ])
  expect(await read()).toMatchObject([{ name: 'bank', keySet: { keys: [first] } }])
  // A key set has no secret to rotate, and no address to read again.
  const credentialId = (await read())[0]!.id
  expect((await anna.open(`${id}/credentials/${credentialId}/rotate`)).status).toBe(404)
  expect((await anna.open(`${id}/credentials/${credentialId}/reload`)).status).toBe(404)
  expect((await act('rename', { name: 'payments' })).fragment).toBe('renamed')
  expect((await act('keys', { keys: JSON.stringify(second) })).fragment).toBe('keySetSaved')
  expect(await read()).toMatchObject([{ name: 'payments', keySet: { keys: [second] } }])
  expect((await act('keys', { keys: ADDRESS })).text).toContain(ADDRESS)
  expect((await act('reload')).fragment).toBe('keySetReloaded')
  expect((await act('end')).fragment).toBe('ended')
  expect(await read()).toEqual([])
  app.clock.advance(600)
  await expect.poll(() => app.mailer.emails.find(({ to }) => to === BOB)?.text).toBeDefined()
  const { text } = app.mailer.emails.find(({ to }) => to === BOB)!
  for (const line of [
    'A contact added the public keys “bank”',
    'A contact renamed the public keys “bank” to “payments”',
    'A contact replaced the public keys “payments”, or had them read again',
    'A contact ended the public keys “payments”',
  ])
    expect(text).toContain(line)
  const { items } = await app.auth.audit.list({ applicationId: id })
  expect(items.map(({ details }) => (details as { credential?: string }).credential)).toContain('keySet')
})

it('what is no set of public keys is refused at its field, in the language of the application', async () => {
  const privatePem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  for (const [language, expected] of [
    [undefined, /Enter a JWK Set/],
    ['de', /Geben Sie ein JWK Set/],
    ['fr', /Saisissez un JWK Set/],
    ['es', /Introduzca un JWK Set/],
  ] as const) {
    const { add, read } = await open(language)
    for (const keys of ['', '{}', privatePem, 'http://bank.example/']) {
      const page = await add({ keys })
      expect([page.status, page.text]).toEqual([400, expect.stringMatching(expected)])
      expect(page.html).toMatch(/<textarea[^>]*id="keys"[^>]*aria-invalid/)
      expect(page.html).not.toContain('PRIVATE KEY---')
      expect(page.html.includes('<span lang="en">')).toBe(language !== undefined)
    }
    expect(await read()).toEqual([])
  }
})

it('a contact cannot name a host inside the network of the platform, and keeps one that an operator named', async () => {
  const { id, applications, read, add, act } = await open()
  for (const keys of ['https://jwks.internal/a', 'https://JWKS.INTERNAL:8443/a', 'https://10.7/a']) {
    const page = await add({ keys })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('only its operators can name')])
    await expect(applications.addKeySet(id, { name: 'x', jwksUri: keys, by: `contact:${ANNA}` })).rejects.toMatchObject(
      { code: 'invalid_argument' },
    )
  }
  const jwksUri = 'https://jwks.internal/bank'
  await applications.addKeySet(id, { name: 'bank', jwksUri, by: 'operator' })
  expect((await act('reload')).fragment).toBe('keySetReloaded')
  expect((await act('keys', { keys: jwksUri })).status).toBe(400)
  expect(await read()).toMatchObject([{ keySet: { jwksUri } }])
})

it('public keys may be used for no more, from no more networks and no longer than what operators left', async () => {
  const { id, applications, read, add, act } = await open()
  const [secret] = (await applications.get(id))!.secrets
  const end = new Date(app.clock.now() + 10 * DAY_MS)
  await applications.updateCredential(id, secret!.id, { expiresAt: end, networks: ['203.0.113.0/24'] })
  await add({ keys: JSON.stringify(createJwk('one')) })
  expect(await read()).toMatchObject([{ expiresAt: end, networks: ['203.0.113.0/24'] }])
  await act('keys', { keys: ADDRESS })
  expect(await read()).toMatchObject([{ expiresAt: end, networks: ['203.0.113.0/24'], keySet: { jwksUri: ADDRESS } }])
  await applications.suspend(id)
  expect((await anna.open(`${id}/credentials/new-key-set`)).status).toBe(404)
})

it('is offered only where an API takes public keys', async () => {
  const other = await openPortalApp()
  const { application } = await other.auth.applications.create({ name: 'Shop', contact: ANNA, apis: ['orders'] })
  const visitor = await visit(other, ANNA)
  expect((await visitor.open(application.id)).text).not.toContain('Add public keys')
  expect((await visitor.open(`${application.id}/credentials/new-key-set`)).status).toBe(404)
  await other.close()
})
