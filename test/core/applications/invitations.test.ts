import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createApplicationWriter } from '../../../src/core/applications/records/application-writer.js'
import { createContacts } from '../../../src/core/applications/contacts/contacts.js'
import { createCredentials } from '../../../src/core/applications/credentials/credentials.js'
import { issueInvitationToken } from '../../../src/core/applications/contacts/contact-lists.js'
import { createInvitations } from '../../../src/features/portal/invitations.js'
import { emails } from '../../../src/features/emails/index.js'
import { portal } from '../../../src/features/portal/index.js'
import { memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { fakeClock, memoryMailer, type ReceivedEmail } from '../../../src/tools/testing/index.js'
import { openPlatform, usePlatform } from '../../support/platform.js'
import { application, audit } from '../../stores/suite/records.js'
import { expectRefused } from './operator.js'

const ID = `app_${'a'.repeat(32)}`
const INVITED = 'Carl@partner.example'
const DAY_SECONDS = 86_400

/** The calls on invitations as two processes on one store have them. */
async function open(store: StoreWith = memoryStore()) {
  const clock = fakeClock()
  const credentials = createCredentials('epa', randomBytes(32))
  const { now } = clock
  await store.saveApplication(application(ID, { contact: 'ann@partner.example' }), audit(ID))

  function startProcess() {
    const writer = createApplicationWriter({ store, now })
    const opened = async () => credentials
    const invitations = createInvitations({ store, writer, opened, wakeSender() {}, now })
    return { ...invitations, ...createContacts({ store, writer, opened, now }), writer }
  }

  const [one, other] = [startProcess(), startProcess()]
  /** What an attempt to send the e-mail does. */
  async function issue(): Promise<string> {
    const [email] = await store.emails.list({ applicationId: ID, purpose: 'invitation', state: undefined, limit: 1 })
    const { result } = await one.writer.change(ID, { type: undefined }, (current) => {
      const { token, changed } = issueInvitationToken(current, email!, credentials, now())!
      return { changed, result: token }
    })
    return result!
  }
  return { store, clock, one, other, issue }
}

it('an invitation makes its reader a contact, once, and is recorded as his own action', async () => {
  const { store, one, other, issue } = await open()
  const { invitations, contacts } = await one.invite(ID, INVITED, { by: 'contact:ann@partner.example' })
  expect(contacts).toEqual(['ann@partner.example'])
  expect(invitations).toMatchObject([{ address: INVITED, by: 'contact:ann@partner.example' }])
  const token = await issue()
  const acceptances = Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).acceptInvitation(token, undefined))
  const accepted = (await Promise.all(acceptances)).filter((each) => each !== undefined)
  expect(accepted).toEqual([{ applicationId: ID, applicationName: `Application ${ID}`, address: INVITED }])
  expect(await store.findApplication(ID)).toMatchObject({ otherContacts: [INVITED], invitations: [] })
  // The other contact is told of it.
  expect(await store.emails.list({ applicationId: ID, state: undefined, limit: 10 })).toMatchObject([
    { purpose: 'changes', recipient: 'ann@partner.example' },
  ])
  const records = await store.listAudit({ after: undefined, limit: 10, applicationId: ID })
  expect(records.map(({ type, by }) => [type, by])).toEqual([
    ['application.updated', undefined],
    ['application.contactInvited', 'contact:ann@partner.example'],
    ['application.contactAdded', 'contact:carl@partner.example'],
  ])
  expect(JSON.stringify(records.map(({ details }) => details))).not.toContain('partner.example')
})

it('an invitation is refused when it has expired, was cancelled, replaced or sent by somebody who was removed', async () => {
  const { store, clock, one, issue } = await open()
  const accept = (token: string) => one.acceptInvitation(token, undefined)

  await one.invite(ID, INVITED)
  const expired = await issue()
  clock.advance(7 * DAY_SECONDS)
  expect(await accept(expired)).toBeUndefined()

  await one.invite(ID, INVITED)
  const replaced = await issue()
  await one.invite(ID, INVITED.toLowerCase())
  const cancelled = await issue()
  expect(await accept(replaced)).toBeUndefined()
  await one.cancelInvitation(ID, INVITED)
  expect(await accept(cancelled)).toBeUndefined()
  await expectRefused(one.cancelInvitation(ID, INVITED), 'invalid_state')
  expect(await store.emails.list({ applicationId: ID, state: undefined, limit: 10 })).toEqual([])

  await one.addContact(ID, 'bob@partner.example')
  await one.invite(ID, INVITED, { by: 'contact:bob@partner.example' })
  const ofRemoved = await issue()
  await one.removeContact(ID, 'Bob@partner.example')
  expect(await accept(ofRemoved)).toBeUndefined()

  await one.invite(ID, INVITED)
  const used = await issue()
  const { status: _, version, ...rest } = (await store.findApplication(ID))!
  await store.saveApplication({ ...rest, status: 'suspended', version: version + 1 }, audit(ID))
  expect(await accept(used)).toBeUndefined()
  for (const token of [
    '',
    'x',
    ID,
    `${ID}.${'A'.repeat(43)}`,
    used.slice(0, -1),
    `app_${'b'.repeat(32)}${used.slice(36)}`,
  ]) {
    expect(await accept(token), token).toBeUndefined()
  }
})

it('the links of the last two attempts to send an invitation work', async () => {
  const { one, issue } = await open()
  await one.invite(ID, INVITED)
  const [first, second, third] = [await issue(), await issue(), await issue()]
  expect(await one.acceptInvitation(first, undefined)).toBeUndefined()
  expect(await one.acceptInvitation(second, undefined)).toMatchObject({ address: INVITED })
  expect(await one.acceptInvitation(third, undefined)).toBeUndefined()
})

it('contacts and open invitations are ten at most, so that each invitation can be accepted', async () => {
  const { clock, one } = await open()
  for (let i = 0; i < 9; i++) await one.invite(ID, `dev${i}@partner.example`)
  await expectRefused(one.invite(ID, INVITED), 'too_many_contacts')
  await expectRefused(one.addContact(ID, INVITED), 'too_many_contacts')
  await one.invite(ID, 'DEV3@partner.example')
  expect((await one.addContact(ID, 'dev4@partner.example')).invitations).toHaveLength(8)
  await expectRefused(one.invite(ID, 'dev4@partner.example'), 'conflict')
  await expectRefused(one.invite(ID, 'root@localhost'), 'invalid_argument')
  clock.advance(7 * DAY_SECONDS)
  expect((await one.invite(ID, INVITED)).invitations).toHaveLength(1)
})

it('the e-mail of an invitation goes to the invited address, names the contact who invited, and has the link', async () => {
  const mailer = memoryMailer()
  const { auth } = usePlatform({ mailer, developersUrl: 'https://example.com/developers' })
  const { application: created } = await auth.applications.create({
    name: 'Shop',
    contact: 'ann@partner.example',
    apis: ['catalog'],
  })
  await auth.portal.invite(created.id, INVITED, { by: 'contact:ann@partner.example' })
  const [{ to, text }] = (await mailer.sent()) as [ReceivedEmail]
  expect(to).toBe(INVITED)
  expect(text).toMatch(
    new RegExp(`https://example\\.com/developers/applications/invitation#${created.id}\\.[\\w-]{43}`),
  )
  await expect
    .poll(async () => (await auth.audit.list({ applicationId: created.id })).items.at(-1)?.type)
    .toBe('application.delivered')
  expect((await auth.applications.get(created.id))?.status).toBe('active')
})

it('an invitation needs the portal, which needs a mailer and developersUrl', async () => {
  const { auth } = openPlatform({ mailer: memoryMailer() })
  expect(Object.keys(auth)).not.toContain('portal')
  await auth.close()
  const features = [emails({ mailer: memoryMailer() }), portal()]
  expect(() => openPlatform({ features })).toThrow('developersUrl')
  const developersUrl = 'https://example.com/developers'
  expect(() => openPlatform({ features: [portal()], developersUrl })).toThrow('portal(), which needs emails()')
})
