import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../support/postgres.js'
import { installBeside, pack, readText } from './packed.js'

const run = promisify(execFile)
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

const packed = await pack()
afterAll(() => packed?.remove())

it.each([...APPS, NEWEST])('npm installs the package beside %j, and it works', { timeout: 300_000 }, async (app) => {
  const home = await install(app, ['exercise.cjs', 'installed.cjs'])
  const { url, remove } = await freshDatabase()
  onTestFinished(remove)
  const { stdout } = await run(process.execPath, ['installed.cjs'], {
    cwd: home,
    env: { ...process.env, DATABASE_URL: url },
  })
  for (const answers of Object.values(JSON.parse(stdout) as object)) expect(answers).toEqual(ANSWERS)
})

// docs/existing-apps.md names these as the oldest that know the subpaths.
it('Jest 28 runs an app without configuration', { timeout: 300_000 }, async () => {
  const versions = { express: '4.16.4', jest: '28.0.0', supertest: '6.3.4', '@photostructure/sqlite': '1.2.1' }
  const home = await install(versions, ['platform.test.js'])
  const env = { PATH: process.env['PATH'], HOME: home }
  const { stderr } = await run(process.execPath, ['node_modules/jest/bin/jest.js'], { cwd: home, env })
  expect(stderr).toMatch(/Tests: +(\d{3}) passed, \1 total/)
})

it('eslint-import-resolver-typescript 3.10 resolves every subpath', { timeout: 300_000 }, async () => {
  const home = await install(
    {
      express: '5.3.0',
      eslint: '8.57.1',
      'eslint-plugin-import': '2.29.1',
      'eslint-import-resolver-typescript': '3.10.1',
    },
    [],
  )
  const { exports } = JSON.parse(await readText(packed.folder, 'package.json')) as { exports: object }
  const { resolve } = createRequire(join(home, 'app.js'))('eslint-import-resolver-typescript') as {
    resolve(source: string, file: string): { readonly found: boolean }
  }
  const names = Object.keys(exports).map((path) => path.replace('.', 'express-platform-auth'))
  const unresolved = names.filter((name) => !resolve(name, join(home, 'app.js')).found)
  expect(unresolved).toEqual([])
})

function install(app: Readonly<Record<string, string>>, files: readonly string[]): Promise<string> {
  return installBeside(packed.tarball, app, files)
}
