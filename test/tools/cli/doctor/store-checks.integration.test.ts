import { Pool } from 'pg'
import { describe, expect, it, vi, onTestFinished } from 'vitest'
import { compareClocks } from '../../../../src/tools/cli/doctor/store-checks.js'
import { postgresStore } from '../../../../src/stores/postgres/index.js'
import { freshDatabase } from '../../../support/postgres.js'
import { createSite, runProgram, config } from '../command-line.js'
import { findProblems, runDoctor, useDoctorSite, type Report } from './doctor-site.js'

const DAY_MS = 24 * 3600 * 1000

const { getFile, switchTo } = useDoctorSite()

describe('the doctor reports', () => {
  it('signing keys that are not encrypted', async () => {
    await switchTo(await createSite(undefined, { secret: undefined }))
    vi.stubEnv('CLI_SECRET', '')
    const { code, findings } = await runDoctor('--db', getFile())
    expect(code).toBe(0)
    expect(findings).toMatchObject([{ level: 'note', check: 'encryption at rest' }])
    vi.stubEnv('NODE_ENV', 'production')
    expect(await findProblems('encryption at rest', '--db', getFile())).toHaveLength(1)
    expect(await findProblems('options', ...config)).toMatchObject([{ finding: 'secret is missing.' }])
  })

  it('a signing key that no server rotates', async () => {
    await switchTo(await createSite(undefined, { now: () => Date.now() - 40 * DAY_MS }))
    vi.stubEnv('CLI_ROTATE_EVERY', String((30 * DAY_MS) / 1000))
    expect(await findProblems('signing keys', ...config)).toMatchObject([
      {
        finding: expect.stringContaining('is 40 days old, and tokens.rotateEvery is 30 days'),
        fix: expect.stringContaining('express-platform-auth signing-keys rotate'),
      },
    ])
    vi.stubEnv('CLI_ROTATE_EVERY', String((50 * DAY_MS) / 1000))
    expect(await findProblems('signing keys', ...config)).toEqual([])
  })

  it('a PostgreSQL server whose clock differs by more than the tolerance', async () => {
    const { url, remove } = await freshDatabase()
    onTestFinished(remove)
    await createTables(url)
    const { code, stdout } = await runProgram(['doctor', '--json', '--db', url])
    const { findings, skipped } = JSON.parse(stdout) as Report
    // No server has started on it.
    expect(findings.map(({ check }) => check)).toEqual(['signing keys'])
    expect(skipped.map(({ check }) => check)).not.toContain("the database's clock")
    expect(code).toBe(3)
    expect(compareClocks('the database', 4900)).toEqual([])
    expect(compareClocks('the database', -5100)).toMatchObject([
      { finding: "The clock of the database is 5 seconds behind this machine's." },
    ])
    expect(compareClocks('the database', 61_000, 60)).toMatchObject([
      { finding: expect.stringContaining('61 seconds ahead of') },
    ])
  })
})

async function createTables(connectionString: string): Promise<void> {
  const pool = new Pool({ connectionString })
  const store = postgresStore({ pool, listen: false })
  await store.open()
  await store.close()
  await pool.end()
}
