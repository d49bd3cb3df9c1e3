import { expect, it } from 'vitest'
import { usePortalApp, visit } from './pages-app.js'

const CONTACT = 'anna@customer.example'

it.each([
  [undefined, ['Never', 'In 30 days', 'In 90 days', 'In a year'], /It does not expire/],
  [90, ['In 90 days (the most)', 'In 30 days'], /It expires on \d+ \w+ \d{4}/],
  [30, ['In 30 days (the most)'], /It expires on \d+ \w+ \d{4}/],
  [1, ['In a day (the most)'], /It expires on \d+ \w+ \d{4}/],
])(
  'offers no end that a maximum age of %s days does not give, and says when the new one ends',
  async (maxAge, offered, says) => {
    const app = await usePortalApp(maxAge === undefined ? {} : { credentials: { maxAge } })
    const { application } = await app.auth.applications.create({
      name: 'Shop',
      contact: CONTACT,
      apis: ['catalog', 'orders'],
    })
    const anna = await visit(app, CONTACT)
    for (const kind of ['key', 'secret']) {
      const form = await anna.open(`${application.id}/credentials/new-${kind}`)
      const choices = [...form.html.matchAll(/<option value="\d+"[^>]*>([^<]*)</g)].map(([, text]) => text!.trim())
      expect(choices).toEqual(offered)
      const shown = await anna.submit(form, { name: 'warehouse' })
      expect(shown.status).toBe(200)
      expect(shown.text).toMatch(says)
    }
  },
)
