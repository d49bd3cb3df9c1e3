import { describe, expect, it } from 'vitest'
import { countChanges } from '../../../src/shared/contracts/application-record.js'
import { memoryStore } from '../../../src/index.js'
import { failingStore, saveAtOneMoment } from '../../support/failing-store.js'
import { usePortalApp, visit } from './pages-app.js'

const ANNA = 'anna@example.com'

/** A form of each kind of call that the portal makes, by the page that has it. */
const FORMS = [
  { page: 'credentials/new-key', fields: { name: 'till' } },
  { page: '', path: 'colleagues/invite', fields: { address: 'carl@example.com' } },
  { page: 'apis/orders/request', fields: { scopes: ['orders:read', 'orders:write'] } },
  { page: 'terms', fields: {} },
] as const

describe('a form whose application is changed between its first check and the save (P35)', () => {
  it.each(FORMS)('changes nothing: $page $path', async ({ page, fields, ...form }) => {
    const store = failingStore(memoryStore())
    const terms = { url: 'https://example.com/terms', version: '1' }
    const { auth, ...app } = await usePortalApp({ store, registration: { terms } })
    const apis = { orders: { scopes: ['orders:read'] }, catalog: {} } as const
    const { id } = (await auth.applications.create({ name: 'Shop', contact: ANNA, apis })).application
    const anna = await visit({ auth, ...app }, ANNA)
    const opened = await anna.open(page ? `${id}/${page}` : id)
    const send = () => anna.submit(opened, fields, 'path' in form ? `${id}/${form.path}` : opened.path)
    const answers = await saveAtOneMoment(store, [send, send])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    // P33, P34: a reload sends a form again only where a value is shown once.
    const done = answers.find(({ status }) => status === 200)!
    expect(done.fragment === '').toBe(page === 'credentials/new-key')
    const { items } = await auth.audit.list({ applicationId: id })
    expect(items.filter(({ by }) => by === `contact:${ANNA}`)).toHaveLength(1)
  })
})

it('a form counts although e-mails were sent since it was shown', async () => {
  const store = memoryStore()
  const app = await usePortalApp({ store, background: false })
  const { auth } = app
  const { id } = (await auth.applications.create({ name: 'Shop', contact: ANNA, apis: { catalog: {} } })).application
  await auth.portal.invite(id, 'carl@example.com')
  const anna = await visit(app, ANNA)
  const opened = await anna.open(`${id}/credentials/new-key`)
  const shown = (await store.findApplication(id))!
  await auth.flush()
  const sent = (await store.findApplication(id))!
  expect([sent.version > shown.version, countChanges(sent)]).toEqual([true, countChanges(shown)])
  expect((await anna.submit(opened, { name: 'till' })).status).toBe(200)
  expect(countChanges((await store.findApplication(id))!)).toBe(countChanges(shown) + 1)
  // The key that is sent is a change of what the form shows.
  const { keys } = (await auth.applications.rotateKey(id, { credential: shown.keys[0]!.id, deliver: 'email' }))
    .application
  const queued = countChanges((await store.findApplication(id))!)
  await auth.flush()
  expect((await auth.applications.get(id))?.keys).not.toEqual(keys)
  expect(countChanges((await store.findApplication(id))!)).toBeGreaterThan(queued)
})
