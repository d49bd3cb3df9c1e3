import { expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import type { TestOptions } from '../../support/platform.js'
import { usePortalApp, visit } from './pages-app.js'

const ANNA = 'anna@example.com'
const FIRST = { url: 'https://example.com/terms/1', version: '1 <b>' }
const SECOND = { url: 'https://example.com/terms/2', version: '2' }
const ASKED = 'Please accept our terms of use.'

const open = (terms: typeof FIRST, options: TestOptions = {}) => usePortalApp({ registration: { terms }, ...options })

it('P34, P36: asks for the terms until a contact accepts them, and again after a new version', async () => {
  const store = memoryStore()
  const app = await open(FIRST, { store })
  const { application } = await app.auth.applications.create({ name: 'Shop', contact: ANNA, apis: ['catalog'] })
  const { id } = application
  const anna = await visit(app, ANNA)
  expect((await anna.open('')).html).toContain('Terms to accept')
  expect((await anna.open(id)).html).toContain(ASKED)
  const form = await anna.open(`${id}/terms`)
  expect(form.html).toContain('<a href="https://example.com/terms/1" target="_blank" rel="noopener"')
  expect(form.html).toContain('Read them: version 1 &#60;b&#62; (opens a new tab)')

  const changed = await anna.submit(form, { terms: '0' })
  expect([changed.status, changed.html]).toEqual([400, expect.stringContaining('have changed again')])
  expect((await app.auth.applications.get(id))!.acceptedTerms).toBeUndefined()
  const accepted = await anna.submit(form, {})
  expect(accepted.status).toBe(200)
  expect(accepted.html).not.toContain(ASKED)
  expect((await anna.open('')).html).not.toContain('Terms to accept')
  const { acceptedTerms } = (await app.auth.applications.get(id))!
  expect(acceptedTerms).toEqual({ ...FIRST, at: new Date(app.clock.now()) })
  const { items } = await app.auth.audit.list({ applicationId: id })
  expect(items.at(-1)).toMatchObject({
    type: 'application.updated',
    by: `contact:${ANNA}`,
    details: { acceptedTerms: FIRST },
  })
  expect((await anna.submit(form, {})).status).toBe(409)
  expect((await anna.open(`${id}/terms`)).status).toBe(404)

  const later = await open(SECOND, { store })
  const again = await visit(later, ANNA)
  expect((await again.open(id)).html).toContain(ASKED)
  await later.auth.applications.suspend(id)
  await again.submit(await again.open(`${id}/terms`), {})
  expect((await later.auth.applications.get(id))!.acceptedTerms).toMatchObject(SECOND)
})

it('P37: asks nothing without terms, and where the action is turned off', async () => {
  for (const app of [await usePortalApp(), await open(FIRST, { portal: { acceptTerms: false } })]) {
    const { application } = await app.auth.applications.create({ name: 'Shop', contact: ANNA, apis: ['catalog'] })
    const anna = await visit(app, ANNA)
    for (const path of ['', application.id]) expect((await anna.open(path)).html).not.toContain(ASKED)
    expect((await anna.open(`${application.id}/terms`)).status).toBe(404)
  }
})
