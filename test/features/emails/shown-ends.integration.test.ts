import express from 'express'
import { describe, expect, it } from 'vitest'
import type { Application, Language } from '../../../src/index.js'
import type { CredentialsEmail, EmailToCompose } from '../../../src/features/emails/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { POLL_OPTIONS, readCredentials } from '../../core/applications/applicant.js'
import { type TestOptions, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { formatTime } from '../../../src/features/emails/layout.js'

const CONTACT = 'dev@customer.example'
const DAY_MS = 86_400_000
const LABELS = {
  en: ['The key expires at', 'The secret expires at'],
  de: ['Der Schlüssel läuft ab am', 'Das Secret läuft ab am'],
  fr: ['La clé expire le', 'Le secret expire le'],
  es: ['La clave caduca el', 'El secreto caduca el'],
} as const

/** A platform whose keys may be used for 30 days at most, and whose secrets for 60. */
function open(options: TestOptions & { readonly ages?: readonly [number | undefined, number | undefined] }) {
  const { ages: [keyAge, secretAge] = [30, 60], ...others } = options
  const mailer = memoryMailer()
  const composed: CredentialsEmail['expiresAt'][] = []
  const { auth, clock } = usePlatform({
    developersUrl: 'https://example.com/developers',
    mailer,
    compose(email: EmailToCompose) {
      if (email.purpose === 'registration' || email.purpose === 'key' || email.purpose === 'secret') {
        composed.push(email.expiresAt)
      }
      return email.standard
    },
    ...others,
    apis: {
      orders: { scheme: 'oauth2', registration: 'automatic', credentialMaxAge: secretAge },
      catalog: { scheme: 'apiKey', registration: 'automatic', credentialMaxAge: keyAge },
    },
  })
  const app = express().use('/developers/register', auth.registration.router, auth.emails.router)
  const { applications } = auth

  /** What the n-th e-mail hands out, and the saved ends of exactly that. */
  async function receive(count: number) {
    await expect.poll(() => mailer.emails.length, POLL_OPTIONS).toBe(count)
    const { text, html } = mailer.emails[count - 1]!
    const token = /\/register\/claim#([A-Za-z0-9_-]{43})/.exec(text)?.[1]
    const claimed = token === undefined ? undefined : await claim(token)
    const got = claimed
      ? { clientId: claimed.client_id ?? '', clientSecret: claimed.client_secret ?? '' }
      : readCredentials({ text })
    const [application] = (await applications.list()).items
    const saved = {
      key: findEnd(application!.keys, got.clientId),
      secret: findEnd(application!.secrets, got.clientSecret),
    }
    return { text, html, claimed, saved, application: application!, given: composed[count - 1]! }
  }

  async function claim(token: string): Promise<Record<string, string | undefined>> {
    const { body } = await request(app).post('/developers/register/claim').send({ token }).expect(200)
    return body as Record<string, string | undefined>
  }

  const register = (language: Language) =>
    auth.registration.register({ name: 'Shop', contact: CONTACT, apis: ['orders', 'catalog'], language })
  const inDays = (days: number) => new Date(clock.now() + days * DAY_MS)
  return { applications, clock, receive, register, inDays }
}

type Received = Awaited<ReturnType<ReturnType<typeof open>['receive']>>

function findEnd(list: Application['keys'], plain: string): Date | undefined {
  return plain === '' ? undefined : list.find(({ prefix }) => plain.startsWith(prefix))?.expiresAt
}

/** E-mail, `compose` and JSON say what was saved, and nothing else. */
function expectEnds(
  { text, html, claimed, saved, given }: Received,
  language: Language,
  ends: Received['saved'],
): void {
  expect(saved).toEqual(ends)
  const [key, secret] = LABELS[language]
  const inEmail = claimed ? { key: undefined, secret: undefined } : saved
  expect(given).toEqual({
    ...(inEmail.key && { clientId: inEmail.key }),
    ...(inEmail.secret && { clientSecret: inEmail.secret }),
  })
  for (const [label, end] of [
    [key, inEmail.key],
    [secret, inEmail.secret],
  ] as const) {
    for (const written of [text, html]) {
      expect(written.includes(label)).toBe(end !== undefined)
      if (end) expect(written).toContain(formatTime(end, language))
    }
    if (end) expect(text.slice(text.indexOf(label), text.indexOf(label) + 100)).toContain(formatTime(end, language))
  }
  if (!claimed) return
  const names = ['key_expires_at', 'secret_expires_at'].filter((name) => Object.hasOwn(claimed, name))
  expect(names.map((name) => [name, claimed[name]])).toEqual([
    ...(saved.key ? [['key_expires_at', saved.key.toISOString()]] : []),
    ...(saved.secret ? [['secret_expires_at', saved.secret.toISOString()]] : []),
  ])
}

describe.each(['inline', 'claim-link'] as const)('with delivery %s', (delivery) => {
  it.each(['en', 'de', 'fr', 'es'] as const)(
    'tells the end of each credential of a registration, as it was saved, in %s',
    async (language) => {
      const { register, receive, inDays } = open({ delivery })
      await register(language)
      expectEnds(await receive(1), language, { key: inDays(30), secret: inDays(60) })
    },
  )

  it('tells one end for credentials of one age, that of the secret alone, and none where none expires', async () => {
    const same = open({ delivery, ages: [undefined, undefined], credentials: { maxAge: 90 } })
    await same.register('en')
    expectEnds(await same.receive(1), 'en', { key: same.inDays(90), secret: same.inDays(90) })
    const one = open({ delivery, ages: [undefined, 7] })
    await one.register('en')
    expectEnds(await one.receive(1), 'en', { key: undefined, secret: one.inDays(7) })
    const none = open({ delivery, ages: [undefined, undefined] })
    await none.register('en')
    expectEnds(await none.receive(1), 'en', { key: undefined, secret: undefined })
  })

  it.each(['key', 'secret'] as const)(
    'tells the end of a %s that is rotated by e-mail: the maximum age, or the earlier end of an operator',
    async (kind) => {
      const { applications, receive, register, inDays, clock } = open({ delivery })
      await register('en')
      const { application } = await receive(1)
      const { id } = application
      const rotate = () =>
        kind === 'key'
          ? applications.rotateKey(id, { deliver: 'email', overlap: 0 })
          : applications.rotateSecret(id, { deliver: 'email', overlap: 0 })
      clock.advance(3600)
      await rotate()
      const later = await receive(2)
      const aged = kind === 'key' ? { key: inDays(30), secret: undefined } : { key: undefined, secret: inDays(60) }
      expectEnds(later, 'en', aged)
      const end = inDays(10)
      const list = kind === 'key' ? later.application.keys : later.application.secrets
      await applications.updateCredential(id, list[0]!.id, { expiresAt: end, by: 'alice' })
      await rotate()
      expectEnds(await receive(3), 'en', { key: undefined, secret: undefined, [kind]: end })
    },
  )

  it('tells the ends of what a recovery delivers', async () => {
    const { applications, receive, register, inDays, clock } = open({ delivery })
    await register('fr')
    const { application } = await receive(1)
    const end = inDays(5)
    for (const { id } of application.keys) await applications.updateCredential(application.id, id, { expiresAt: end })
    clock.advance(3600)
    await applications.recover(application.id, { contact: 'new@customer.example', deliver: 'email' })
    // The operator's end goes on to bound the key.
    expectEnds(await receive(2), 'fr', { key: end, secret: inDays(60) })
  })
})

it('resolves an operator the ends that were saved', async () => {
  const { applications, inDays } = open({})
  const { application } = await applications.create({ name: 'Shop', apis: ['orders', 'catalog'], contact: CONTACT })
  const { id } = application
  const ends = ({ keys, secrets }: Application) => [keys, secrets].map((list) => list.map(({ expiresAt }) => expiresAt))
  expect(ends(application)).toEqual([[inDays(30)], [inDays(60)]])
  const added = await applications.addKey(id, { name: 'more', expiresAt: inDays(3) })
  expect(added.credential.expiresAt).toEqual(inDays(3))
  const calls = [
    () => applications.rotateKey(id, { credential: added.credential.id, overlap: 0 }),
    () => applications.rotateSecret(id),
    () => applications.recover(id, { contact: CONTACT }),
  ]
  for (const call of calls) {
    const resolved = await call()
    expect(ends(resolved.application)).toEqual(ends((await applications.get(id))!))
  }
})
