import { generateKeyPairSync } from 'node:crypto'
import express from 'express'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { GRANT, post } from '../../support/http.js'
import { openPlatform, usePlatform } from '../../support/platform.js'

const OPEN = { scheme: 'oauth2', registration: 'automatic' } as const
const APIS = {
  payments: { ...OPEN, title: 'Payments', clientAuthentication: ['private_key_jwt'] },
  orders: { ...OPEN, title: 'Orders', clientAuthentication: ['client_secret_basic', 'private_key_jwt'] },
  invoices: { ...OPEN, title: 'Invoices' },
  catalog: { scheme: 'apiKey', title: 'Catalog' },
  loans: { scheme: 'oauth2', title: 'Loans', clientAuthentication: ['private_key_jwt'] },
} as const
const PATH = '/developers/register'
const OPERATOR = 'apis@example.com'
const PRIVATE_PEM = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string

function open(delivery: 'inline' | 'claim-link' = 'inline') {
  const mailer = memoryMailer()
  const { auth } = openPlatform({
    developersUrl: 'https://example.com/developers',
    mailer,
    delivery,
    now: Date.now,
    operators: [OPERATOR],
    rateLimits: { registration: false, allRegistrations: false },
    apis: APIS,
    clientAssertions: { allow: ['jwks.internal'] },
  })
  const app = express()
  app.use(PATH, auth.registration.router, auth.emails.router)
  app.use(auth.router)
  const wait = (count: number, to: string) =>
    vi.waitFor(() => {
      const found = mailer.emails.filter((email) => email.to === to)
      expect(found.length).toBeGreaterThanOrEqual(count)
      return found
    }, 60_000)
  return { app, auth, mailer, wait }
}

let platform: ReturnType<typeof open>
let privateKey: CryptoKey
let jwks: { readonly keys: readonly object[] }
let count = 0
beforeAll(async () => {
  platform = open()
  const pair = await generateKeyPair('ES256')
  ;({ privateKey } = pair)
  jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one' }] }
})
afterAll(() => platform.auth.close())

const newContact = (): string => `dev${(count += 1)}@customer.example`

async function send(app: express.Express, fields: readonly (readonly [string, string])[]) {
  return request(app)
    .post(PATH)
    .type('form')
    .send(new URLSearchParams(fields.map(([name, value]) => [name, value])).toString())
}

async function requestToken(app: express.Express, id: string, api: string): Promise<number> {
  const issuer = `https://api.example.com/${api}`
  const claims = { iss: id, sub: id, aud: issuer, jti: `${Math.random()}`, exp: Math.floor(Date.now() / 1000) + 60 }
  const assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  const form = { ...GRANT, client_assertion_type: type, client_assertion: assertion }
  return (await post(app, `/${api}/token`, form)).status
}

describe('a registration with public keys', () => {
  it('makes, mails and stores no secret, and the e-mail says how to get a token', async () => {
    const { app, auth, wait } = platform
    for (const [language, text] of [
      ['en', /no secret/],
      ['de', /kein Secret/],
      ['fr', /pas de secret/],
      ['es', /No hay secreto/],
    ] as const) {
      const contact = newContact()
      const fields = [
        ['name', 'Bank'],
        ['contact', contact],
        ['language', language],
        ['apis', 'payments'],
        ['apis', 'catalog'],
        ['keySet', JSON.stringify(jwks)],
      ] as const
      expect((await send(app, fields)).status).toBe(303)
      const [email] = await wait(1, contact)
      for (const part of [email!.text, email!.html]) {
        expect(part).toMatch(text)
        expect(part).toContain('CLIENT_ASSERTION')
        expect(part).toContain('PrivateKeyJwt')
        expect(part).toMatch(/P-256, kid one, SHA-256 [\w-]{43}/)
        expect(part).not.toMatch(/CLIENT_SECRET|epa_sec_/)
      }
      const { items } = await auth.applications.list({ contact })
      expect(items).toMatchObject([{ status: 'active', secrets: [{ name: 'default', keySet: jwks }] }])
      expect(await requestToken(app, items[0]!.id, 'payments')).toBe(200)
    }
  })

  it('may be by JSON, by address, with a single key, and in PEM', async () => {
    const { app, auth, wait } = platform
    const { publicKey } = generateKeyPairSync('ed25519')
    const given = { name: 'Bank', apis: ['orders'], contact: newContact(), keySet: { jwks } }
    expect((await request(app).post(PATH).send(given)).status).toBe(202)
    const address = 'https://bank.example/jwks.json'
    const other = { ...given, contact: newContact(), keySet: { jwksUri: address } }
    expect((await request(app).post(PATH).send(other)).status).toBe(202)
    const entered = [
      [address, { jwksUri: address }],
      [JSON.stringify(jwks.keys[0]), jwks],
      [publicKey.export({ format: 'pem', type: 'spki' }) as string, { keys: [publicKey.export({ format: 'jwk' })] }],
    ] as const
    for (const [text, stored] of entered) {
      const contact = newContact()
      const fields = [
        ['name', 'Bank'],
        ['contact', contact],
        ['apis', 'orders'],
        ['keySet', text],
      ] as const
      expect((await send(app, fields)).status).toBe(303)
      await wait(1, contact)
      const { items } = await auth.applications.list({ contact })
      expect(items).toMatchObject([{ secrets: [{ keySet: stored }] }])
    }
    for (const { contact, keySet } of [given, other]) {
      await wait(1, contact)
      const { items } = await auth.applications.list({ contact })
      expect(items).toMatchObject([{ secrets: [{ keySet: 'jwks' in keySet ? jwks : { jwksUri: address } }] }])
    }
  })

  it('is in no e-mail as something to follow, as strangers enter it and the address', async () => {
    const { app, wait } = platform
    const address = 'https://evil-login.example.org/your-account-is-suspended?pay=now'
    for (const [keySet, shown] of [
      [{ jwksUri: address }, 'evil-login[.]example[.]org'],
      [{ jwksUri: 'https://0900-1234567.example.org/' }, 'Public keys'],
      [{ jwks: { keys: [{ ...jwks.keys[0], kid: 'https://evil-login.example.org/' }] } }, 'SHA-256'],
      [{ jwks: { keys: [{ ...jwks.keys[0], kid: 'call-0900-1234567' }] } }, 'SHA-256'],
    ] as const) {
      const contact = newContact()
      const given = { name: 'Bank', apis: ['orders'], contact, keySet }
      expect((await request(app).post(PATH).send(given)).status).toBe(202)
      const { text, html } = (await wait(1, contact))[0]!
      expect(text.includes(shown), text).toBe(shown !== 'Public keys')
      expect(`${text}${html}`).not.toMatch(/evil-login\.|suspended|1234567/)
    }
  })

  it('that is wrong is refused at its field, and nothing of a private key is shown again', async () => {
    const { app, auth } = platform
    const before = (await auth.applications.list()).items.length
    const wrong: readonly (readonly [string, string, RegExp])[] = [
      ['payments', '', /Payments takes no secret/],
      ['invoices', JSON.stringify(jwks), /Invoices takes no public keys/],
      ['catalog', JSON.stringify(jwks), /Catalog takes no public keys/],
      ['payments', '{', /Enter a JWK Set/],
      ['payments', 'ftp://bank.example/', /Enter a JWK Set/],
      ['payments', 'http://bank.example/', /does not begin with https/],
      ['payments', 'https://JWKS.internal:8443/a', /only its operators can name/],
      ['payments', PRIVATE_PEM, /private key/],
      ['payments', JSON.stringify({ keys: [{ kty: 'oct', k: 'AAAA' }] }), /symmetric/],
      ['payments', JSON.stringify({ keys: [{ ...jwks.keys[0], d: 'AAAA' }] }), /private key \(member d\)/],
    ]
    for (const [api, keySet, problem] of wrong) {
      const answer = await send(app, [
        ['name', 'Bank'],
        ['contact', newContact()],
        ['apis', api],
        ['keySet', keySet],
      ])
      expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(problem)])
      expect(answer.text).toMatch(/<textarea[^>]*id="keySet"[^>]*aria-invalid/)
      expect(answer.text).not.toMatch(/PRIVATE KEY---|AAAA/)
    }
    const json = { name: 'Bank', contact: newContact(), apis: ['payments'] }
    for (const [keySet, problem] of [
      [undefined, /takes public keys only/],
      [{}, /either jwks or jwksUri/],
      ['x', /either jwks or jwksUri/],
      [{ jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, /symmetric/],
      [{ jwksUri: 'https://jwks.internal/a' }, /only its operators can name/],
    ] as const) {
      const answer = await request(app)
        .post(PATH)
        .send({ ...json, keySet })
      expect([answer.status, answer.body]).toMatchObject([400, { error_description: problem }])
    }
    const called = { ...json, apis: ['payments'] as const, keySet: { jwksUri: 'https://jwks.internal/a' } }
    await expect(auth.registration.register(called)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect((await auth.applications.list()).items.length).toBe(before)
  })

  it('that waits shows operators its keys, and none of them works before the approval', async () => {
    const { app, auth, wait } = platform
    const contact = newContact()
    const given = { name: 'Bank', contact, apis: ['loans'], keySet: { jwks } }
    expect((await request(app).post(PATH).send(given)).status).toBe(202)
    const asked = (await wait(1, OPERATOR)).at(-1)!
    const { items } = await auth.applications.list({ contact })
    const [{ id, secrets }] = items as [(typeof items)[number]]
    expect(secrets).toEqual([])
    expect(await requestToken(app, id, 'loans')).toBe(401)
    const link = /\/register\/decide#([\w-]+\.[\w-]{43})\s/.exec(asked.text)![1]!
    const decide = (fields: object) =>
      request(app)
        .post(`${PATH}/decide`)
        .type('form')
        .send({ link, ...fields })
    const page = await decide({})
    expect(page.text).toMatch(/Public keys, in place of a secret[^]*P-256, kid one, SHA-256 [\w-]{43}/)
    expect((await decide({ decision: 'approve' })).status).toBe(200)
    await wait(1, contact)
    expect(await requestToken(app, id, 'loans')).toBe(200)
  })

  it('that is recovered while it waits has lost its keys: the former contact has their private keys', async () => {
    const { app, auth, wait } = platform
    const { application } = await auth.registration.register({
      name: 'Bank',
      contact: newContact(),
      apis: ['loans', 'orders'],
      keySet: { jwks },
    })
    const contact = newContact()
    await auth.applications.recover(application.id, { contact })
    await auth.applications.approve(application.id)
    await wait(1, contact)
    expect(await requestToken(app, application.id, 'orders')).toBe(401)
    const { secrets } = (await auth.applications.get(application.id))!
    expect(secrets).toMatchObject([{ name: 'default' }])
    expect(secrets[0]).not.toHaveProperty('keySet')
  })

  it('whose e-mail has a claim link has its keys when the link is used', async () => {
    const { app, auth, wait } = open('claim-link')
    onTestFinished(() => auth.close())
    const contact = newContact()
    await auth.registration.register({ name: 'Bank', contact, apis: ['payments'], keySet: { jwks } })
    const [email] = await wait(1, contact)
    expect(email!.text).toContain('no secret')
    const { items } = await auth.applications.list({ contact })
    expect(await requestToken(app, items[0]!.id, 'payments')).toBe(401)
    const token = /claim#([\w-]+)/.exec(email!.text)![1]!
    const claimed = await request(app).post(`${PATH}/claim`).set('Accept', 'text/html').send({ token })
    expect(claimed.text).toContain('CLIENT_ASSERTION')
    expect(claimed.text).not.toMatch(/CLIENT_SECRET|epa_sec_/)
    expect(await requestToken(app, items[0]!.id, 'payments')).toBe(200)
  })
})

it('the form shows the field only where an API takes public keys, in every language', async () => {
  const { app } = platform
  const labels = { en: /Public keys/, de: /Öffentliche Schlüssel/, fr: /Clés publiques/, es: /Claves públicas/ }
  for (const [language, label] of Object.entries(labels)) {
    const page = await request(app).get(PATH).set('Accept-Language', language)
    expect(page.text).toMatch(label)
  }
  const { auth } = usePlatform({ developersUrl: 'https://example.com/developers', mailer: memoryMailer() })
  const other = express().use(PATH, auth.registration.router)
  expect((await request(other).get(PATH)).text).not.toContain('keySet')
})
