import { expect, it, onTestFinished } from 'vitest'
import { ROOT } from './browser.js'
import { openPortal, signInByLink } from './portal-app.js'

const SCOPES = { 'catalog:read': 'Read the catalog', 'catalog:write': 'Change the catalog' }
const apis = {
  catalog: {
    scheme: 'apiKey',
    title: 'Catalogue',
    scopes: SCOPES,
    registration: 'manual',
    defaultScopes: ['catalog:read'],
  },
} as const

it('shows the scopes of keys, those of a narrowed key, and adds what is requested to what an old grant means', async () => {
  const host = openPortal({ apis } as object)
  onTestFinished(() => host.auth.close())
  const { auth } = host
  const { application } = await auth.applications.create({
    name: 'Shop',
    contact: 'ann@customer.example',
    apis: { catalog: { scopes: [] } },
  })
  const { id } = application
  const browser = await signInByLink(host, { contact: 'ann@customer.example' })
  const read = async (): Promise<string> => (await browser.get(`${ROOT}/${id}`)).text
  expect(await read()).toContain('Read the catalog')
  expect(await read()).not.toContain('Change the catalog')

  await auth.registration.requestAccess(id, { api: 'catalog', scopes: ['catalog:write'] })
  const [request] = (await auth.applications.get(id))!.accessRequests
  expect(request?.scopes).toEqual(['catalog:read', 'catalog:write'])
  const approved = await auth.applications.approve(id, { api: 'catalog' })
  expect(approved.apis).toEqual({ catalog: { scopes: ['catalog:read', 'catalog:write'] } })
  expect(await read()).toContain('Change the catalog')

  await auth.applications.addKey(id, { name: 'Report', apis: ['catalog'], scopes: ['catalog:read'] })
  expect(await read()).toContain('Only for Catalogue (catalog:read)')
})
