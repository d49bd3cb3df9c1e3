import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { execute, freshDatabase } from '../support/postgres.js'
import { waitUntil } from '../support/wait-until.js'
import { createPartner, observe, type Partner } from './changes-since-backup.js'
import { createFullSite, type FullSite, type Output, type Server } from './full-site.js'
import { blocksOf, readPage } from './pages.js'

const OPERATIONS = 'docs/operations.md'
const INCIDENTS = 'docs/incidents.md'
const EXAMPLE_ID = 'app_e033efc23582315920c5492e6a478180'
const run = new Set<string>()

/** Runs the page's command that begins so, for that application. */
async function runCommand(site: FullSite, page: string, start: string, id = ''): Promise<Output> {
  const { text } = readPage(page)
  const pattern = new RegExp(`(?:npx )?express-platform-auth ${start}[^\`\\n]*`)
  const command = pattern.exec(text)?.[0]
  expect(command, start).toBeDefined()
  run.add(command!)
  const line = command!.replace(/^(?:npx )?express-platform-auth /, '')
  return site.run(line.replace(EXAMPLE_ID, id).replace('ADDRESS', 'platform.sqlite'))
}

/** Like `runCommand`, for a command that must do its work. */
async function expectDone(...args: Parameters<typeof runCommand>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

async function configure(site: FullSite, change: (options: string) => string): Promise<void> {
  const file = join(site.folder, 'platform.js')
  const options = await readFile(file, 'utf8')
  const changed = change(options)
  expect(changed).not.toBe(options)
  await writeFile(file, changed)
}

const setSecret = (site: FullSite, secret: string): Promise<void> =>
  configure(site, (options) =>
    options.replace(/^ {2}(?:secret|importUnencrypted): .*\n/gm, '').replace(/^ {2}store:/m, `${secret}  store:`),
  )

/** What the partner's callers and contacts get. */
const seen = async (server: Server, partner: Partner) => {
  const { catalog, orders, token, portal } = (await observe(server, partner)) as Record<string, unknown>
  return { catalog, orders, token, portal }
}
const ALL_WORKS = { catalog: 200, orders: 200, token: 200, portal: true }

describe(`the commands of ${INCIDENTS}, as written, on a platform that uses every feature`, () => {
  it('end what leaked, and nothing else', async () => {
    const site = await createFullSite()
    const server = await site.start()
    const partners: Partner[] = []
    for (let i = 0; i < 4; i++) partners.push(await createPartner(server, i))
    const [leaked, suspended, lost, other] = partners as [Partner, Partner, Partner, Partner]
    expect(await seen(server, other)).toEqual(ALL_WORKS)

    const rotated = await expectDone(site, INCIDENTS, 'apps rotate-secret', leaked.id)
    await expect.poll(() => seen(server, leaked)).toEqual({ catalog: 200, orders: 401, token: 401, portal: true })
    const clientSecret = /epas_\w+|client_secret\W+(\S+)/.exec(rotated)!.at(-1)!
    await server.caller.accessToken('orders', { clientId: leaked.credentials.clientId!, clientSecret })

    await expectDone(site, INCIDENTS, 'apps suspend', suspended.id)
    await expect.poll(() => seen(server, suspended)).toMatchObject({ catalog: 403, token: 401 })

    const list = (await expectDone(site, INCIDENTS, 'apps list --contact')).replace('dev@partner.example', '')
    expect(list).not.toContain(lost.id)
    await server.auth.applications.update(lost.id, { contact: 'dev@partner.example' })
    expect(await expectDone(site, INCIDENTS, 'apps list --contact')).toContain(lost.id)
    const recovered = await expectDone(site, INCIDENTS, 'apps recover', lost.id)
    await expect.poll(() => seen(server, lost)).toEqual({ catalog: 401, orders: 401, token: 401, portal: false })
    expect(await server.auth.applications.get(lost.id)).toMatchObject({ contacts: ['security@partner.example'] })
    expect(recovered).toContain('client_secret')

    expect(await expectDone(site, INCIDENTS, 'doctor')).toContain('no problems')

    expect(await seen(server, other)).toEqual(ALL_WORKS)
    await expectDone(site, INCIDENTS, 'session-secret replace')
    await expect.poll(() => seen(server, other)).toEqual({ ...ALL_WORKS, portal: false })

    // Backups are tried in files of their own.
    const blocks = blocksOf(readPage(INCIDENTS)).filter(({ language }) => language === 'sh')
    const commands = blocks.flatMap(({ code }) => code.split('\n').filter((line) => line.startsWith('npx ')))
    expect(commands.filter((line) => !line.includes('restore-check') && !run.has(line))).toEqual([])
  }, 180_000)
})

describe(`the commands of ${OPERATIONS}, as written, on a platform that uses every feature`, () => {
  it('change `secret` without changing a credential, a token or a session', async () => {
    const site = await createFullSite()
    const OLD = "'a secret of 32 characters or more'"
    const NEW = "'another secret of 32 characters!!'"
    let server = await site.start()
    const partner = await createPartner(server, 0)
    for (const secret of [`[${OLD}, ${NEW}]`, `[${NEW}, ${OLD}]`, NEW]) {
      await setSecret(site, `  secret: ${secret},\n`)
      // The former process goes on until the next one runs.
      const next = await site.start()
      expect(await seen(server, partner), secret).toEqual(ALL_WORKS)
      await server.stop()
      server = next
      expect(await seen(server, partner), secret).toEqual(ALL_WORKS)
    }
    await server.stop()
    await setSecret(site, `  secret: ${OLD},\n`)
    await expect(site.start()).rejects.toMatchObject({ option: 'secret' })
  })

  it('encrypt what was stored in clear, and make what backups have worthless', async () => {
    const site = await createFullSite()
    await setSecret(site, '')
    let server = await site.start()
    const partner = await createPartner(server, 0)
    const [former] = (await server.auth.signingKeys.list()).items
    await server.stop()
    expect((await runCommand(site, INCIDENTS, 'doctor')).stdout).toContain('Signing keys are stored unencrypted')
    await setSecret(site, "  secret: 'a secret of 32 characters or more',\n")
    await expect(site.start()).rejects.toMatchObject({ option: 'secret' })
    await setSecret(site, "  secret: 'a secret of 32 characters or more',\n  importUnencrypted: true,\n")
    server = await site.start()
    expect(await seen(server, partner)).toEqual(ALL_WORKS)

    const { text } = readPage(OPERATIONS)
    for (const command of ['signing-keys rotate', 'session-secret replace']) {
      expect(text).toContain(`\`${command}\``)
      expect(await site.run(`${command} --config platform.js`)).toMatchObject({ code: 0 })
    }
    await expect.poll(() => seen(server, partner)).toEqual({ ...ALL_WORKS, portal: false })
    const { items } = await server.auth.signingKeys.list()
    expect(items.map(({ kid, state }) => [kid === former!.kid, state])).toEqual([
      [true, 'current'],
      [false, 'next'],
    ])
    await server.stop()
    await setSecret(site, "  secret: 'a secret of 32 characters or more',\n")
    server = await site.start()
    expect(
      (await server.store.listSigningKeys()).filter(({ sealedPrivateJwk }) => !sealedPrivateJwk.startsWith('ey')),
    ).toEqual([])
    expect(await seen(server, partner)).toMatchObject({ catalog: 200, orders: 200, token: 200 })
  })

  it('remove a signing key that somebody else wrote, and list what expires', async () => {
    const site = await createFullSite()
    const server = await site.start()
    const partner = await createPartner(server, 0)
    const keys = await server.store.listSigningKeys()
    const audit = {
      at: Date.now(),
      type: 'signingKey.rotated',
      by: undefined,
      applicationId: undefined,
      details: {},
    } as const
    await server.store.addSigningKey({ ...keys[0]!, kid: 'KID' }, keys.at(-1)!.kid, audit)
    const problems = async (): Promise<readonly string[]> => (await server.auth.health()).problems
    await expect.poll(problems).toContainEqual(expect.stringContaining('Signing keys in the store are ignored'))
    await expectDone(site, OPERATIONS, 'signing-keys revoke KID')
    await expect.poll(problems).not.toContainEqual(expect.stringContaining('ignored'))
    expect(await seen(server, partner)).toEqual(ALL_WORKS)

    expect(await expectDone(site, OPERATIONS, 'apps list --expiring 30d')).not.toContain(partner.id)
    const { keys: held } = (await server.auth.applications.get(partner.id))!
    const expiresAt = new Date(Date.now() + 20 * 86_400_000)
    await server.auth.applications.updateCredential(partner.id, held[0]!.id, { expiresAt })
    expect(await expectDone(site, OPERATIONS, 'apps list --expiring 30d')).toContain(partner.id)
  })

  it('name the process that holds a lock', async () => {
    const { url, remove } = await freshDatabase()
    onTestFinished(remove)
    await execute(url, 'CREATE TABLE locked (id int)')
    const [holder, waiter] = [new Client(url), new Client(url)]
    await Promise.all([holder.connect(), waiter.connect()])
    await holder.query('BEGIN; LOCK TABLE locked')
    const waiting = waiter.query('SELECT * FROM locked')
    const [sql] = /SELECT pid, query FROM pg_stat_activity[^`]*/.exec(readPage(OPERATIONS).text)!
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const client = new Client(url)
    await client.connect()
    await waitUntil(async () => (await client.query<{ pid: number }>(sql)).rows.some(({ pid }) => pid === rows[0]!.pid))
    await holder.query('COMMIT')
    await waiting
    await Promise.all([holder.end(), waiter.end(), client.end()])
  })
})
