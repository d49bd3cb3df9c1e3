import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { APIS, EXPRESSES } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { createBrowser, readHiddenFields, ROOT } from './browser.js'
import { addApplication, nextSignInEmail, openLink, usePortal, type PortalHost } from './portal-app.js'

const CONTACT = 'dev@shop.example'
const STRANGER = 'nobody@shop.example'

/** A portal that takes the client's address from a header, and keeps what it stores of sign-ins. */
function openBehindProxy(rateLimits: object = {}, options: object = {}) {
  const store = memoryStore()
  const signIns: Parameters<StoreWith['signIns']['add']>[0][] = []
  const recording: StoreWith = {
    ...store,
    signIns: { ...store.signIns, add: (signIn) => (signIns.push(signIn), store.signIns.add(signIn)) },
  }
  const host = usePortal(
    { store: recording, rateLimits: { signIn: { limit: 5, window: 3600 }, ...rateLimits }, ...options },
    { prepare: (app) => app.set('trust proxy', true) },
  )
  return { ...host, signIns }
}

/** Asks for an e-mail from an address; `guess` sends a code to the page that was answered. */
async function ask(host: PortalHost, address: string, contact = CONTACT) {
  const browser = createBrowser(host.app)
  const headers = { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': address }
  const { csrf } = readHiddenFields((await browser.get()).text)
  const { status, text } = await browser.post(`${ROOT}/sign-in`, { contact, csrf: csrf! }, headers)
  const fields = readHiddenFields(text.slice(text.indexOf('sign-in/code')))
  const guess = (code: string) => browser.post(`${ROOT}/sign-in/code`, { ...fields, csrf: csrf!, code }, headers)
  return { status, guess }
}

/** A registration for the catalog is active as soon as the e-mail with its credentials was accepted; one for the weather waits for an operator. */
const APIS_WITH_APPROVAL = { apis: { ...APIS, weather: { ...APIS.weather, registration: 'manual' } } }
const OTHER = 'ann@shop.example'

/** An application that registered itself; resolves its id once its credentials were sent. */
async function registerActive({ auth }: PortalHost, contact = CONTACT): Promise<string> {
  const { id } = (await auth.registration.register({ name: 'Shop', contact, apis: ['catalog'] })).application
  await expect.poll(async () => (await auth.applications.get(id))?.status).toBe('active')
  return id
}

/** Asks for sign-in e-mails of a mailbox from four addresses, and resolves how many were sent. */
async function countSignInEmails(host: PortalHost, firstAddress = 20, contact = CONTACT): Promise<number> {
  const list = () => host.mailer.emails.filter(({ to, text }) => to === contact && text.includes('/sign-in#'))
  const before = list().length
  for (let i = 0; i < 4; i++) expect((await ask(host, addressOf(firstAddress + i), contact)).status).toBe(202)
  await expect.poll(() => list().length).toBeGreaterThan(before)
  // Each e-mail is delayed by half a second at most, so that its time shows nothing.
  await sleep(600)
  return list().length - before
}

const addressOf = (i: number): string => `192.0.2.${i}`

describe('the e-mails of a mailbox', () => {
  it('P66: are not used up by one address: the contact gets an e-mail at another one', async () => {
    const host = openBehindProxy()
    await addApplication(host.auth, CONTACT)
    const statuses: number[] = []
    for (let i = 0; i < 7; i++) statuses.push((await ask(host, addressOf(1))).status)
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429])
    await nextSignInEmail(host.mailer, 4)
    const { guess } = await ask(host, addressOf(2))
    const { code } = await nextSignInEmail(host.mailer, 5)
    // Nor do its guesses, of all codes that it has asked for, end the contact's.
    expect((await guess(code)).status).toBe(303)
  })

  it('P66: end at three times as many as one address may ask for; what is stored above that has the same form', async () => {
    const host = openBehindProxy()
    await addApplication(host.auth, CONTACT)
    for (let i = 0; i < 20; i++) expect((await ask(host, addressOf(i))).status).toBe(202)
    await nextSignInEmail(host.mailer, 14)
    expect(host.mailer.emails).toHaveLength(15)
    expect(host.signIns).toHaveLength(20)
    // Each is stored with the hash of something.
    expect(new Set(host.signIns.map(({ codeHash }) => codeHash?.length))).toEqual(new Set([43]))
  })
})

describe('the mailbox of a registration that waits', () => {
  it('P66: gets one e-mail an hour, however many addresses ask; one that is a contact elsewhere gets them all', async () => {
    const host = openBehindProxy()
    await host.auth.registration.register({ name: 'Waiting', contact: CONTACT, apis: ['invoices'] })
    const before = host.mailer.emails.length
    for (let i = 0; i < 4; i++) expect((await ask(host, addressOf(i))).status).toBe(202)
    await nextSignInEmail(host.mailer, before)
    // Each e-mail is delayed by half a second at most, so that its time shows nothing.
    await sleep(600)
    expect(host.mailer.emails).toHaveLength(before + 1)
    await addApplication(host.auth, CONTACT)
    await ask(host, addressOf(9))
    await nextSignInEmail(host.mailer, before + 1)
    expect(host.mailer.emails).toHaveLength(before + 2)
  })
})

describe('the mailbox of a registration that sent its credentials, and that nobody has confirmed', () => {
  it('P66: gets one e-mail an hour, however many addresses ask and however many such registrations it has', async () => {
    const host = openBehindProxy({ registration: false }, APIS_WITH_APPROVAL)
    for (let i = 0; i < 3; i++) await registerActive(host)
    expect(await countSignInEmails(host)).toBe(1)
  })

  it('P66: gets every e-mail once somebody has signed in with it, also after its credentials were replaced', async () => {
    const host = openBehindProxy({}, APIS_WITH_APPROVAL)
    const id = await registerActive(host)
    const { guess } = await ask(host, addressOf(1))
    const { code } = await nextSignInEmail(host.mailer, 1)
    expect((await guess(code)).status).toBe(303)
    await host.auth.applications.rotateKey(id)
    expect(await countSignInEmails(host)).toBe(4)
  })

  it('P66: gets every e-mail once a credential was used, also when that credential is gone', async () => {
    const host = openBehindProxy({}, APIS_WITH_APPROVAL)
    const id = await registerActive(host)
    const key = /epa_key_\w+/.exec(host.mailer.emails[0]!.text)![0]
    expect(await host.auth.verifyApiKey('catalog', key)).toBeTruthy()
    // Reading an application writes the times of the last uses.
    expect((await host.auth.applications.get(id))?.keys[0]?.lastUsedAt).toBeInstanceOf(Date)
    expect(await countSignInEmails(host)).toBe(4)
    await host.auth.applications.rotateKey(id)
    await host.auth.applications.rotateKey(id, { overlap: 0 })
    expect((await host.auth.applications.get(id))?.keys.map(({ lastUsedAt }) => lastUsedAt)).toEqual([undefined])
    expect(await countSignInEmails(host, 50)).toBe(4)
  })

  it.each<readonly [how: string, confirm: (host: PortalHost) => Promise<unknown>, options: object]>([
    [
      'an operator has set its contact',
      async (host) => host.auth.applications.update(await registerActive(host, OTHER), { contact: CONTACT }),
      {},
    ],
    [
      'an operator has recovered it',
      async (host) => host.auth.applications.recover(await registerActive(host), { contact: CONTACT }),
      {},
    ],
    [
      'an operator has made its contact the first',
      async (host) => {
        const id = await registerActive(host, OTHER)
        await host.auth.applications.addContact(id, CONTACT)
        await host.auth.applications.removeContact(id, OTHER)
      },
      {},
    ],
    [
      'an operator has approved it',
      async ({ auth }) => {
        const { id } = (await auth.registration.register({ name: 'Shop', contact: CONTACT, apis: ['weather'] }))
          .application
        await auth.applications.approve(id)
        await expect.poll(async () => (await auth.applications.get(id))?.status).toBe('active')
      },
      {},
    ],
    [
      'its claim link was used',
      async ({ auth, mailer }) => {
        await auth.registration.register({ name: 'Shop', contact: CONTACT, apis: ['catalog'] })
        await expect.poll(() => mailer.emails).toHaveLength(1)
        const token = /claim#(\S+)/.exec(mailer.emails[0]!.text)![1]
        const app = EXPRESSES['Express 5']().use('/developers/register', auth.registration.router, auth.emails.router)
        expect((await request(app).post('/developers/register/claim').send({ token })).status).toBe(200)
      },
      { delivery: 'claim-link' },
    ],
  ])('P66: gets every e-mail once %s', async (_how, confirm, options) => {
    const host = openBehindProxy({}, { ...APIS_WITH_APPROVAL, ...options })
    await confirm(host)
    expect(await countSignInEmails(host)).toBe(4)
  })

  it('P66: gets every e-mail of an application that was created for it, behind 120 such registrations', async () => {
    const host = openBehindProxy({ registration: false, allRegistrations: false }, APIS_WITH_APPROVAL)
    for (let i = 0; i < 120; i++)
      await host.auth.registration.register({ name: `S${i}`, contact: CONTACT, apis: ['catalog'] })
    await addApplication(host.auth, CONTACT)
    expect(await countSignInEmails(host)).toBe(4)
  })

  it('P66: is limited for the address that was registered, not for contacts who have accepted an invitation', async () => {
    const host = openBehindProxy({}, APIS_WITH_APPROVAL)
    const id = await registerActive(host, OTHER)
    await host.auth.applications.addContact(id, CONTACT)
    expect(await countSignInEmails(host)).toBe(4)
    expect(await countSignInEmails(host, 50, OTHER)).toBe(1)
  })
})

describe('the mailbox of a contact whom strangers have registered again and again', () => {
  it.each(['active', 'suspended'] as const)(
    'P66: gets every e-mail of its %s application behind 25 that wait',
    async (status) => {
      const host = openBehindProxy({ registration: false })
      for (let i = 0; i < 25; i++)
        await host.auth.registration.register({ name: `W${i}`, contact: CONTACT, apis: ['invoices'] })
      const id = await addApplication(host.auth, CONTACT)
      if (status === 'suspended') await host.auth.applications.suspend(id)
      const before = host.mailer.emails.length
      for (let i = 0; i < 3; i++) {
        await ask(host, addressOf(i))
        await nextSignInEmail(host.mailer, before + i)
      }
    },
  )

  it('P66: gets one e-mail an hour if all of 25 wait, and none for an invitation that it has not accepted', async () => {
    const host = openBehindProxy({ registration: false })
    for (let i = 0; i < 25; i++)
      await host.auth.registration.register({ name: `W${i}`, contact: CONTACT, apis: ['invoices'] })
    const id = await addApplication(host.auth, 'ann@shop.example')
    await host.auth.portal.invite(id, CONTACT)
    await host.auth.portal.invite(id, STRANGER)
    const signIns = () => host.mailer.emails.filter(({ text }) => text.includes('/sign-in'))
    for (let i = 0; i < 3; i++) {
      await ask(host, addressOf(i))
      await ask(host, addressOf(10 + i), STRANGER)
    }
    await expect.poll(() => signIns().length).toBe(1)
    await sleep(600)
    expect(signIns().map(({ to }) => to)).toEqual([CONTACT])
  })
})

describe('the codes of a mailbox', () => {
  it('P67: are guessed 50 times an hour, whoever guesses which; the link that was sent works after that', async () => {
    const host = openBehindProxy({ signIn: false })
    await addApplication(host.auth, CONTACT)
    const own = await ask(host, addressOf(200))
    const { code, link } = await nextSignInEmail(host.mailer, 0)
    const wrong = new Set<string>()
    for (let i = 0; i < 11; i++) {
      const { guess } = await ask(host, addressOf(i))
      for (let j = 0; j < 5; j++) wrong.add(normalize(await guess('BBBB-BBBB')))
    }
    const refused = await own.guess(code)
    expect(refused.status).toBe(400)
    // One answer, so that it does not show that somebody guesses.
    expect([...wrong]).toEqual([normalize(refused)])
    const browser = createBrowser(host.app)
    await openLink(browser, link)
    expect(browser.page.text).toContain('Sign out')
    // Those of other mailboxes are not affected.
    await addApplication(host.auth, STRANGER)
    await nextSignInEmail(host.mailer, 11)
    const other = await ask(host, addressOf(201), STRANGER)
    expect((await other.guess((await nextSignInEmail(host.mailer, 12)).code)).status).toBe(303)
  })
})

/** Without what is random in each answer. */
function normalize({ status, text }: { readonly status: number; readonly text: string }): string {
  return `${status} ${text.replaceAll(/value="[^"]*"/g, '')}`
}
