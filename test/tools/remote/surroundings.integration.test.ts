import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTemporaryFolder } from '../../support/temporary-folder.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { launchProxy, PROXIES } from '../../proxies/proxies.js'
import { accessToken, createApplication } from '../../support/http.js'
import { SECRET } from '../../support/platform.js'
import { killProcess } from '../../support/kill-process.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { timeBound } from '../../support/time-bound.js'
import { waitUntil } from '../../support/wait-until.js'
import { ask, openSite } from './site.js'

const POLL = { timeout: 30_000 }
const REFUSED = /^40[13]/

const file = join(await createTemporaryFolder(), 'platform.sqlite')
const site = await openSite({ imports: true }, async () => ({
  store: sqliteStore(file),
  remove: async () => undefined,
}))
afterAll(() => site.close())

/** Milliseconds until the caller is refused. */
const feel = (url: string, key: string): Promise<number> =>
  waitUntil(async () => REFUSED.test(await ask(`${url}/catalog/items`, key)))

describe('a service whose platform is behind nginx', () => {
  const startNginx = (directives: string) =>
    launchProxy(
      'nginx',
      (port, folder) =>
        PROXIES.nginx.complete(
          `server { listen 80; ${directives} location / { proxy_pass http://127.0.0.1:${site.port}; } }`,
          port,
          folder,
        ),
      async (port) =>
        fetch(`http://127.0.0.1:${port}/orders/.well-known/jwks.json`).then(
          ({ ok }) => ok,
          () => false,
        ),
    )

  const ALL = [
    ['that ends polls which are held', 'proxy_read_timeout 1s;'],
    ['that compresses what may be', 'gzip on; gzip_types application/json; gzip_proxied any; gzip_min_length 1;'],
    ['as it is', ''],
    ['that keeps connections', 'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering on;'],
  ] as const
  it.each(ALL.slice(0, IS_LONG_LANE ? 4 : 2))('feels changes, and reports: nginx %s', async (_, directives) => {
    const nginx = await startNginx(directives)
    onTestFinished(nginx.end)
    const { auth, url } = await site.openService({ address: `http://127.0.0.1:${nginx.port}` })
    const { id, ...client } = await createApplication(site.auth, { orders: {}, catalog: {} })
    const token = await accessToken(site.app, 'orders', client)
    expect(await ask(`${url}/catalog/items`, client.clientId)).toBe('200')
    expect(await ask(`${url}/orders/items`, token)).toBe('200')
    await site.auth.applications.suspend(id)
    expect(await feel(url, client.clientId)).toBeLessThan(timeBound(1000))
    await site.auth.applications.resume(id)
    await expect.poll(() => ask(`${url}/catalog/items`, client.clientId), POLL).toBe('200')
    await auth.flush()
    const { items } = await site.auth.usage.list({ applicationId: id, api: 'orders' })
    expect(items).toMatchObject([{ allowed: 1 }])
    // Whether the platform is slow depends on what else runs on the machine.
    const { ok, problems } = await auth.health()
    expect(problems.filter((problem) => !problem.startsWith('The platform is slow'))).toEqual([])
    expect(ok).toBe(true)
  })
})

describe('a process that stands still', () => {
  async function start(...args: readonly string[]) {
    const program = fileURLToPath(new URL('process.mjs', import.meta.url))
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => killProcess(child))
    const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    return { child, url: `http://127.0.0.1:${port}` }
  }

  it('the service: who was refused meanwhile is not let in when it goes on, or feels it within a second', async () => {
    for (const maxStaleness of [1, 60]) {
      const { clientId, clientSecret } = site.server
      const { child, url } = await start('service', site.url, clientId, clientSecret, String(maxStaleness))
      const { id, clientId: key } = await createApplication(site.auth, { catalog: {} })
      await expect.poll(() => ask(`${url}/catalog/items`, key), POLL).toBe('200')
      child.kill('SIGSTOP')
      const stoppedAt = performance.now()
      await site.auth.applications.suspend(id)
      await waitUntil(() => performance.now() - stoppedAt > 1500)
      const first = ask(`${url}/catalog/items`, key)
      child.kill('SIGCONT')
      if (maxStaleness === 1) expect(await first).toMatch(/^(?:40[13]|503)/)
      await first
      expect(await feel(url, key)).toBeLessThan(timeBound(1000))
    }
  })

  it('the platform: its service answers 503 beyond maxStaleness, and lets nobody in who was refused meanwhile', async () => {
    const { child, url: address } = await start('platform', file, SECRET)
    const { auth, url } = await site.openService({ address, maxStaleness: 1 })
    const [gone, kept] = [
      await createApplication(site.auth, { catalog: {} }),
      await createApplication(site.auth, { catalog: {} }),
    ]
    for (const { clientId } of [gone, kept])
      await expect.poll(() => ask(`${url}/catalog/items`, clientId), POLL).toBe('200')
    // Their first use has changed their records: what is known is as new as it gets, and only its age refuses them.
    await auth.health()
    for (const { clientId } of [gone, kept]) expect(await ask(`${url}/catalog/items`, clientId)).toBe('200')
    child.kill('SIGSTOP')
    await site.auth.applications.suspend(gone.id)
    await waitUntil(async () => (await ask(`${url}/catalog/items`, gone.clientId)).startsWith('503'))
    child.kill('SIGCONT')
    const answers: string[] = []
    await waitUntil(async () => {
      answers.push(await ask(`${url}/catalog/items`, gone.clientId))
      return REFUSED.test(answers.at(-1)!)
    })
    expect(answers).not.toContain('200')
    await expect.poll(() => ask(`${url}/catalog/items`, kept.clientId), POLL).toBe('200')
  })
})

it('a key of another system is adopted by the platform when it first arrives at a service', async () => {
  const key = 'legacy_key_4174348a92224e81b33e5d72d2fd7f1e'
  const line = { externalId: 'crm-9', name: 'Legacy', apis: ['catalog'] as const, keys: [{ plain: key }] }
  await site.auth.imports.run([line], { confirm: true })
  const { url } = await site.openService()
  expect(await ask(`${url}/catalog/items`, `${key}0`)).toMatch(/^401/)
  expect(await ask(`${url}/catalog/items`, key)).toBe('200')
  const { items } = await site.auth.applications.list({ externalId: 'crm-9' })
  expect(items).toMatchObject([{ status: 'active', keys: [{ name: expect.any(String) as string }] }])
  const { id } = items[0]!
  // It is known by the platform's own hash now, and is felt as any other.
  expect(await ask(`${site.url}/catalog/items`, key)).toBe('200')
  const { auth: other, url: otherUrl } = await site.startService()
  await other.ready()
  expect(await ask(`${otherUrl}/catalog/items`, key)).toBe('200')
  await site.auth.applications.suspend(id)
  for (const each of [url, otherUrl]) expect(await feel(each, key)).toBeLessThan(timeBound(1000))
})
