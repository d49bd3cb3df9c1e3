import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createTokenForm } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { DATABASES } from '../../support/databases.js'
import { timeBound } from '../../support/time-bound.js'
import { waitUntil } from '../../support/wait-until.js'
import {
  CONFIG,
  createSite,
  parseJson,
  readEmails,
  runInProcess,
  runProgram,
  startServer,
  type ProgramResult,
} from './command-line.js'

/** How the command line and the server beside it open the same store. */
const STORES = {
  async SQLite() {
    const { file, folder } = await createSite()
    return { folder, db: ['--db', file], config: ['--config', CONFIG], env: { CLI_FILE: file } }
  },
  async PostgreSQL() {
    const { folder } = await createSite()
    const { address } = await DATABASES.PostgreSQL()
    const config = ['--config', CONFIG, '--db', address]
    return { folder, db: ['--db', address], config, env: { CLI_POSTGRES: address } }
  },
}

// In `npm test` test/fleet has processes beside each other on PostgreSQL.
const NAMES = IS_LONG_LANE ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const)
const SITES = await Promise.all(
  NAMES.map(async (name) => {
    const store = await STORES[name]()
    const mailbox = join(store.folder, 'emails')
    const server = await startServer({ ...store.env, CLI_MAIL: mailbox })
    afterAll(server.stop)
    return { name, store, server, mailbox }
  }),
)

describe.each(SITES)('beside a running server on $name', ({ store, server, mailbox }) => {
  /** In this process, which is not the server's: the start of a process takes much longer than the command. */
  async function runCommand(args: readonly string[], more: Record<string, string> = {}): Promise<ProgramResult> {
    for (const [name, value] of Object.entries({ ...store.env, ...more })) vi.stubEnv(name, value)
    try {
      return await (IS_LONG_LANE ? runProgram(args, { ...store.env, ...more }) : runInProcess(args))
    } finally {
      vi.unstubAllEnvs()
    }
  }

  const runJson = async (...args: readonly string[]) => parseJson(await runCommand([...args, '--json']))

  const fetchStatus = async (path: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(server.url + path, { headers })).status

  /** Polls until the server answers with that status, and resolves after how many milliseconds it did. */
  const waitForStatus = (expected: number, path: string, headers: Record<string, string>): Promise<number> =>
    waitUntil(async () => (await fetchStatus(path, headers)) === expected)

  async function fetchAccessToken({ clientId = '', clientSecret = '' }): Promise<string> {
    const body = new URLSearchParams(createTokenForm({ clientId, clientSecret }))
    const response = await fetch(`${server.url}/orders/token`, { method: 'POST', body })
    return ((await response.json()) as { access_token: string }).access_token
  }

  it('new credentials work at once, and the server follows each change within a second', async () => {
    const create = 'apps create --name Shop --api orders --api catalog'.split(' ')
    const { application, credentials } = await runJson(...create, ...store.config)
    const { id } = application
    const key = { 'X-Api-Key': credentials.clientId! }
    const bearer = { Authorization: `Bearer ${await fetchAccessToken(credentials)}` }
    expect(await fetchStatus('/catalog/items', key)).toBe(200)
    expect(await fetchStatus('/orders/items', bearer)).toBe(200)

    await runJson('apps', 'suspend', id, ...store.db)
    expect(await waitForStatus(403, '/catalog/items', key)).toBeLessThan(timeBound(1000))
    expect(await waitForStatus(401, '/orders/items', bearer)).toBeLessThan(timeBound(1000))
    await runJson('apps', 'resume', id, ...store.db)
    expect(await waitForStatus(200, '/orders/items', bearer)).toBeLessThan(timeBound(1000))

    await runJson('apps', 'revoke-tokens', id, ...store.db)
    expect(await waitForStatus(401, '/orders/items', bearer)).toBeLessThan(timeBound(1000))
    const newBearer = { Authorization: `Bearer ${await fetchAccessToken(credentials)}` }
    expect(await fetchStatus('/orders/items', newBearer)).toBe(200)
    await runJson('apps', 'disallow', id, 'orders', ...store.db)
    expect(await waitForStatus(401, '/orders/items', newBearer)).toBeLessThan(timeBound(1000))

    const rotated = await runJson('apps', 'rotate-key', id, '--overlap', '0', ...store.config)
    expect(await waitForStatus(401, '/catalog/items', key)).toBeLessThan(timeBound(1000))
    const newKey = { 'X-Api-Key': rotated.credentials.clientId! }
    expect(await waitForStatus(200, '/catalog/items', newKey)).toBeLessThan(timeBound(1000))
    await runJson('apps', 'delete', id, '--yes', ...store.db)
    expect(await waitForStatus(401, '/catalog/items', newKey)).toBeLessThan(timeBound(1000))
  })

  it('the server sends an e-mail that the command line could not send', async () => {
    const args = ['apps', 'register', '--name', 'Reader', '--contact', 'reader@shop.example', '--api', 'catalog']
    const refused = await runCommand([...args, '--json', ...store.config], { CLI_MAIL: 'refuses' })
    const { application, emails } = JSON.parse(refused.stdout) as { application: { id: string }; emails: object[] }
    // Either process may have leased it first.
    if (emails.length > 0) await runJson('emails', 'retry', application.id, ...store.db)
    await waitUntil(async () => (await readEmails(mailbox)).length > 0)
    expect((await readEmails(mailbox)).map(({ to }) => to)).toEqual(['reader@shop.example'])
    // It leaves the queue after it was sent.
    await waitUntil(async () => {
      const { stdout } = await runCommand(['emails', 'list', '--json', ...store.db])
      return (JSON.parse(stdout) as { items: object[] }).items.length === 0
    })
  })

  it('the doctor finds the server on the same store', async () => {
    const report = await runCommand(['doctor', '--json', ...store.config], { CLI_BASE_URL: server.url })
    // The server's own options have another address than the one at which it listens.
    const finding: unknown = expect.stringContaining('baseUrl differs: "http://localhost:3000"')
    expect(JSON.parse(report.stdout)).toMatchObject({ problems: 0, findings: [{ check: 'processes', finding }] })
    expect(report.code).toBe(0)
  })
})
