import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../support/postgres.js'
import { bin, CONFIG, documentOf, emailsIn, site, startServer } from './command-line.js'

/** What the command line and the server beside it are told of the same store. */
const STORES = {
  async SQLite() {
    const { file, folder, remove } = await site()
    return { folder, db: ['--db', file], config: ['--config', CONFIG], env: { CLI_FILE: file }, remove }
  },
  async PostgreSQL() {
    const { folder, remove } = await site()
    const { url, remove: drop } = await freshDatabase()
    const env = { CLI_POSTGRES: url }
    const removeBoth = async (): Promise<void> => {
      await drop()
      await remove()
    }
    return { folder, db: ['--db', url], config: ['--config', CONFIG, '--db', url], env, remove: removeBoth }
  },
}

describe.each(Object.entries(STORES))('beside a running server on %s', (_name, open) => {
  let place: Awaited<ReturnType<typeof open>>
  let server: Awaited<ReturnType<typeof startServer>>
  let env: Record<string, string>

  beforeAll(async () => {
    place = await open()
    env = { ...place.env, CLI_MAIL: join(place.folder, 'emails') }
    server = await startServer(env)
  })
  afterAll(async () => {
    await server.stop()
    await place.remove()
  })

  const done = async (...args: readonly string[]) => documentOf(await bin([...args, '--json'], place.env))

  const status = async (path: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(server.url + path, { headers })).status

  /** Milliseconds until the server answers so. */
  async function until(expected: number, path: string, headers: Record<string, string>): Promise<number> {
    const start = performance.now()
    while ((await status(path, headers)) !== expected) {
      if (performance.now() - start > 10_000) throw new Error(`never ${expected}`)
      await sleep(10)
    }
    return performance.now() - start
  }

  async function accessToken({ clientId = '', clientSecret = '' }): Promise<string> {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    })
    const response = await fetch(`${server.url}/orders/token`, { method: 'POST', body })
    return ((await response.json()) as { access_token: string }).access_token
  }

  it('what is created works at once, and every change is felt within a second', { timeout: 60_000 }, async () => {
    const { application, credentials } = await done(
      'apps', 'create', '--name', 'Shop', '--api', 'orders', '--api', 'catalog', ...place.config,
    ) // prettier-ignore
    const { id } = application
    const key = { 'X-Api-Key': credentials.clientId! }
    const bearer = { Authorization: `Bearer ${await accessToken(credentials)}` }
    expect(await status('/catalog/items', key)).toBe(200)
    expect(await status('/orders/items', bearer)).toBe(200)

    await done('apps', 'suspend', id, ...place.db)
    expect(await until(403, '/catalog/items', key)).toBeLessThan(1000)
    expect(await until(401, '/orders/items', bearer)).toBeLessThan(1000)
    await done('apps', 'resume', id, ...place.db)
    expect(await until(200, '/orders/items', bearer)).toBeLessThan(1000)

    await done('apps', 'revoke-tokens', id, ...place.db)
    expect(await until(401, '/orders/items', bearer)).toBeLessThan(1000)
    const another = { Authorization: `Bearer ${await accessToken(credentials)}` }
    expect(await status('/orders/items', another)).toBe(200)
    await done('apps', 'disallow', id, 'orders', ...place.db)
    expect(await until(401, '/orders/items', another)).toBeLessThan(1000)

    const rotated = await done('apps', 'rotate-key', id, '--overlap', '0', ...place.config)
    expect(await until(401, '/catalog/items', key)).toBeLessThan(1000)
    const fresh = { 'X-Api-Key': rotated.credentials.clientId! }
    expect(await until(200, '/catalog/items', fresh)).toBeLessThan(1000)
    await done('apps', 'delete', id, '--yes', ...place.db)
    expect(await until(401, '/catalog/items', fresh)).toBeLessThan(1000)
  })

  it('a email that the command line can not send is sent by the server', async () => {
    const refusing = { ...place.env, CLI_MAIL: 'refuses' }
    const args = ['apps', 'register', '--name', 'Reader', '--contact', 'reader@shop.example', '--api', 'catalog']
    const refused = await bin([...args, '--json', ...place.config], refusing)
    const { application, emails } = JSON.parse(refused.stdout) as { application: { id: string }; emails: object[] }
    // Either of the two may have taken it.
    if (emails.length > 0) await done('emails', 'retry', application.id, ...place.db)
    const start = Date.now()
    while ((await emailsIn(env['CLI_MAIL']!)).length === 0 && Date.now() - start < 5000) await sleep(20)
    expect((await emailsIn(env['CLI_MAIL']!)).map(({ to }) => to)).toEqual(['reader@shop.example'])
  })

  it('the doctor finds the server on the same store', async () => {
    const report = await bin(['doctor', '--json', ...place.config], { ...place.env, CLI_BASE_URL: server.url })
    expect(JSON.parse(report.stdout)).toMatchObject({ problems: 0, findings: [] })
    expect(report.code).toBe(0)
  })
})
