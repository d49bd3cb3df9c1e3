import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { CONFIG, expectRefused, runInProcess, useSite } from './command-line.js'

const site = useSite()

describe('the module of --config is refused', () => {
  it.each([
    ['a.mjs', 'export default 1', 'has no options as its default export'],
    ['b.mjs', 'export const options = {}', 'has no options as its default export'],
    ['c.mjs', 'export default { router() {}, applications: {} }', 'exports a platform'],
    ['d.mjs', "throw new Error('a typo')", 'could not be loaded: a typo'],
    ['e.mjs', 'export default { baseUrl: "x" }', 'have no persistent store'],
  ])('%s: %s', async (name, source, message) => {
    const file = join(site.folder, name)
    await writeFile(file, source)
    await expectRefused(['signing-keys', 'rotate', '--config', file], 1, message)
    await rm(file)
  })

  it('if it does not exist', async () => {
    const { code, stderr } = await runInProcess(['signing-keys', 'rotate', '--config', 'no-such.mjs'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/--config: there is no file .*no-such\.mjs\./)
  })

  it('if an option is wrong, and the option is named', async () => {
    vi.stubEnv('CLI_BASE_URL', 'api.example.com')
    await expectRefused(
      ['signing-keys', 'rotate', '--config', CONFIG],
      1,
      'baseUrl is "api.example.com". It is the absolute address',
    )
  })
})
