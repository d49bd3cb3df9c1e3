import { describe, expect, it, vi } from 'vitest'
import { isFollowable } from '../../../src/shared/lib/followable.js'
import type { EmailMessage } from '../../../src/features/emails/index.js'
import type { QueuedEmail, StoreWith } from '../../../src/store.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { BACKINGS, type Test } from '../../core/applications/applicant.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'

const ANN = 'ann@shop.example'
const BOB = 'bob@shop.example'
const EVE = 'eve@shop.example'
/** What a contact does. */
const byEve = { by: `contact:${EVE}` }
const MINUTES = 60
/** Changes in a minute, of which 20 are listed. */
const MANY = IS_LONG_LANE ? 100 : 30

/** SQLite, whose statements are those of PostgreSQL, in the long lane. */
const TRIED = Object.entries(BACKINGS).filter(([name]) => IS_LONG_LANE || name !== 'SQLite')

/** An application whose contacts are Ann (the first), Bob and Eve. */
async function openShop(test: Test, options: TestOptions = {}, openBacking = BACKINGS['memory']!) {
  const openStore = await openBacking(test)
  const mailer = memoryMailer()
  const open = (store: StoreWith) =>
    openPlatform({ mailer, developersUrl: 'https://example.com/developers', ...options, store })
  const store = openStore()
  const { auth, clock } = open(store)
  test.onTestFinished(() => auth.close())
  const { application } = await auth.applications.create({ name: 'Shop', contact: ANN, apis: ['orders', 'catalog'] })
  for (const contact of [BOB, EVE]) await auth.applications.addContact(application.id, contact)
  const { id } = application
  const listQueued = (): Promise<readonly QueuedEmail[]> =>
    store.emails.list({ applicationId: id, purpose: 'changes', state: undefined, limit: 1000 })
  /** The e-mails of the last 10 minutes, by recipient. */
  async function receive(): Promise<Record<string, EmailMessage>> {
    const before = mailer.emails.length
    clock.advance(10 * MINUTES)
    await vi.waitFor(async () => expect(await listQueued()).toEqual([]), 60_000)
    const received = mailer.emails.slice(before)
    expect(new Set(received.map(({ to }) => to)).size, 'one e-mail for each').toBe(received.length)
    return Object.fromEntries(received.map((email) => [email.to, email]))
  }
  return { auth, clock, store, mailer, id, calls: auth.applications, listQueued, receive, openStore, open }
}

describe.concurrent.each(TRIED)('%s', (_, openBacking) => {
  it('what a contact changes is told to each other contact in one e-mail after 10 minutes', async (test) => {
    const { auth, calls, id, mailer, receive, clock } = await openShop(test, {}, openBacking)
    const { credential, credentials } = await calls.addKey(id, { name: 'ware <house>', ...byEve })
    clock.advance(9 * MINUTES)
    const rotated = await calls.rotateSecret(id, byEve)
    await calls.updateCredential(id, credential.id, { name: 'depot', ...byEve })
    await calls.endCredential(id, credential.id, { revokeTokens: true, ...byEve })
    await auth.portal.invite(id, 'carl@shop.example', byEve)
    await calls.cancelInvitation(id, 'carl@shop.example', byEve)
    expect(mailer.emails.filter(({ subject }) => subject.startsWith('Changes'))).toEqual([])
    const { [ANN]: ann, [BOB]: bob, ...others } = await receive()
    // The invitation itself, or nothing.
    expect(Object.keys(others).filter((to) => to !== 'carl@shop.example')).toEqual([])
    for (const email of [ann!, bob!]) {
      expect(email.subject).toBe('Changes to your application at api.example.com')
      const lines = [
        'A contact added the key “ware <house>”',
        'A contact replaced the secret “default” by a new one',
        'A contact renamed the key “ware <house>” to “depot”',
        'A contact ended the key “depot”',
        'A contact revoked all access tokens',
        'A contact invited a person',
      ]
      expect(lines.filter((line) => !email.text.includes(line))).toEqual([])
      expect(email.html).toContain('ware &#60;house&#62;')
      const plain = email.text.replaceAll(
        /https:\/\/example.com\/developers\S*|api\.example\.com|\d+ \w+ \d+, [\d:]+ UTC|app_\w+/g,
        '',
      )
      expect(plain.split('\n').filter(isFollowable), 'neither an address nor a link of a contact').toEqual([])
      for (const secret of [credentials.clientId, rotated.credentials.clientSecret, credential.prefix])
        expect(email.text + email.html).not.toContain(secret)
    }
  })

  it(`${MANY} changes in a minute are one e-mail for each contact, in which a removal is not hidden`, async (test) => {
    const { calls, id, receive, listQueued, clock } = await openShop(test, {}, openBacking)
    const { credential } = await calls.addKey(id, { name: 'name 0', ...byEve })
    for (let count = 1; count < MANY - 1; count++) {
      clock.advance(0.6)
      await calls.updateCredential(id, credential.id, { name: `name ${count}`, ...byEve })
    }
    await calls.removeContact(id, ANN, byEve)
    expect((await listQueued()).map(({ recipient }) => String(recipient)).toSorted()).toEqual([ANN, BOB])
    const { [ANN]: ann, [BOB]: bob, ...others } = await receive()
    expect(others).toEqual({})
    for (const email of [ann!, bob!]) {
      expect(email.text).toContain(`There were ${MANY} changes, of which 20 are listed here.`)
      expect(email.text).toMatch(/removed (?:you|a contact)/)
      expect(email.text).toContain('added the key “name 0”')
      expect(email.html.length).toBeLessThan(30_000)
    }
  })

  it('two platforms that change at once tell of every change once', async (test) => {
    const { calls, id, clock, mailer, receive, openStore, open } = await openShop(test, {}, openBacking)
    const other = open(openStore())
    test.onTestFinished(() => other.auth.close())
    const both = [calls, other.auth.applications]
    const names = Array.from({ length: 12 }, (__, index) => `key ${index}.`)
    await Promise.all(names.map((name, index) => both[index % 2]!.addKey(id, { name, ...byEve })))
    expect(mailer.emails).toEqual([])
    // The other one has a clock of its own, which stands still.
    clock.advance(1)
    const { [ANN]: ann, [BOB]: bob } = await receive()
    for (const email of [ann!, bob!])
      expect(names.map((name) => email.text.split(`“${name}”`).length - 1)).toEqual(names.map(() => 1))
  })

  it('a contact who deletes the application does not keep it from telling, also those who were removed before', async (test) => {
    const { calls, id, receive } = await openShop(test, {}, openBacking)
    await calls.removeContact(id, ANN, byEve)
    await calls.delete(id, byEve)
    const { [ANN]: ann, [BOB]: bob, ...others } = await receive()
    expect(others).toEqual({})
    expect(ann!.subject).toContain('no longer a contact')
    expect(ann!.text).toContain('“Shop”')
    expect(bob!.subject).toBe('Your application at api.example.com was deleted')
    expect(bob!.text).toContain('“Shop”')
    expect(bob!.text).toContain('A contact removed a contact')
  })

  it('e-mails that nobody sends do not stay for ever', async (test) => {
    const { calls, id, clock, listQueued, openStore } = await openShop(test, {}, openBacking)
    await calls.removeContact(id, BOB)
    expect(await listQueued()).toHaveLength(1)
    const now = (): number => clock.now() + 8 * 24 * 3600 * 1000
    const { auth } = openPlatform({ store: openStore(), now })
    test.onTestFinished(() => auth.close())
    await auth.ready()
    await vi.waitFor(async () => expect(await listQueued()).toEqual([]), 60_000)
  })
})

describe.concurrent('memory', () => {
  it('whoever is removed learns it with what was changed before, and nothing of later changes', async (test) => {
    const { calls, id, receive } = await openShop(test)
    await calls.addKey(id, { name: 'first', ...byEve })
    await calls.removeContact(id, ANN, byEve)
    await calls.addKey(id, { name: 'second', ...byEve })
    const { [ANN]: ann, [BOB]: bob, ...others } = await receive()
    expect(others).toEqual({})
    expect(ann!.subject).toBe('You are no longer a contact of an application at api.example.com')
    expect(ann!.text).toContain('A contact removed you')
    expect(ann!.text).toContain('first')
    expect(ann!.text).not.toContain('second')
    expect(ann!.text).not.toContain('https://example.com/developers/applications')
    for (const part of ['first', 'A contact removed a contact', 'second']) expect(bob!.text).toContain(part)
  })

  it('what the operator deletes is told to nobody but to those who were removed before', async (test) => {
    const { calls, id, receive } = await openShop(test)
    await calls.addKey(id, { name: 'first', ...byEve })
    await calls.removeContact(id, ANN, byEve)
    await calls.delete(id, { by: 'alice' })
    expect(Object.keys(await receive())).toEqual([ANN])
  })

  it('the operator tells those whom he removes, and nobody of anything else', async (test) => {
    const { calls, id, receive, listQueued } = await openShop(test)
    await calls.addKey(id, { name: 'first', by: 'alice' })
    await calls.rotateSecret(id)
    await calls.addContact(id, 'carl@shop.example', { by: 'contact: nobody' })
    // The former address may be a stranger's, or in the hands of one.
    await calls.update(id, { contact: 'dora@shop.example' })
    expect(await listQueued()).toEqual([])
    await calls.removeContact(id, BOB)
    const removed = await receive()
    expect(Object.keys(removed)).toEqual([BOB])
    expect(removed[BOB]!.text).toContain('The operator removed you')
    await calls.recover(id, { contact: ANN })
    expect(await listQueued()).toEqual([])
  })

  it('whoever was removed before the application was recovered is still told, others of it are not', async (test) => {
    const { calls, id, receive } = await openShop(test)
    await calls.removeContact(id, ANN, byEve)
    await calls.addKey(id, { name: 'first', ...byEve })
    await calls.recover(id, { contact: 'dora@shop.example' })
    expect(Object.keys(await receive())).toEqual([ANN])
  })

  it('whoever is removed twice, or is a contact again, is told what is true when the e-mail is sent', async (test) => {
    const { calls, id, receive } = await openShop(test)
    await calls.removeContact(id, ANN, byEve)
    await calls.addContact(id, ANN.toUpperCase().replace('SHOP.EXAMPLE', 'shop.example'))
    await calls.removeContact(id, BOB, byEve)
    await calls.addContact(id, BOB)
    await calls.removeContact(id, BOB, byEve)
    const { [ANN]: ann, [BOB]: bob } = await receive()
    expect(ann!.text).toContain('you are a contact now')
    expect(ann!.subject).toContain('Changes')
    expect(bob!.subject).toContain('no longer a contact')
    expect(bob!.text.split('A contact removed you')).toHaveLength(3)
  })

  it('a contact who leaves is told to the others and not to himself', async (test) => {
    const { calls, id, receive, mailer } = await openShop(test)
    await calls.removeContact(id, EVE, byEve)
    const { [ANN]: ann, ...others } = await receive()
    expect(ann!.text).toContain('A contact left')
    expect(Object.keys(others)).toEqual([BOB])
    expect(mailer.emails.map(({ to }) => to)).not.toContain(EVE)
  })

  it('a suspension holds no such e-mail back', async (test) => {
    const { calls, id, receive } = await openShop(test)
    await calls.addKey(id, { name: 'first', ...byEve })
    await calls.suspend(id)
    await calls.revokeTokens(id, byEve)
    const { [ANN]: ann } = await receive()
    expect(ann!.text).toContain('first')
    expect(ann!.text).toContain('revoked all access tokens')
  })

  it('a change while the e-mail is being sent is in the next one', async (test) => {
    let accept = (): void => undefined
    const accepted = new Promise<void>((resolve) => void (accept = resolve))
    const sent: EmailMessage[] = []
    const send = async (email: EmailMessage): Promise<void> => {
      sent.push(email)
      await accepted
    }
    const { calls, id, clock, listQueued } = await openShop(test, { mailer: { send } })
    await calls.addKey(id, { name: 'first', ...byEve })
    clock.advance(10 * MINUTES)
    await vi.waitFor(() => expect(sent).toHaveLength(2), 60_000)
    await calls.addKey(id, { name: 'second', ...byEve })
    accept()
    await vi.waitFor(async () => expect(await listQueued()).toHaveLength(2), 60_000)
    clock.advance(10 * MINUTES)
    await vi.waitFor(() => expect(sent).toHaveLength(4), 60_000)
    for (const { text } of sent.slice(0, 2)) expect(text).not.toContain('second')
    for (const { text } of sent.slice(2)) {
      expect(text).toContain('second')
      expect(text).not.toContain('first')
    }
  })

  it('a mail server that refuses for days makes no pile of e-mails', async (test) => {
    let refused = 0
    const mailer = memoryMailer()
    const send = async (email: EmailMessage): Promise<void> => {
      if (refused < 0) return void mailer.send(email)
      refused += 1
      throw Object.assign(new Error('no'), { responseCode: 451 })
    }
    const { calls, id, clock, auth, listQueued } = await openShop(test, { mailer: { send } })
    await calls.addKey(id, { name: 'key 0', ...byEve })
    const status = await auth.emails.status()
    expect(status).toMatchObject({ waiting: 2, deferred: 0, oldestAt: undefined })
    for (let day = 1; day <= 5; day++) {
      const before = refused
      clock.advance(24 * 60 * MINUTES)
      await vi.waitFor(() => expect(refused).toBeGreaterThanOrEqual(before + 2), 60_000)
      await vi.waitFor(
        async () => expect((await listQueued()).every(({ leasedUntil }) => leasedUntil === 0)).toBe(true),
        60_000,
      )
      await calls.addKey(id, { name: `key ${day}`, ...byEve })
      expect(await listQueued()).toHaveLength(2)
    }
    refused = -1
    clock.advance(60 * MINUTES)
    await vi.waitFor(async () => expect(await listQueued()).toEqual([]), 60_000)
    const { text } = mailer.emails.find(({ to }) => to === ANN)!
    for (let day = 0; day <= 5; day++) expect(text).toContain(`key ${day}`)
  })

  it('queued e-mails about changes hide none of the others from a cancellation or a suspension', async (test) => {
    const { calls, id, auth, listQueued } = await openShop(test)
    for (let count = 0; count < 105; count++) {
      await calls.addContact(id, `dev${count}@shop.example`)
      await calls.removeContact(id, `dev${count}@shop.example`)
    }
    expect(await listQueued()).toHaveLength(100)
    await auth.portal.invite(id, 'carl@shop.example')
    expect((await auth.emails.cancel(id)).cancelled).toBeGreaterThanOrEqual(100)
    expect(await listQueued()).toEqual([])
  })
})
