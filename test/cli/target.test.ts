import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { CONFIG, core, json, site, siteForAll } from './command-line.js'

const here = siteForAll()
const db = (): readonly string[] => ['--db', here.file]
const config = ['--config', CONFIG] as const

describe('the place', () => {
  it('is that of the environment where no flag names one', async () => {
    const env = { EXPRESS_PLATFORM_AUTH_DB: here.file }
    expect((await core(['signing-keys', 'list'], { env })).code).toBe(0)
    expect((await core(['signing-keys', 'list'], { env: { EXPRESS_PLATFORM_AUTH_CONFIG: CONFIG } })).code).toBe(0)
    const created = await core(['apps', 'create', '--name', 'Env', '--api', 'orders'], {
      env: { EXPRESS_PLATFORM_AUTH_CONFIG: CONFIG },
    })
    expect(created.code).toBe(0)
  })

  it('is not that of the environment below options that a flag names', async () => {
    const elsewhere = { EXPRESS_PLATFORM_AUTH_DB: join(here.folder, 'no-such.sqlite') }
    expect((await core(['signing-keys', 'list', ...config], { env: elsewhere })).code).toBe(0)
  })

  it("is --db's, with the options of --config", async () => {
    const other = await site()
    const args = ['apps', 'create', '--name', 'Elsewhere', '--api', 'orders', ...config, '--db', other.file]
    expect((await core(args)).code).toBe(0)
    expect((await json(['apps', 'list', '--db', other.file])).applications).toHaveLength(1)
    await other.remove()
  })

  it('may be a file: address', async () => {
    expect((await core(['signing-keys', 'list', '--db', `file:${here.file}`])).code).toBe(0)
    expect((await core(['signing-keys', 'list', '--db', `file://${here.file}`])).code).toBe(0)
  })

  it('is not made by a slip of the pen', async () => {
    const file = join(here.folder, 'typo.sqlite')
    const { code, stderr } = await core(['apps', 'list', '--db', file])
    expect(code).toBe(4)
    expect(stderr).toContain(`The store is out of reach: there is no file ${file}.`)
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })

  it('ends with 4 where nobody answers', async () => {
    const { code, stdout, stderr } = await core(['apps', 'list', '--db', 'postgres://me:hidden@127.0.0.1:1/x'])
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toMatch(/^express-platform-auth: The store is out of reach: connect ECONNREFUSED 127\.0\.0\.1:1\n/)
    expect(stderr).not.toContain('hidden')
  })

  it('is refused where nothing would last', async () => {
    vi.stubEnv('CLI_FILE', '')
    const { code, stderr } = await core(['apps', 'create', '--name', 'Gone', '--api', 'orders', ...config])
    expect(code).toBe(1)
    expect(stderr).toContain('lost with this process')
  })

  it('is refused to another secret', async () => {
    vi.stubEnv('CLI_SECRET', 'another secret of 32 characters or more')
    const { code, stderr } = await core(['signing-keys', 'rotate', ...config])
    expect(code).toBe(1)
    expect(stderr).toContain('secret is not the one that the store was written with')
  })
})

describe('a module of options', () => {
  it.each([
    ['a.mjs', 'export default 1', 'has no options as its default export'],
    ['b.mjs', 'export const options = {}', 'has no options as its default export'],
    ['c.mjs', 'export default { router() {}, applications: {} }', 'a platform that is made already'],
    ['d.mjs', "throw new Error('a slip')", 'could not be loaded: a slip'],
    ['e.mjs', 'export default { baseUrl: "x" }', 'Name a store that lasts'],
  ])('%s: %s', async (name, source, message) => {
    const file = join(here.folder, name)
    await writeFile(file, source)
    const { code, stderr } = await core(['signing-keys', 'rotate', '--config', file])
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    await rm(file)
  })

  it('is missing', async () => {
    const { code, stderr } = await core(['signing-keys', 'rotate', '--config', 'no-such.mjs'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/--config: there is no file .*no-such\.mjs\./)
  })

  it('with a slip in its options is refused by the name of the option', async () => {
    vi.stubEnv('CLI_BASE_URL', 'api.example.com')
    const { code, stderr } = await core(['signing-keys', 'rotate', ...config])
    expect(code).toBe(1)
    expect(stderr).toContain('baseUrl is "api.example.com". It is the absolute address')
  })
})

it('shows a stack only with DEBUG', async () => {
  const args = ['apps', 'show', 'app_1', ...db()]
  expect((await core(args)).stderr).not.toMatch(/\n +at /)
  expect((await core(args, { env: { DEBUG: '1' } })).stderr).toMatch(/\n +at /)
  const unreachable = await core(['apps', 'list', '--db', 'postgres://127.0.0.1:1/x'], { env: { DEBUG: '1' } })
  expect(unreachable.stderr).toMatch(/StoreUnavailableError[^]*Caused by: Error: connect ECONNREFUSED/)
})

it('shows credentials before anything else can fail', async () => {
  const file = join(here.folder, 'unwilling.mjs')
  await writeFile(
    file,
    `import base from ${JSON.stringify(CONFIG)}
     const options = base()
     export default { ...options, store: { ...options.store, close: async () => { throw new Error('will not close') } } }`,
  )
  const { code, stdout, stderr } = await core(['apps', 'create', '--name', 'Shop', '--api', 'orders', '--config', file])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/client_secret {2}epa_sec_\w{49}\n/)
})
