import { execFile } from 'node:child_process'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { COMMANDS } from '../../src/cli/commands.js'
import { pack, type Packed } from '../package/packed.js'
import { bin, BIN, CONFIG, emailsIn, site, type Site } from './command-line.js'

let here: Site
let env: Record<string, string>

beforeAll(async () => {
  here = await site()
  env = { CLI_FILE: here.file, CLI_MAIL: join(here.folder, 'emails') }
})
afterAll(() => here.remove())

it('does every command as a program of its own', { timeout: 60_000 }, async () => {
  const used = new Set<string>()
  /** What it says on stdout; on stderr it says nothing. */
  async function says(command: string, ...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await bin([...command.split(' '), ...args], env)
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' })
    used.add(command)
    return stdout
  }
  const db = ['--db', here.file, '--by', 'alice']
  const look = ['--db', here.file]
  const config = ['--config', CONFIG, '--by', 'bob']
  const idOf = (text: string): string => /app_\w{32}/.exec(text)![0]

  const created = await says('apps create', '--name', 'Shop', '--api', 'orders', ...config)
  expect(created).toMatch(/client_id +epa_key_\w{34}\n +client_secret +epa_sec_\w{49}\n/)
  const id = idOf(created)
  const registered = await says(
    'apps register',
    '--name',
    'Buyer',
    '--contact',
    'b@shop.example',
    '--api',
    'orders',
    ...config,
  )
  await says('apps approve', idOf(registered), ...config)
  expect((await emailsIn(env['CLI_MAIL']!)).map(({ to }) => to)).toEqual(['b@shop.example'])
  await says('apps update', id, '--contact', 'shop@shop.example', ...db)
  expect(await says('apps allow', id, 'catalog', ...config)).toContain('may use catalog')
  await says('apps disallow', id, 'catalog', ...db)
  expect(await says('apps rotate-secret', id, ...config)).toMatch(/epa_sec_\w{49}/)
  expect(await says('apps rotate-key', id, '--mail', ...config)).toContain('has accepted its email')
  await says('apps revoke-tokens', id, ...db)
  await says('apps suspend', id, ...db)
  await says('apps resume', id, ...db)
  expect(await says('apps show', id, ...look)).toMatch(/status +active\ncontact +shop@shop\.example/)
  expect(await says('apps list', ...look)).toMatch(/^ID .*\n.* Shop .*\n.* Buyer /)
  await says('apps delete', id, '--yes', ...db)
  await says('signing-keys rotate', '--immediately', ...config)
  const [, former] = /^(\S{43}) .* former /m.exec(await says('signing-keys list', ...look))!
  await says('signing-keys revoke', former!, ...config)
  expect(await says('emails retry', ...look)).toBe('No email was given up.\n')
  const { records } = JSON.parse(await says('audit', '--json', ...look)) as { records: { type: string; by?: string }[] }
  expect(new Set(records.map(({ by }) => by))).toEqual(new Set([undefined, 'alice', 'bob']))
  expect(await says('doctor', ...look)).toContain('no problems')
  expect([...used].toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
})

it('is a program that can be run by its name, and says the version of the package', async () => {
  expect((await stat(BIN)).mode & 0o111).toBe(0o111)
  expect(manifest.bin['express-platform-auth']).toBe('dist/esm/cli/main.js')
  expect(await bin(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })
})

it('ends with 2, 4 and 1, and writes what is wrong to stderr', async () => {
  const [usage, unreachable, refused] = await Promise.all([
    bin(['apps', 'lits']),
    bin(['apps', 'list', '--db', join(here.folder, 'nothing.sqlite')]),
    bin(['apps', 'suspend', 'app_1', '--db', here.file]),
  ])
  expect(usage).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Did you mean "list"?') })
  expect(unreachable).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('out of reach') })
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('There is no application "app_1"'),
  })
})

it('deletes nothing that nobody could be asked about', async () => {
  const { code, stderr } = await bin(['apps', 'delete', 'app_1', '--db', here.file])
  expect(code).toBe(2)
  expect(stderr).toContain('give --yes')
})

it('says nothing more once nobody listens', async () => {
  const command = `"${process.execPath}" "${BIN}" --help | head -n 1`
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command])
  expect({ stdout, stderr }).toEqual({ stdout: 'Usage: express-platform-auth COMMAND [options]\n', stderr: '' })
})

it.each([
  ['options.cjs', 'module.exports = OPTIONS'],
  ['compiled.cjs', "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = OPTIONS"],
  ['options.js', 'module.exports = async () => (OPTIONS)'],
  ['promise.mjs', 'export default Promise.resolve(OPTIONS)'],
  ['chatty.mjs', "console.log('[dotenv] injected 3 variables'); setInterval(() => {}, 1000); export default OPTIONS"],
])('takes options from %s', async (name, source) => {
  const file = join(here.folder, name)
  await writeFile(
    file,
    source.replace(
      'OPTIONS',
      "{ baseUrl: 'http://localhost', apis: { weather: { scheme: 'apiKey' } }, secret: 'a secret of 32 characters or more' }",
    ),
  )
  const args = ['apps', 'create', '--name', name, '--api', 'weather', '--json', '--config', name, '--db', here.file]
  const { code, stdout, stderr } = await bin(args, {}, here.folder)
  expect({ code, stderr }).toEqual({ code: 0, stderr: name === 'chatty.mjs' ? '[dotenv] injected 3 variables\n' : '' })
  expect((JSON.parse(stdout) as { application: unknown }).application).toMatchObject({ name, apis: { weather: {} } })
  await rm(file)
})

it('takes options from TypeScript where Node does, and says so where it does not', async () => {
  const file = join(here.folder, 'options.ts')
  await writeFile(
    file,
    'const baseUrl: string = "http://localhost"\nexport default { baseUrl, apis: { weather: { scheme: "apiKey" } }, secret: "a secret of 32 characters or more" }',
  )
  const { code, stderr } = await bin(['signing-keys', 'rotate', '--config', file, '--db', here.file])
  if ((process.features as { typescript?: unknown }).typescript)
    expect({ code, stderr: stderr.includes('.ts') }).toEqual({ code: 0, stderr: false })
  else
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/Node \S+ does not load \.ts files by itself/) as string,
    })
})

describe('as it is installed', () => {
  let packed: Packed
  beforeAll(async () => {
    packed = await pack()
  })
  afterAll(() => packed.remove())

  it('says what it can do, and how to get pg where that is not installed', async () => {
    const home = await packed.consumer({ type: 'module', packages: ['express', 'jose'], programs: [] })
    const program = join(home, 'node_modules/express-platform-auth', manifest.bin['express-platform-auth'])
    const { stdout } = await bin(['--help'], {}, home, program)
    for (const { name } of COMMANDS) expect(stdout).toContain(name)
    expect(await bin(['apps', 'list', '--db', 'postgres://localhost/x'], {}, home, program)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'express-platform-auth: PostgreSQL is reached with the package pg, which is not installed: npm install pg\n',
    })
  })
})
