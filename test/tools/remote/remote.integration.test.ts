import express5 from 'express'
import express4 from 'express4'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { plans } from '../../../src/features/plans/index.js'
import { SOURCE_PATH } from '../../../src/tools/remote/answer-proof.js'
import { accessToken, createApplication } from '../../support/http.js'
import { STORES } from '../../support/platform.js'
import { waitUntil } from '../../support/wait-until.js'
import { ask, openSite, startAnswerProxy } from './site.js'

type Site = Awaited<ReturnType<typeof openSite>>
type Service = Awaited<ReturnType<Site['startService']>>

/** The key of an application that may use another API only. */
async function createUnknownKey({ auth }: Site): Promise<string> {
  return (await createApplication(auth, { weather: {} })).clientId
}

describe.each(Object.entries(STORES))('a service without a database, of a platform on %s', (name, openStore) => {
  let site: Site
  let service: Service
  beforeAll(async () => {
    site = await openSite({}, openStore)
    service = await site.startService({}, name === 'memory' ? (express4 as unknown as typeof express5) : express5)
    await service.auth.ready()
  })
  afterAll(() => site.close())

  it('lets the callers of its APIs pass, and tells handlers who they are', async () => {
    const { application, credentials } = await site.auth.applications.create({
      name: 'Shop',
      apis: { orders: { scopes: ['orders:read'] }, catalog: {}, weather: {} },
      externalId: 'crm-1',
      metadata: { region: 'eu', discount: 10 },
    })
    const client = { clientId: credentials.clientId, clientSecret: credentials.clientSecret! }
    const token = await accessToken(site.app, 'orders', client)
    const answer = await fetch(`${service.url}/orders/items`, { headers: { Authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      scheme: 'oauth2',
      api: 'orders',
      scopes: ['orders:read'],
      application: { id: application.id, name: 'Shop', externalId: 'crm-1', metadata: { region: 'eu' } },
    })
    const key = client.clientId
    for (const [path, credential, method] of [
      ['/orders/items', token, 'POST'],
      ['/orders/items', `${token.slice(0, -4)}AAAA`],
      ['/orders/items', key],
      ['/catalog/items', key],
      ['/catalog/items', `${key.slice(0, -4)}AAAA`],
      ['/catalog/items', token],
      ['/documented/items', token],
      ['/documented/other', token],
      ['/documented/items', key],
      ['/prices', key],
      ['/prices', token],
    ] as const)
      expect(await ask(service.url + path, credential, method), path).toBe(
        await ask(site.url + path, credential, method),
      )
  })

  it('feels what the platform changes, and answers as its own guards do', async () => {
    const { id, ...client } = await createApplication(site.auth, { orders: {}, catalog: {} })
    const { application, credentials } = await site.auth.applications.addKey(id, { name: 'second' })
    const token = await accessToken(site.app, 'orders', client)
    const requests = [
      ['/orders/items', token, 'GET'],
      ['/orders/items', token, 'POST'],
      ['/catalog/items', client.clientId, 'GET'],
      ['/catalog/items', credentials.clientId, 'GET'],
    ] as const
    const askAll = (url: string) =>
      Promise.all(requests.map(([path, credential, method]) => ask(url + path, credential, method)))
    const { applications } = site.auth
    expect(await askAll(service.url)).toEqual(['200', '200', '200', '200'])
    const first = application.keys.find(({ name }) => name === 'default')!.id
    const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['narrowed scopes', () => applications.allow(id, 'orders', { scopes: ['orders:read'] })],
      ['a suspension', () => applications.suspend(id)],
      ['its end', () => applications.resume(id)],
      ['networks', () => applications.update(id, { networks: ['192.0.2.0/24'] })],
      ['no networks', () => applications.update(id, { networks: null })],
      ['an ended key', () => applications.endCredential(id, first)],
      ['a lost grant', () => applications.disallow(id, 'catalog')],
      ['a revocation', () => applications.revokeTokens(id)],
    ]
    for (const [what, change] of changes) {
      const before = await askAll(site.url)
      await change()
      const expected = await askAll(site.url)
      expect(expected, what).not.toEqual(before)
      await expect.poll(() => askAll(service.url), { message: what }).toEqual(expected)
    }
  })

  // docs/http.md S13
  it('answers 403 for another of its APIs as the platform does, and 401 for a caller who may use none of them', async () => {
    const { applications } = site.auth
    const one = await createApplication(site.auth, { orders: {}, weather: {} })
    const gone = await createApplication(site.auth, { orders: {} })
    const [token, ofGone] = [await accessToken(site.app, 'orders', one), await accessToken(site.app, 'orders', gone)]
    await applications.delete(gone.id)
    const askBoth = async (path: string, credential: string) =>
      Promise.all([site.url, service.url].map((url) => ask(url + path, credential)))
    const elsewhere = await askBoth('/catalog/items', one.clientId)
    expect(elsewhere).toEqual([expect.stringMatching(/^403 access_denied/), elsewhere[0]])
    await applications.disallow(one.id, 'orders')
    const poll = { timeout: 60_000 }
    for (const [path, credential, unknown, atPlatform] of [
      ['/catalog/items', one.clientId, await createUnknownKey(site), /^403 access_denied/],
      ['/orders/items', token, ofGone, /^401 invalid_token/],
    ] as const) {
      const answer = await ask(service.url + path, unknown)
      expect(answer).toMatch(/^401/)
      await expect.poll(() => ask(service.url + path, credential), poll).toBe(answer)
      expect(await ask(site.url + path, credential)).toMatch(atPlatform)
      await applications.suspend(one.id)
      expect(await ask(service.url + path, credential)).toBe(answer)
      await applications.resume(one.id)
    }
  })
})

it('pauses between polls that the platform does not hold', async () => {
  const site = await openSite()
  onTestFinished(site.close)
  let polls = 0
  const withoutWait = (sent: string): string => {
    const { wait, ...rest } = JSON.parse(sent) as Record<string, unknown>
    if (wait !== undefined) polls += 1
    return JSON.stringify(rest)
  }
  const address = await startAnswerProxy(site.url, (answer) => answer, withoutWait)
  const startedAt = performance.now()
  await site.openService({ address })
  await waitUntil(() => polls >= 5)
  expect(polls).toBeLessThanOrEqual((performance.now() - startedAt) / 500 + 2)
})

it('asks once for a key or application that is first seen, and never for one that is known', async () => {
  const site = await openSite({ plans: plans({ wide: { requests: [{ limit: 1_000_000, per: 'month' }] } }) })
  onTestFinished(site.close)
  const calls: string[] = []
  const address = await startAnswerProxy(site.url, (answer, path) => {
    const call = path.slice(SOURCE_PATH.length)
    if (call !== 'changes') calls.push(call)
    return answer
  })
  const { auth, url } = await site.openService({ address })
  const { id, ...client } = await createApplication(site.auth, { orders: {}, catalog: {} })
  const { credentials } = await site.auth.applications.addKey(id, { name: 'second' })
  const byKey = await createApplication(site.auth, { catalog: {} })
  await site.auth.plans.set(byKey.id, 'wide')
  const token = await accessToken(site.app, 'orders', client)
  // Each is in use: the first use changes a record.
  for (const key of [credentials.clientId, byKey.clientId])
    expect(await ask(`${site.url}/catalog/items`, key)).toBe('200')
  const callsOf = async (path: string, credential: string) => {
    await auth.health()
    calls.length = 0
    expect(await ask(url + path, credential)).toBe('200')
    return calls.filter((call) => call !== 'report')
  }
  expect(await callsOf('/orders/items', token)).toEqual(['application'])
  expect(await callsOf('/catalog/items', credentials.clientId)).toEqual(['api-key'])
  expect(await callsOf('/orders/items', await accessToken(site.app, 'orders', client))).toEqual([])
  // A quota is asked for beside it, once.
  expect(await callsOf('/catalog/items', byKey.clientId)).toEqual(['api-key', 'quota'])
  for (const key of [credentials.clientId, byKey.clientId]) expect(await callsOf('/catalog/items', key)).toEqual([])
})
