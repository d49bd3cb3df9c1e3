import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { smtpMailer } from '../../../src/features/emails/smtp.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { freePort } from '../../support/free-port.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { usePlatform } from '../../support/platform.js'
import { readMail, startMailServer, transportTo } from '../../support/smtp.js'
import { killProcess, useSpareProcesses } from '../../support/spare-processes.js'
import { usePortalApp, visit } from './pages-app.js'
import { signIn, type Visitor } from './visitor.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

const ANN = 'ann@shop.example'
const BOB = 'bob@shop.example'
const EVE = 'eve@shop.example'
const TEN_MINUTES = 600

it('the owner whom a colleague removes at the portal, after adding a key, gets one e-mail about both', async () => {
  const server = await startMailServer()
  onTestFinished(() => server.close())
  const mailer = smtpMailer({ transport: transportTo(server), from: 'developers@example.com' })
  const app = await usePortalApp({ mailer })
  const { application } = await app.auth.applications.create({ name: 'Shop', contact: ANN, apis: ['orders'] })
  const { id } = application
  await app.auth.portal.invite(id, EVE, { by: `contact:${ANN}` })
  await vi.waitFor(() => expect(server.mailsTo(EVE)).toHaveLength(1), 20_000)
  const { text: invitation = '' } = await readMail(server.mailsTo(EVE)[0]!)
  await accept(/https?:\S+\/invitation#\S+/.exec(invitation)![0])
  const eve = await visit(app, EVE)
  const added = await eve.submit(await eve.open(`${id}/credentials/new-key`), { name: 'backdoor' })
  const key = /epa_key_\w{34}/.exec(added.text)![0]
  await removeColleague(eve, id)
  app.clock.advance(TEN_MINUTES)
  await vi.waitFor(() => expect(server.mailsTo(ANN)).toHaveLength(1), 20_000)
  const { subject, text = '', html = '' } = await readMail(server.mailsTo(ANN)[0]!)
  expect(subject).toBe(`You are no longer a contact of an application at ${new URL(app.baseUrl).host}`)
  const listed = [
    'A person who was invited became a contact',
    'A contact added the key “backdoor”',
    'A contact removed you',
  ]
  for (const part of [text, html]) {
    expect(listed.map((line) => part.includes(line))).toEqual([true, true, true])
    expect(part).not.toContain(EVE)
    expect(part).not.toContain(key.slice(0, 12))
  }
  // Eve gets nothing but the invitation.
  expect(server.mailsTo(EVE)).toHaveLength(1)
})

it('a colleague who deletes the application at the portal does not do so unnoticed', async () => {
  const app = await usePortalApp()
  const { application } = await app.auth.applications.create({ name: 'Shop', contact: ANN, apis: ['orders'] })
  await app.auth.applications.addContact(application.id, EVE)
  const eve = await visit(app, EVE)
  await eve.submit(await eve.open(`${application.id}/delete`), { name: 'Shop' })
  expect((await app.auth.applications.get(application.id))?.status).toBe('deleted')
  app.clock.advance(TEN_MINUTES)
  const { to, subject, text } = (await app.mailer.sent())[0]!
  expect([to, subject]).toEqual([ANN, `Your application at ${new URL(app.baseUrl).host} was deleted`])
  expect(text).toContain('“Shop”')
})

/** `npm run test:long`: more of them. */
const ROUNDS = IS_LONG_LANE ? 18 : 2

it(
  'every change that was stored is told, and no other, when two processes change at once and one is killed',
  {
    timeout: 600_000,
  },
  async () => {
    const folder = await createTemporaryFolder()
    const file = join(folder, 'platform.sqlite')
    const mailer = memoryMailer()
    const { auth, clock } = usePlatform({ store: sqliteStore(file), mailer, apis: { orders: { scheme: 'oauth2' } } })
    const { application } = await auth.applications.create({ name: 'Shop', contact: ANN, apis: ['orders'] })
    for (const contact of [BOB, EVE]) await auth.applications.addContact(application.id, contact)
    const startSpare = useSpareProcesses(new URL('../../support/portal-process.mjs', import.meta.url))
    const start = async () => {
      const { child, line } = await startSpare(file, String(await freePort()), EVE)
      return { child, visitor: await signIn(line) }
    }
    const portals = [await start(), await start()]
    const counts = { answered: 0, refused: 0 }
    const path = `${application.id}/credentials/${application.keys[0]!.id}/rename`
    for (let round = 0; round < ROUNDS; round++) {
      const forms = await Promise.all(portals.map(({ visitor }) => visitor.open(path)))
      const sent = portals.map(({ visitor }, index) =>
        visitor.submit(forms[index]!, { name: `name ${round} of ${index}` }).then(
          ({ status }) => (counts[status === 200 ? 'answered' : 'refused'] += 1),
          () => undefined,
        ),
      )
      const killed = round % 2
      await sleep(Math.random() * 30)
      await killProcess(portals[killed]!.child)
      await Promise.all(sent)
      portals[killed] = await start()
    }
    await Promise.all(portals.map(({ child }) => killProcess(child)))
    const { items } = await auth.audit.list({ applicationId: application.id, limit: 1000 })
    const stored = items.filter(({ type }) => type === 'application.credentialUpdated').map(({ details }) => details)
    expect(stored.length).toBeGreaterThanOrEqual(counts.answered)
    process.stdout.write(`${ROUNDS} kills: ${stored.length} changes, ${JSON.stringify(counts)}\n`)
    clock.advance(2 * TEN_MINUTES)
    const emails = await mailer.sent(2)
    expect(emails.map(({ to }) => to).toSorted()).toEqual([ANN, BOB])
    for (const { text } of emails) {
      const told = [...text.matchAll(/renamed the key “(.+)” to “(.+)”/g)].map(([, from, to]) => [from, to])
      expect(told).toEqual(stored.map((details) => [details['formerName'], details['name']]))
    }
  },
)

/** Opens the link of an invitation, and sends its form. */
async function accept(link: string): Promise<void> {
  const { origin, pathname, hash } = new URL(link)
  const page = await fetch(origin + pathname)
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(await page.text()) ?? []
  const response = await fetch(origin + pathname, {
    method: 'POST',
    headers: {
      Cookie: page.headers
        .getSetCookie()
        .map((each) => each.split(';', 1)[0])
        .join('; '),
      Origin: origin,
    },
    body: new URLSearchParams({ csrf, token: hash.slice(1) }),
  })
  expect(response.status).toBe(200)
}

/** The first one in the list. */
async function removeColleague(visitor: Visitor, id: string): Promise<void> {
  const { html } = await visitor.open(id)
  const [path = ''] = new RegExp(`${id}/colleagues/[^/"]+/remove`).exec(html) ?? []
  const { status } = await visitor.submit(await visitor.open(path))
  expect(status).toBe(200)
}
