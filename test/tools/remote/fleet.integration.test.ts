import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { accessToken, createApplication } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { DATABASES } from '../../support/databases.js'
import { timeBound } from '../../support/time-bound.js'
import { waitUntil } from '../../support/wait-until.js'
import { ask, openSite, startPlatform } from './site.js'

const database = await DATABASES.PostgreSQL()
const openStore = () => database.open({ listen: true })
const site = await openSite({}, async () => ({ store: openStore(), remove: async () => undefined }))
const other = await startPlatform({ store: openStore() })
afterAll(async () => {
  await site.close()
  await other.close()
})

/** Gives each connection to the next process of the platform. */
async function startBalancer(ports: readonly number[]): Promise<string> {
  let next = 0
  const balancer = createServer((client) => {
    const server = connect(ports[next++ % ports.length]!, '127.0.0.1')
    client.pipe(server).pipe(client)
    for (const socket of [client, server]) {
      socket.on('error', () => undefined)
      socket.on('close', () => void (client.destroy(), server.destroy()))
    }
  }).listen(0, '127.0.0.1')
  await once(balancer, 'listening')
  onTestFinished(() => void balancer.close())
  return `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`
}

it('two services feel what either of two processes of the platform changes, and get no older answer from the other', async () => {
  const address = await startBalancer([site.port, other.port])
  // Ended keys count as failures of the address that they all come from.
  const options = { address, rateLimits: { failedAuthentication: false } } as const
  const services = await Promise.all([site.startService(options), site.startService(options)])
  for (const { auth } of services) await auth.ready()
  const { id, ...client } = await createApplication(site.auth, { orders: {}, catalog: {} })
  const urls = services.map(({ url }) => url)
  const callers = Array.from({ length: IS_LONG_LANE ? 4 : 1 }, () => createApplication(site.auth, { catalog: {} }))
  const keys = (await Promise.all(callers)).map(({ clientId }) => clientId)
  const over = new AbortController()
  const refused: string[] = []
  const load = async (key: string): Promise<void> => {
    while (!over.signal.aborted)
      for (const url of urls) {
        const answer = await ask(`${url}/catalog/items`, key)
        if (answer !== '200') refused.push(answer)
      }
  }
  const loads = keys.map(load)
  const slow: string[] = []
  for (let round = 0; round < (IS_LONG_LANE ? 50 : 2); round++) {
    const by = [site, other][round % 2]!.auth.applications
    const token = await accessToken(round % 2 === 0 ? other.app : site.app, 'orders', client)
    const { application, credentials } = await by.addKey(id, { name: `round ${round}` })
    const changes: readonly (readonly [string, () => Promise<unknown>, string, string, string, RegExp])[] = [
      ['scopes', () => by.allow(id, 'orders', { scopes: ['orders:read'] }), 'POST', '/orders/items', token, /^403/],
      ['suspension', () => by.suspend(id), 'GET', '/orders/items', token, /^40[13]/],
      ['resumption', () => by.resume(id), 'GET', '/orders/items', token, /^200/],
      [
        'ended key',
        () => by.endCredential(id, application.keys[0]!.id),
        'GET',
        '/catalog/items',
        credentials.clientId,
        /^401/,
      ],
      ['revocation', () => by.revokeTokens(id), 'GET', '/orders/items', token, /^401/],
    ]
    for (const url of urls) expect(await ask(`${url}/orders/items`, token, 'POST')).toBe('200')
    for (const url of urls) expect(await ask(`${url}/catalog/items`, credentials.clientId)).toBe('200')
    for (const [what, change, method, path, credential, expected] of changes) {
      await change()
      const times = await Promise.all(
        urls.map((url) => waitUntil(async () => expected.test(await ask(url + path, credential, method)))),
      )
      if (Math.max(...times) > timeBound(1000)) slow.push(`${what}: ${Math.round(Math.max(...times))} ms`)
    }
    await by.allow(id, 'orders', { scopes: ['orders:read', 'orders:write'] })
    await waitUntil(async () => {
      const next = await accessToken(site.app, 'orders', client)
      const answers = await Promise.all(urls.map((url) => ask(`${url}/orders/items`, next, 'POST')))
      return answers.every((answer) => answer === '200')
    })
  }
  over.abort()
  await Promise.all(loads)
  expect(slow).toEqual([])
  expect(refused).toEqual([])
}, 600_000)
