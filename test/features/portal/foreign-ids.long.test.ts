import { it } from 'vitest'
import { expectHidden } from './foreign-ids.js'
import { usePortalApp, visit } from './pages-app.js'

it(
  'answers 404 with the same bytes for 100,000 ids of applications of others (P19)',
  { timeout: 1_800_000 },
  async () => {
    const app = await usePortalApp({ now: Date.now })
    await app.auth.applications.create({ name: 'Own', contact: 'anna@example.com', apis: ['catalog'] })
    await expectHidden(app, await visit(app, 'anna@example.com'), 100_000)
  },
)
