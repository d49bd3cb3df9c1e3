import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as esbuild from 'esbuild'
import { beforeAll, expect, it } from 'vitest'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

const source = fileURLToPath(new URL('../../../src/shared/lib/require-package.ts', import.meta.url))
const PROGRAM = `import { require } from ${JSON.stringify(source)}\nconsole.log(require('hasher'))`

let folder: string
let elsewhere: string

beforeAll(async () => {
  folder = await createTemporaryFolder()
  elsewhere = await createTemporaryFolder()
})

async function install(place: string): Promise<void> {
  const home = join(place, 'node_modules/hasher')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'index.js'), `module.exports = ${JSON.stringify(place)}`)
}

/** Where a bundle in `folder/dist` finds the package. */
async function find(cwd: string): Promise<string> {
  const outfile = join(folder, 'dist/app.cjs')
  const stdin = { contents: PROGRAM, resolveDir: folder }
  await esbuild.build({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'silent' })
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd })
  return stdout.trim()
}

it('a bundle in CommonJS format finds packages from the working directory, and before that from its own folder', async () => {
  await expect(find(elsewhere)).rejects.toThrow(/Cannot find module 'hasher'/)
  await install(elsewhere)
  expect(await find(elsewhere)).toBe(elsewhere)
  await install(folder)
  expect(await find(elsewhere)).toBe(folder)
  expect(await find('/')).toBe(folder)
})
