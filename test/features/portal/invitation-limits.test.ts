import { describe, expect, it } from 'vitest'
import { countChanges } from '../../../src/shared/contracts/application-record.js'
import { memoryStore } from '../../../src/index.js'
import { ROOT, readHiddenFields } from './browser.js'
import { addApplication, signInByLink, usePortal } from './portal-app.js'

const ANN = 'ann@shop.example'
const VICTIM = 'victim@stranger.example'

function openPortal() {
  const store = memoryStore()
  return { ...usePortal({ store }), store }
}

type PortalHost = ReturnType<typeof openPortal>

/** An application of that contact; each call of `invite` sends the form of its page. */
async function openInviter(host: PortalHost, contact: string) {
  const id = await addApplication(host.auth, contact, `Shop of ${contact}`)
  return { id, invite: await openContact(host, id, contact) }
}

async function openContact(host: PortalHost, id: string, contact: string) {
  const browser = await signInByLink(host, { contact })
  const { csrf } = readHiddenFields((await browser.get(`${ROOT}/${id}`)).text)
  return async function invite(address: string) {
    // As the page has it, which would take most of the time.
    const version = String(countChanges((await host.store.findApplication(id))!))
    return browser.post(`${ROOT}/${id}/colleagues/invite`, { csrf: csrf!, version, address })
  }
}

async function countEmails({ mailer }: PortalHost, sent: number): Promise<number> {
  await expect.poll(() => mailer.emails.length).toBeGreaterThanOrEqual(sent)
  return mailer.emails.length
}

describe('invitations at the portal', () => {
  it('P40: send one e-mail an hour of an application to an address, whoever invites and cancels; the portal says so', async () => {
    const host = openPortal()
    const { id, invite } = await openInviter(host, ANN)
    expect((await invite(VICTIM)).status).toBe(303)
    const again = await invite(VICTIM.toUpperCase())
    expect(again.status).toBe(429)
    expect(again.text).toContain('was invited less than an hour ago')
    expect(Number(again.headers['retry-after'])).toBeGreaterThan(3500)
    // Nor after it was cancelled, by a contact, or for an operator who sees no open invitation.
    await host.auth.applications.addContact(id, 'bob@shop.example')
    await host.auth.applications.cancelInvitation(id, VICTIM, { by: `contact:${ANN}` })
    expect((await host.auth.applications.get(id))?.invitations).toEqual([])
    const inviteAsBob = await openContact(host, id, 'bob@shop.example')
    expect((await inviteAsBob(VICTIM)).status).toBe(429)
    // Nor after whoever invited was removed, which ends that invitation.
    host.clock.advance(3601)
    expect((await (await openContact(host, id, 'bob@shop.example'))(VICTIM)).status).toBe(303)
    await host.auth.applications.removeContact(id, 'bob@shop.example')
    expect((await (await openContact(host, id, ANN))(VICTIM)).status).toBe(429)
    expect(await countEmails(host, 2)).toBe(2)
  })

  it('P40: of one application use up nothing of another that invites the same address', async () => {
    const host = openPortal()
    const stranger = await openInviter(host, 'stranger@evil.example')
    for (let i = 0; i < 15; i++) await stranger.invite(VICTIM)
    const { invite } = await openInviter(host, ANN)
    expect((await invite(VICTIM)).status).toBe(303)
  })

  it('P38: send 5 e-mails an hour to an address, whatever its tag, from all applications', async () => {
    const host = openPortal()
    const statuses: number[] = []
    for (let i = 0; i < 7; i++) {
      const { invite } = await openInviter(host, `dev-${i}@evil.example`)
      statuses.push((await invite(VICTIM.replace('@', `+${i}@`))).status)
    }
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429, 429])
  })

  it('P38: send 20 e-mails an hour of an application, however many contacts invite', async () => {
    const host = openPortal()
    const { id } = await openInviter(host, ANN)
    const contacts = [ANN, ...Array.from({ length: 4 }, (_, i) => `dev-${i}@shop.example`)]
    for (const contact of contacts.slice(1)) await host.auth.applications.addContact(id, contact)
    let sent = 0
    for (const contact of contacts) {
      const invite = await openContact(host, id, contact)
      for (let i = 0; i < 7; i++) {
        const address = `${i}-${contact.replace('@', '-')}`.replace('shop.example', '@other.example')
        if ((await invite(address)).status === 303) sent += 1
        await host.auth.applications.cancelInvitation(id, address).catch(() => undefined)
      }
    }
    expect(sent).toBe(20)
  })

  it('P38: send 200 e-mails an hour in all, but each application can invite some contacts', async () => {
    const host = openPortal()
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) {
      const { id, invite } = await openInviter(host, `dev-${i}@evil.example`)
      for (let j = 0; j < 20; j++) {
        statuses.push((await invite(`${i}-${j}@stranger.example`)).status)
        await host.auth.applications.cancelInvitation(id, `${i}-${j}@stranger.example`).catch(() => undefined)
      }
    }
    // Two of each application are not counted in all.
    expect(statuses.filter((status) => status === 303)).toHaveLength(200 + 2 * 12)
    const { invite } = await openInviter(host, ANN)
    expect((await invite('bob@shop.example')).status).toBe(303)
  })

  it('P36: a mistake counts against no limit of the address or the application', async () => {
    const host = openPortal()
    const stranger = await openInviter(host, ANN)
    for (let i = 0; i < 5; i++) expect((await stranger.invite(ANN)).status).toBe(400)
    for (let i = 0; i < 5; i++) expect((await stranger.invite('nobody')).status).toBe(400)
    const { invite } = await openInviter(host, 'bob@shop.example')
    expect((await invite(ANN)).status).toBe(303)
  })
})
