import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { beforeEach, describe, expect, it } from 'vitest'
import { ROOT } from '../docs/pages.js'
import { codeOfBlock } from './run-block.js'
import { createTemporaryFolder } from '../support/temporary-folder.js'

const PAGE = 'docs/existing-apps.md'
const HEADING = 'The command line'
const CLI = join(ROOT, 'dist/esm/tools/cli/main.js')
const MODULES = [
  ['an ES module', 'esm', 'module'],
  ['CommonJS', 'cjs', 'commonjs'],
] as const

describe.each(MODULES)('a TypeScript configuration compiled to %s, and a .env file', (_, format, type) => {
  let folder: string

  beforeEach(async () => {
    folder = await createTemporaryFolder()
    await mkdir(join(folder, 'node_modules'))
    await symlink(ROOT, join(folder, 'node_modules/express-platform-auth'))
    const { code } = await transform(codeOfBlock(PAGE, HEADING, 0), { loader: 'ts', format })
    await mkdir(join(folder, 'dist'))
    await writeFile(join(folder, 'dist/package.json'), JSON.stringify({ type }))
    await writeFile(join(folder, 'dist/platform.js'), code)
    await writeFile(join(folder, 'platform.cli.mjs'), codeOfBlock(PAGE, HEADING, 1))
    await writeFile(
      join(folder, '.env'),
      `DATABASE=of-env-file.sqlite\nPLATFORM_AUTH_SECRET=a-secret-of-32-characters-or-more\n`,
    )
  })

  it.each([
    ['a module that loads .env', [CLI], 'platform.cli.mjs'],
    ["Node's option --env-file", ['--env-file=.env', CLI], 'dist/platform.js'],
  ])('are found by the command line with %s', async (_, program, config) => {
    const command = ['apps', 'create', '--name', 'Partner', '--api', 'orders', '--config', config]
    const { stdout } = await promisify(execFile)(process.execPath, [...program, ...command], { cwd: folder })
    expect(stdout).toContain('Created "Partner"')
    expect(existsSync(join(folder, 'of-env-file.sqlite'))).toBe(true)
  })
})
