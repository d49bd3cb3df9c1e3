import { chmod, rm } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { StoreWith } from '../../../../src/store.js'
import { SECRET } from '../../../support/platform.js'
import { expectRefused, runInProcess, config } from '../command-line.js'
import { findProblems, runDoctor, useDoctorSite } from './doctor-site.js'

const { getFile, writeConfig, withStore } = useDoctorSite()

describe('the doctor', () => {
  it('says that it found nothing, and what it did not check', async () => {
    const { code, stdout, stderr } = await runInProcess(['doctor', '--db', getFile()])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Nothing found\.\n\nNot checked:\n {2}options +needs --config\n/)
    expect(stdout).toMatch(/checks, no problems\. Set NODE_ENV=production to check what production requires too\.\n$/)
  })

  it('prints each finding with its fix', async () => {
    await chmod(getFile(), 0o644)
    const { code, stdout } = await runInProcess(['doctor', '--db', getFile()])
    expect(code).toBe(3)
    expect(stdout).toMatch(
      /^PROBLEM {2}file mode: Others on this machine can open\s+\S+platform\.sqlite(?:,\s+\S+)*\.\n {9}chmod 600\s+\S+platform\.sqlite\*\n\n/,
    )
    expect(stdout).toMatch(/checks, 1 problem\./)
  })

  it('changes nothing, even if a server with these options would', async () => {
    const readAll = (): Promise<unknown> =>
      withStore(async (store: StoreWith) => [
        await store.listSigningKeys(),
        await store.listAudit({ after: undefined, limit: 100, applicationId: undefined }),
      ])
    const before = await readAll()
    const args = await writeConfig(
      `export default { ...base(), secret: ['a newer secret of 32 characters or more', '${SECRET}'], tokens: { algorithm: 'RS256', rotateEvery: 1 } }`,
    )
    await runDoctor(...args)
    expect(await readAll()).toEqual(before)
  })

  it('adds no signing key and no pepper to an empty store', async () => {
    await rm(getFile())
    await withStore(async () => undefined)
    const found = await findProblems('signing keys', ...config)
    expect(found).toMatchObject([{ finding: expect.stringContaining('There is no signing key') }])
    await withStore(async (store) => {
      expect(await store.listSigningKeys()).toEqual([])
      expect(await store.establishSecret('pepper', 'first')).toBe('first')
    })
  })

  it('runs the other checks if the store is unavailable', async () => {
    const { code, findings, skipped } = await runDoctor(...config, '--db', 'postgres://me:hidden@127.0.0.1:1/x')
    expect(code).toBe(3)
    expect(findings).toContainEqual({
      level: 'problem',
      check: 'store',
      finding: 'The store is unavailable: connect ECONNREFUSED 127.0.0.1:1.',
      fix: 'Check that the database runs, and that its address is right.',
    })
    expect(skipped.map(({ check }) => check)).toContain('e-mails')
    expect(JSON.stringify(findings)).not.toContain('hidden')
  })

  it('reports a schema that a newer version wrote, as every other command does', async () => {
    await withStore(async () => undefined)
    const { DatabaseSync } = await import('@photostructure/sqlite')
    const database = new DatabaseSync(getFile())
    database.exec(`UPDATE platform_auth_meta SET value = '99' WHERE key = 'schema'`)
    database.close()
    const [found] = await findProblems('store', '--db', getFile())
    expect(found).toMatchObject({
      finding: expect.stringContaining('schema 99'),
      fix: expect.stringContaining('newer version'),
    })
    await expectRefused(['apps', 'list', '--db', getFile()], 1, 'The database has schema 99')
  })

  it('reports missing tables, as every other command does, and does not create them', async () => {
    const { DatabaseSync } = await import('@photostructure/sqlite')
    const foreign = `${getFile()}.foreign`
    const database = new DatabaseSync(foreign)
    database.exec('CREATE TABLE foreign_table (id TEXT)')
    const [found] = await findProblems('store', '--db', foreign)
    expect(found).toMatchObject({
      finding: 'The database has no tables of express-platform-auth.',
      fix: 'Start a server on it: the server creates them.',
    })
    expect(await runInProcess(['apps', 'list', '--db', foreign])).toMatchObject({ code: 1 })
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    database.close()
    expect(tables).toEqual([{ name: 'foreign_table' }])
  })
})
