import { dirname, join } from 'node:path'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { usage } from '../../../src/features/usage/index.js'
import { createPlatformAuth, memoryStore } from '../../../src/index.js'
import { withEnd } from '../../../src/shared/lib/application-id.js'
import type { Store } from '../../../src/store.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { startDeployment } from '../../tools/cli/prove/deployment.js'
import { createCaller } from '../../support/caller.js'
import { recordingLogger, SECRET } from '../../support/platform.js'

const HOUR_MS = 3600_000

/** The ids of the applications of which anything is stored: counts, counts by route, refusals and reports. */
async function listCounted(store: Store, ids: readonly string[]): Promise<Record<string, string[]>> {
  const { usage: stored } = await openAdmin(store)
  const [counts, routes, reports] = [await stored!.list(), await stored!.routes(), await stored!.reportOnly()]
  const refused = await Promise.all(ids.map(async (id) => (await stored!.refusals(id)).items.map(() => id)))
  const lists = {
    counts: counts.items.map(({ applicationId }) => applicationId),
    routes: routes.items.map(({ applicationId }) => applicationId),
    reports: reports.items.map(({ applicationId }) => applicationId ?? '-'),
    refusals: refused.flat(),
  }
  return Object.fromEntries(Object.entries(lists).map(([name, found]) => [name, [...new Set(found)]]))
}

it('stores no usage of the application of prove, and that of every other one', async () => {
  const instance = { trustProxy: false, options: { features: [usage({ routes: true })] } }
  const deployment = await startDeployment({ instances: [instance] })
  onTestFinished(deployment.end)
  const { auth, url } = deployment
  const partner = await auth.applications.create({ name: 'Partner', apis: ['catalog'] })
  const caller = createCaller({ app: url })
  await caller.key('/catalog/items', partner.credentials.clientId).expect(200)
  expect(await deployment.prove()).toMatchObject({ code: 0, stderr: '' })
  await auth.applications.delete(partner.application.id)
  const { items: deleted } = await auth.applications.list({ status: 'deleted' })
  expect(deleted).toHaveLength(2)
  await auth.close()

  const store = sqliteStore(join(dirname(deployment.commandLine[2]!), 'platform.sqlite'))
  const { id } = partner.application
  const ids = deleted.map((application) => application.id)
  expect(await listCounted(store, ids)).toMatchObject({ counts: [id], routes: [id], refusals: [] })
  await store.close()
})

it('knows an application with an end by its id, where its record was never read and after its deletion', async () => {
  const store = memoryStore()
  const open = () =>
    createPlatformAuth({
      baseUrl: 'https://api.example.com',
      apis: { orders: { scheme: 'oauth2' }, invoices: { scheme: 'oauth2' } },
      secret: SECRET,
      store,
      logger: recordingLogger(),
      features: [usage({ routes: true })],
    })
  const [auth, other] = [open(), open()]
  const given = { name: 'Same', apis: ['orders'] } as const
  const probe = await auth.applications.create(withEnd(given, Date.now() + HOUR_MS))
  const partner = await auth.applications.create(given)
  const [app, otherApp] = [express(), express()]
  app.use(auth.router).get('/orders', auth.requireBearer('orders'), (_req, res) => void res.end())
  otherApp.get('/invoices', other.requireBearer('invoices'), (_req, res) => void res.end())
  otherApp.get('/reported', other.requireBearer('invoices', { reportOnly: true }), (_req, res) => void res.end())
  const [caller, otherCaller] = [createCaller({ app }), createCaller({ app: otherApp })]

  for (const { application, credentials } of [probe, partner]) {
    const token = await caller.accessToken('orders', credentials)
    await caller.bearer('/orders', token).expect(200)
    await caller.token('orders', { ...credentials, clientSecret: 'wrong' }).expect(401)
    await caller.token('orders', credentials, { scope: 'unknown' }).expect(400)
    // The token alone tells of which application these are.
    await otherCaller.bearer('/invoices', token).expect(401)
    await otherCaller.bearer('/reported', token).expect(200)
    await caller.revoke('orders', credentials, token).expect(200)
    await caller.bearer('/orders', token).expect(401)
    if (application.id === probe.application.id) await auth.applications.delete(application.id)
  }
  await Promise.all([auth.close(), other.close()])
  const { id } = partner.application
  expect(await listCounted(store, [id, probe.application.id])).toEqual({
    counts: [id],
    routes: [id],
    reports: [id],
    refusals: [id],
  })
})
