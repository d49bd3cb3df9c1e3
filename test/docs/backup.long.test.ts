import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { runInProcess } from '../tools/cli/command-line.js'
import { createApplication } from '../support/http.js'
import { openPlatform } from '../support/platform.js'
import { DEBIAN_POSTGRES, startPostgres } from '../support/postgres.js'
import { blocksOf, readPage } from './pages.js'

const [backUp, restore] = blocksOf(readPage('docs/incidents.md')).filter(({ code }) => code.includes('DATABASE_URL'))

it(
  'a running process follows a database that was restored as the PostgreSQL chapter of docs/incidents.md says',
  { timeout: 60_000 },
  async ({ onTestFinished: atEnd }) => {
    const folder = await mkdtemp(join(tmpdir(), 'backup-'))
    atEnd(() => rm(folder, { recursive: true }))
    const server = await startPostgres({ native: DEBIAN_POSTGRES })
    atEnd(server.end)
    const env = { PATH: `${DEBIAN_POSTGRES}/bin:${process.env['PATH']}`, DATABASE_URL: server.url }
    const run = (code: string) => promisify(execFile)('sh', ['-e', '-c', code], { cwd: folder, env })
    const pool = new Pool({ connectionString: server.url, connectionTimeoutMillis: 5000 })
    atEnd(() => pool.end())
    const { auth } = openPlatform({ now: Date.now, store: postgresStore({ pool }) })
    atEnd(auth.close)
    await auth.ready()
    const kept = await createApplication(auth, ['catalog'])
    await run(backUp!.code)
    await auth.applications.suspend(kept.id)
    const lost = await createApplication(auth, ['catalog'])

    await run(restore!.code)
    const status = (key: string) =>
      auth.verifyApiKey('catalog', key).then(
        () => 200,
        (error: { status: number }) => error.status,
      )
    const readStatuses = () => Promise.all([kept.clientId, lost.clientId].map(status))
    await expect.poll(readStatuses).toEqual([200, 401])
    // The sequences were restored too: changes go on.
    await auth.applications.suspend(kept.id)
    await createApplication(auth, ['catalog'])
    expect(await readStatuses()).toEqual([403, 401])
    expect(await auth.health()).toEqual({ ok: true, problems: [] })
    expect((await runInProcess(['apps', 'list', '--db', server.url])).stdout).toContain(kept.id)
  },
)
