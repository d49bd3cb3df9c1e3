import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const FOLDER = fileURLToPath(new URL('..', import.meta.url))

/** The modules of src that a file of the build loads, by the comments with which esbuild names them. */
function listModules(file: string): readonly string[] {
  const files = new Set([join(FOLDER, 'dist/esm', file)])
  const modules: string[] = []
  for (const path of files) {
    const code = readFileSync(path, 'utf8')
    for (const [, module] of code.matchAll(/^\/\/ modules\/(\S+)$/gm)) modules.push(module!)
    for (const [, target] of code.matchAll(/^(?:import|export|\}).*["'](\.[^"']+)["'];$/gm))
      files.add(join(dirname(path), target!))
  }
  return modules
}

describe('the main entry of the build', () => {
  it('loads nothing that belongs to features, pages, tools or databases', () => {
    const modules = listModules('index.js')
    expect(modules).toContain('core/platform/platform-auth.js')
    const elsewhere = /^(?:features|tools|shared\/(?!contracts\/|lib\/)|stores\/(?!memory\/|sql\/feed\.js))/
    expect(modules.filter((module) => elsewhere.test(module))).toEqual([])
  })

  it.each(['emails', 'imports', 'portal', 'registration', 'usage'])(
    'is all that %s() adds, apart from its own files and those of pages and samples',
    (name) => {
      const others = new RegExp(`^(?:features/(?!${name}/)|tools/|shared/openapi/|stores/(?:sqlite|postgres)/)`)
      const modules = listModules(`features/${name}/index.js`)
      expect(modules).toContain(`features/${name}/index.js`)
      expect(modules.filter((module) => others.test(module))).toEqual([])
    },
  )

  it('takes at most 2.84 MB of the heap', async () => {
    const measure = async (): Promise<number> => {
      const code = `
        const collect = () => { for (let i = 0; i < 4; i++) globalThis.gc() }
        collect()
        const before = process.memoryUsage().heapUsed
        require('express-platform-auth')
        collect()
        console.log(process.memoryUsage().heapUsed - before)`
      const { stdout } = await run(process.execPath, ['--expose-gc', '--eval', code], { cwd: FOLDER })
      return Number(stdout)
    }
    // The smallest of three: the collector does not always take everything.
    expect(Math.min(await measure(), await measure(), await measure())).toBeLessThan(2_840_000)
  })

  it.each([
    ['oauth2', false],
    ['apiKey', true],
  ])(
    'of a platform with the scheme %s: passport-headerapikey, which brings lodash, is loaded: %s',
    async (scheme, isLoaded) => {
      const code = `
      const { createPlatformAuth } = require('express-platform-auth')
      const auth = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis: { orders: { scheme: '${scheme}' } } })
      auth.ready().then(() => {
        console.log(Object.keys(require.cache).some((path) => path.includes('passport-headerapikey')))
        return auth.close()
      })`
      const { stdout } = await run(process.execPath, ['--eval', code], {
        cwd: FOLDER,
        env: { ...process.env, NODE_ENV: 'test' },
      })
      expect(stdout.trim()).toBe(String(isLoaded))
    },
  )
})
