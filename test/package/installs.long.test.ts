import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../support/postgres.js'
import { pack, type Packed } from './packed.js'

const programs = fileURLToPath(new URL('programs', import.meta.url))
const ANSWERS = {
  token: [200, 'bearer', 'orders:read'],
  guarded: [200, { name: 'Shop', id: '7' }],
  keyed: [200, { name: 'Shop', id: '8' }],
  refused: 401,
}

/** What existing apps have. Exact versions: npm must install the package beside them, without `--legacy-peer-deps`. */
const APPS: readonly Readonly<Record<string, string>>[] = [
  { express: '4.16.0', nodemailer: '6.10.1' },
  { express: '4.16.4', nodemailer: '7.0.13', pg: '8.0.3', ioredis: '5.0.0' },
  { express: '4.17.3', nodemailer: '8.0.11', pg: '8.11.0', ioredis: '5.11.1' },
  { express: '4.18.2', nodemailer: '9.1.1', pg: '8.12.0', '@photostructure/sqlite': '1.2.1' },
  { express: '5.0.0', nodemailer: '10.0.0', pg: '8.13.0', '@opentelemetry/api': '1.9.0' },
  { express: '5.3.0', nodemailer: '10.6.0', ioredis: '4.28.5' },
]
// Version 2 of @photostructure/sqlite needs Node 22.
const hasNode22 = Number.parseInt(process.versions.node, 10) >= 22
const NEWEST = {
  express: '5.3.0',
  '@photostructure/sqlite': hasNode22 ? '2.6.0' : '1.2.1',
  '@opentelemetry/api': '1.10.0',
}

let packed: Packed
beforeAll(async () => {
  packed = await pack()
})
afterAll(() => packed?.remove())

it.each([...APPS, NEWEST])('npm installs the package beside %j, and it works', { timeout: 300_000 }, async (app) => {
  const home = await mkdtemp(join(tmpdir(), 'existing-app-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const dependencies = { ...app, 'express-platform-auth': `file:${packed.tarball}` }
  await writeFile(join(home, 'package.json'), JSON.stringify({ private: true, type: 'commonjs', dependencies }))
  for (const name of ['exercise.cjs', 'installed.cjs']) await cp(join(programs, name), join(home, name))
  const run = promisify(execFile)
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: home })

  const { url, remove } = await freshDatabase()
  onTestFinished(remove)
  const { stdout } = await run(process.execPath, ['installed.cjs'], {
    cwd: home,
    env: { ...process.env, DATABASE_URL: url },
  })
  for (const answers of Object.values(JSON.parse(stdout) as object)) expect(answers).toEqual(ANSWERS)
})
