import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { atEnd } from '../../support/at-end.js'
import { failingStore, saveAtOneMoment } from '../../support/failing-store.js'
import { request } from '../../support/request.js'
import { waitUntil } from '../../support/wait-until.js'
import { openOperator } from './operator-app.js'

const ALICE = 'operator:alice@example.com'

/** An action of each kind of call, what is entered, and what is stored of it. */
const FORMS = [
  { action: 'edit', fields: { name: 'Renamed' }, audited: ['application.updated'] },
  { action: 'addKey', fields: { name: 'till' }, audited: ['application.credentialAdded'] },
  { action: 'invite', fields: { address: 'carl@example.com' }, audited: ['application.contactInvited'] },
  { action: 'plan', fields: { plan: 'gold' }, audited: ['application.updated'] },
  { action: 'cancelEmails', fields: {}, audited: ['application.updated'] },
  {
    action: 'approve',
    fields: { apis: 'orders orders:read', plan: 'gold' },
    audited: ['application.accessChanged', 'application.accessChanged', 'application.updated', 'application.approved'],
  },
  { action: 'create', fields: { name: 'Made', apis: 'weather', deliver: 'here' }, audited: ['application.registered'] },
  {
    action: 'register',
    fields: { name: 'Made', contact: 'new@example.com', apis: 'weather' },
    audited: ['application.registered'],
  },
] as const

describe('two forms of the operator’s pages that are sent at one moment', () => {
  it.each(FORMS)('$action: have an effect once', async ({ action, fields, audited }) => {
    const store = failingStore(memoryStore())
    const host = await openOperator({}, undefined, { store })
    atEnd(() => host.auth.close())
    const { applications, registration } = host.auth
    const asked = { name: 'Acme', contact: 'dev@example.com', apis: { orders: {}, catalog: {} } }
    // An e-mail that did not arrive is cancelled, and none that waits for approval.
    const bounced = { ...asked, contact: 'bounce@example.com', apis: { catalog: {} } }
    const { application } = await (action === 'cancelEmails'
      ? registration.register(bounced)
      : action === 'approve'
        ? registration.register(asked)
        : applications.create(asked))
    if (action === 'cancelEmails')
      await waitUntil(async () => (await host.auth.emails.list()).items.some(({ problem }) => problem !== undefined))
    const isNew = action === 'create' || action === 'register'
    const path = isNew ? `/do/${action}` : `/applications/${application.id}/${action}`
    const [, form = ''] = /<form method="post"([^]*?)<\/form>/.exec((await host.get(path)).text) ?? []
    const hidden = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
    const body = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])), ...fields }
    const send = () =>
      request(host.app)
        .post(`/staff/operator${path}`)
        .type('form')
        .set({ 'X-Staff': 'alice@example.com', 'Sec-Fetch-Site': 'same-origin' })
        .send(body)
    const statuses = (await saveAtOneMoment(store, [send, send])).map(({ status }) => status)
    expect([
      [200, 409],
      [303, 409],
    ]).toContainEqual(statuses.toSorted((a, b) => a - b))
    const { items } = await host.auth.audit.list({ by: ALICE })
    expect(items.map(({ type }) => type)).toEqual(audited)
  })
})
