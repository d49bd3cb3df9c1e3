import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../support/temporary-folder.js'

/** The recipes of docs/testing.md that other runners than Vitest run; testing/vitest.integration.test.ts is Vitest's. */
const folder = fileURLToPath(new URL('testing', import.meta.url))

it('the recipe for node:test passes', async () => {
  const { code, output } = await run(['--test', '--test-reporter', 'spec', join(folder, 'node.test.mjs')])
  expect(code, output).toBe(0)
  expect(output).toMatch(/pass [1-9]/)
  expect(output).toMatch(/fail 0/)
})

it('the recipe for Jest passes', async () => {
  const jest = join(dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin/jest.js')
  const cache = ['--cacheDirectory', await createTemporaryFolder()]
  const options = ['--rootDir', folder, '--testRegex', 'jest.test.cjs', '--runInBand', '--testTimeout=60000']
  // Babel would compile the whole package, which is not in a folder node_modules here as it is in a user's project.
  const { code, output } = await run([jest, ...options, ...cache, '--transform', '{}'])
  expect(code, output).toBe(0)
  expect(output).toMatch(/Tests: +(\d+) passed, \1 total/)
})

function run(args: readonly string[]): Promise<{ code: unknown; output: string }> {
  return new Promise((done) => {
    // Without the variables of Vitest, which the other runners read too.
    const env = { PATH: process.env['PATH'], CI: 'true' }
    execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
      done({ code: error ? (error.code ?? error.signal) : 0, output: stdout + stderr }),
    )
  })
}
