import { Pool } from 'pg'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { chmod, rm } from 'node:fs/promises'
import { describe, expect, it, vi } from 'vitest'
import { splitCure } from '../../../src/cli/doctor/finding.js'
import { clocksApart } from '../../../src/cli/doctor/store-checks.js'
import type { QueuedEmail, Store } from '../../../src/index.js'
import { SECRET } from '../../support/platform.js'
import { freshDatabase } from '../../support/postgres.js'
import { bin, CONFIG, core, site } from '../command-line.js'
import { examine, practice, problemsOf, type Report } from './practice.js'

const DAY = 24 * 3600 * 1000
const ID = /app_\w{32}/

const { file, move, optionsOf, inStore, atTheEnd } = practice()
const config = ['--config', CONFIG] as const

describe('the doctor', () => {
  it('says so where nothing is wrong, and what it could not look at', async () => {
    const { code, stdout, stderr } = await core(['doctor', '--db', file()])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Nothing found\.\n\nNot looked at:\n {2}options +needs --config\n/)
    expect(stdout).toMatch(
      /checks, no problems\. This was no look at production: set NODE_ENV=production for that\.\n$/,
    )
  })

  it('says each finding with its cure', async () => {
    await chmod(file(), 0o644)
    const { code, stdout } = await core(['doctor', '--db', file()])
    expect(code).toBe(3)
    expect(stdout).toMatch(
      /^PROBLEM {2}file mode: Others on this machine can open\s+\S+platform\.sqlite(?:,\s+\S+)*\.\n {9}chmod 600 \S+platform\.sqlite\*\n\n/,
    )
    expect(stdout).toMatch(/checks, 1 problem\./)
  })

  it('changes nothing, whatever the options would have a server change', async () => {
    const before: unknown[] = []
    const snapshot = async (store: Store): Promise<unknown> => [
      await store.listSigningKeys(),
      await store.listAudit({ after: undefined, limit: 100, applicationId: undefined }),
    ]
    await inStore(async (store) => before.push(await snapshot(store)))
    const args = await optionsOf(
      `export default { ...base(), secret: ['a newer secret of 32 characters or more', '${SECRET}'], signing: { algorithm: 'RS256', rotateEvery: 1 } }`,
    )
    await examine(...args)
    await inStore(async (store) => expect(await snapshot(store)).toEqual(before[0]))
  })

  it('does not become the first to bring a key or a pepper', async () => {
    await rm(file())
    await inStore(async () => undefined)
    const found = await problemsOf('signing keys', ...config)
    expect(found).toMatchObject([{ finding: expect.stringContaining('There is no signing key') }])
    await inStore(async (store) => {
      expect(await store.listSigningKeys()).toEqual([])
      expect(await store.establishPepper('mine')).toBe('mine')
    })
  })
})

describe('the doctor finds', () => {
  it('a Node that is not supported', async () => {
    const { code, stdout } = await core(['doctor', '--db', file()], { engines: { node: '^1.2.3 || >=99.0.0' } })
    expect(code).toBe(3)
    expect(stdout).toContain('is none of those supported: ^1.2.3 || >=99.0.0.')
  })

  it('a store out of reach, and still looks at the rest', async () => {
    const { code, findings, skipped } = await examine(...config, '--db', 'postgres://me:hidden@127.0.0.1:1/x')
    expect(code).toBe(3)
    expect(findings).toContainEqual({
      level: 'problem',
      check: 'store',
      finding: 'The store is out of reach: connect ECONNREFUSED 127.0.0.1:1',
      cure: 'See that the database runs, and that its address is right.',
    })
    expect(skipped.map(({ check }) => check)).toContain('emails')
    expect(JSON.stringify(findings)).not.toContain('hidden')
  })

  it('a schema that a newer version wrote, as every other command does', async () => {
    await inStore(async () => undefined)
    const { DatabaseSync } = await import('@photostructure/sqlite')
    const database = new DatabaseSync(file())
    database.exec(`UPDATE platform_auth_meta SET value = '99' WHERE key = 'schema_version'`)
    database.close()
    const [found] = await problemsOf('store', '--db', file())
    expect(found).toMatchObject({
      finding: expect.stringContaining('schema 99'),
      cure: expect.stringContaining('newer version'),
    })
    const listed = await core(['apps', 'list', '--db', file()])
    expect(listed).toMatchObject({ code: 1, stderr: expect.stringContaining('The database has schema 99') })
  })

  it('a schema that is older, as every other command does, and leaves it as it is', async () => {
    const { DatabaseSync } = await import('@photostructure/sqlite')
    const theirs = `${file()}.theirs`
    const database = new DatabaseSync(theirs)
    database.exec('CREATE TABLE theirs (id TEXT)')
    const [found] = await problemsOf('store', '--db', theirs)
    expect(found).toMatchObject({
      finding: 'The database has no tables of express-platform-auth.',
      cure: 'Start a server on it: the server creates them.',
    })
    expect(await core(['apps', 'list', '--db', theirs])).toMatchObject({ code: 1 })
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    database.close()
    expect(tables).toEqual([{ name: 'theirs' }])
  })

  it('signing keys that lie in the open', async () => {
    await move(await site(undefined, { secret: undefined }))
    vi.stubEnv('CLI_SECRET', '')
    const { code, findings } = await examine('--db', file())
    expect(code).toBe(0)
    expect(findings).toMatchObject([{ level: 'note', check: 'encryption at rest' }])
    vi.stubEnv('NODE_ENV', 'production')
    expect(await problemsOf('encryption at rest', '--db', file())).toHaveLength(1)
    expect(await problemsOf('options', ...config)).toMatchObject([{ finding: 'secret is missing.' }])
  })

  it('a secret that is not the one of the store', async () => {
    vi.stubEnv('CLI_SECRET', 'another secret of 32 characters or more')
    expect(await problemsOf('options', ...config)).toMatchObject([
      {
        finding: 'secret is not the one that the store was written with.',
        cure: expect.stringContaining('To change it give both'),
      },
    ])
  })

  it('options that no platform starts with', async () => {
    vi.stubEnv('CLI_BASE_URL', 'api.example.com')
    expect(await problemsOf('options', ...config)).toMatchObject([{ finding: 'baseUrl is "api.example.com".' }])
  })

  it('http and a memory store, in production', async () => {
    vi.stubEnv('CLI_BASE_URL', 'http://api.example.invalid')
    const { findings } = await examine(...config)
    expect(findings.filter(({ level }) => level === 'problem')).toEqual([])
    vi.stubEnv('NODE_ENV', 'production')
    expect(await problemsOf('options', ...config)).toMatchObject([{ cure: 'Use https in production.' }])
    vi.stubEnv('CLI_FILE', '')
    expect(await problemsOf('options', ...config)).toMatchObject([{}, { finding: 'store is missing.' }])
    const memory = await optionsOf(
      `export default () => ({ ...base(), store: new Proxy({ kind: 'memory' }, { get: (target, name) => target[name] }) })`,
    )
    expect(await problemsOf('memory store', ...memory)).toHaveLength(1)
  })

  it('a signing key that nobody rotates', async () => {
    await move(await site(undefined, { now: () => Date.now() - 40 * DAY }))
    vi.stubEnv('CLI_ROTATE_EVERY', String((30 * DAY) / 1000))
    expect(await problemsOf('signing keys', ...config)).toMatchObject([
      { finding: expect.stringContaining('is 40 days old, and signing.rotateEvery is 30 days') },
    ])
    vi.stubEnv('CLI_ROTATE_EVERY', String((50 * DAY) / 1000))
    expect(await problemsOf('signing keys', ...config)).toEqual([])
  })

  it('emails that were given up, are overdue, are not accepted, or wait for approval', async () => {
    const register = async (api: string, mail: string): Promise<string> => {
      vi.stubEnv('CLI_MAIL', mail)
      const args = ['apps', 'register', '--name', 'Shop', '--contact', 'dev@shop.example', '--api', api, ...config]
      return ID.exec((await core(args)).stdout)![0]
    }
    const failed = await register('catalog', 'refuses')
    const struggling = await register('catalog', 'is busy')
    const held = await register('orders', 'refuses')
    const overdue = await register('catalog', 'refuses')
    await inStore(async (store) => {
      const [email] = await store.listEmails({ applicationId: overdue, state: 'failed', limit: 1 })
      const { version, problem: _, ...rest } = email!
      const due: QueuedEmail = {
        ...rest,
        state: 'due',
        dueAt: Date.now() - DAY,
        problem: undefined,
        version: version + 1,
      }
      expect(await store.saveEmail(due)).toBe(true)
    })
    const { findings } = await examine('--db', file())
    expect(
      findings.map(({ level, finding }) => [
        level,
        finding.replace(/the first since [^:]*:..:..Z/, 'the first since then'),
      ]),
    ).toEqual([
      ['problem', `1 email is given up: ${failed} (550).`],
      ['problem', `1 email is overdue, the first since then: ${overdue}.`],
      ['problem', `1 email is tried and not accepted yet: ${struggling} (ECONNREFUSED).`],
      ['note', `1 email is held until somebody approves the registration: ${held}.`],
    ])
  })

  it('a mail server that can not be used, where the mailer can tell', async () => {
    const mailer = (verify: string): Promise<readonly string[]> =>
      optionsOf(`export default () => ({ ...base(), mailer: { send: async () => {}, ${verify} } })`)
    expect(await problemsOf('mail server', ...(await mailer('verify: async () => true')))).toEqual([])
    const broken = await mailer(`verify: async () => { throw new Error('Invalid login: 535') }`)
    expect(await problemsOf('mail server', ...broken)).toMatchObject([
      { finding: "The mail server can't be used: Invalid login: 535" },
    ])
    const { findings } = await examine(...(await mailer('')))
    expect(findings).toContainEqual(expect.objectContaining({ level: 'note', check: 'mail server' }))
  })
})

it("compares clocks with the database's, on PostgreSQL", async () => {
  const { url, remove } = await freshDatabase()
  atTheEnd(remove)
  await makeTables(url)
  const { code, stdout } = await bin(['doctor', '--json', '--db', url])
  const { findings, skipped } = JSON.parse(stdout) as Report
  // No platform has started on it.
  expect(findings.map(({ check }) => check)).toEqual(['signing keys'])
  expect(skipped.map(({ check }) => check)).not.toContain("the database's clock")
  expect(code).toBe(3)
  expect(clocksApart('the database', 4900)).toEqual([])
  expect(clocksApart('the database', -5100)).toMatchObject([
    { finding: "The clock of the database is 5 seconds behind this machine's." },
  ])
  expect(clocksApart('the database', 61_000, 60)).toMatchObject([
    { finding: expect.stringContaining('61 seconds ahead of') },
  ])
})

it('tells a finding from its cure', () => {
  expect(splitCure('secret is missing. In production set it.')).toEqual(['secret is missing.', 'In production set it.'])
  expect(splitCure('no cure')).toEqual(['no cure', 'The README says what is right there.'])
})

async function makeTables(connectionString: string): Promise<void> {
  const pool = new Pool({ connectionString })
  const store = postgresStore({ pool, listen: false })
  await store.open()
  await store.close()
  await pool.end()
}
