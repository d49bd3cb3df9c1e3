import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { smtpMailer, type EmailMessage } from '../../../src/features/emails/index.js'
import { transportTo } from '../../support/smtp.js'
import { waitUntil } from '../../support/wait-until.js'
import { createBrowser } from '../portal/browser.js'
import { addApplication, openPortal } from '../portal/portal-app.js'

const CONTACT = 'dev@customer.example'
const NO_ANSWER = /^No e-mail has been delivered since .* \(the mail server does not answer\): registrations/

type Site = Awaited<ReturnType<typeof openSite>>

/** A platform whose mailer sends to a server that accepts connections and never answers, or to one that works. */
async function openSite() {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const silent = smtpMailer({ transport: transportTo(server.address() as AddressInfo), from: 'apis@example.com' })
  const delivered: EmailMessage[] = []
  const state = { isSilent: true }
  const send = async (email: EmailMessage) => (state.isSilent ? silent.send(email) : void delivered.push(email))
  const { auth, app, clock, logger } = openPortal({ mailer: { send } })
  await auth.ready()
  const drop = (): void => sockets.forEach((socket) => socket.destroy())
  onTestFinished(async () => {
    drop()
    await auth.close()
    server.close()
  })
  const id = await addApplication(auth, CONTACT)
  const events: string[] = []
  for (const type of ['mail.unavailable', 'mail.available'] as const) auth.events.on(type, () => void events.push(type))
  return { auth, app, clock, logger, state, sockets, drop, delivered, events, id }
}

/** The e-mails that are queued, and those that are not. */
const SENDERS: Readonly<Record<string, (site: Site) => Promise<unknown>>> = {
  'of a queue': ({ auth, id }) => auth.applications.rotateKey(id, { deliver: 'email' }),
  async 'that signs in'({ app }) {
    const browser = createBrowser(app)
    await browser.get()
    await browser.submit('/sign-in', { contact: CONTACT })
  },
}

const readProblems = async ({ auth }: Site) => (await auth.health()).problems

describe.each(Object.entries(SENDERS))(
  'an e-mail %s, for which the mail server accepts a connection and stays silent',
  (_, send) => {
    it('is a problem of health() after 20 seconds, an event when the attempt fails, and none once the server answers', async () => {
      const site = await openSite()
      await send(site)
      await waitUntil(() => site.sockets.length === 1)
      site.clock.advance(19)
      expect(await readProblems(site)).toEqual([])
      site.clock.advance(1)
      expect(await readProblems(site)).toEqual([expect.stringMatching(NO_ANSWER)])
      expect((await site.auth.health()).ok).toBe(true)
      expect(site.events).toEqual([])
      site.state.isSilent = false
      site.drop()
      await waitUntil(() => site.events.length > 0)
      expect(site.events).toEqual(['mail.unavailable'])
      expect(await readProblems(site)).toEqual([
        expect.stringMatching(/\(1 attempt, the last with E\w+\): registrations/),
      ])
      site.clock.advance(60)
      await waitUntil(() => site.delivered.length > 0)
      await waitUntil(() => site.events.length > 1)
      expect(site.events).toEqual(['mail.unavailable', 'mail.available'])
      expect(await readProblems(site)).toEqual([])
    })
  },
)

it('attempts that the mailer ends after 10 seconds are a problem within 30', async () => {
  const site = await openSite()
  await SENDERS['of a queue']!(site)
  for (const attempt of [1, 2]) {
    await waitUntil(() => site.sockets.length === attempt)
    expect(await readProblems(site)).toEqual([])
    site.clock.advance(10)
    site.drop()
    await waitUntil(() => countFailures(site) === attempt)
    site.clock.advance(2)
  }
  expect(site.events).toEqual(['mail.unavailable'])
  expect(await readProblems(site)).toEqual([expect.stringContaining('(2 attempts, the last with ')])
})

it('an e-mail that gets no answer is no problem while later ones are delivered', async () => {
  const site = await openSite()
  await SENDERS['of a queue']!(site)
  await waitUntil(() => site.sockets.length === 1)
  site.state.isSilent = false
  site.clock.advance(1)
  await SENDERS['that signs in']!(site)
  await waitUntil(() => site.delivered.length === 1)
  site.clock.advance(40)
  expect(await readProblems(site)).toEqual([])
  site.drop()
  await waitUntil(() => countFailures(site) === 1)
  expect(site.events).toEqual([])
  expect(await readProblems(site)).toEqual([])
})

function countFailures({ logger }: Site): number {
  return logger.lines.filter((line) => line.includes('was not delivered')).length
}
