import { expect, it, onTestFinished, vi } from 'vitest'
import { openPortal } from '../portal/portal-app.js'

it.each(['en', 'de', 'fr', 'es'] as const)(
  '%s: an invitation shows a stranger no address of the contact who invites',
  async (language) => {
    const { auth, mailer } = openPortal()
    onTestFinished(() => auth.close())
    for (const contact of ['call-0800-123456@evil.example', 'evil.com@evil.example', '12345678@evil.example']) {
      const { application } = await auth.applications.create({ name: 'Shop', contact, apis: ['catalog'] })
      await auth.applications.update(application.id, { language })
      const invited = `bob-${mailer.emails.length}@shop.example`
      await auth.portal.invite(application.id, invited, { by: `contact:${contact}` })
      await vi.waitFor(() => expect(mailer.emails.some(({ to }) => to === invited)).toBe(true), 60_000)
      const { subject, text, html } = mailer.emails.find(({ to }) => to === invited)!
      for (const shown of [subject, text, html]) {
        expect(shown).not.toContain('evil')
        expect(shown).not.toContain(contact.split('@')[0])
      }
      // And says that it was a contact, not the operator.
      expect(text).toMatch(/A contact|Ein Kontakt|Un contact/)
      expect(html).toContain('name="format-detection"')
    }
  },
)
