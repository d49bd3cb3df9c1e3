import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { COMMANDS } from '../../../src/tools/cli/run.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { BIN, CONFIG, createSite, readEmails, runInProcess, runLines, runProgram, startServer } from './command-line.js'

const site = await createSite()
const env = {
  CLI_FILE: site.file,
  CLI_MAIL: join(site.folder, 'emails'),
  CLI_IMPORTED: 'true',
  CLI_QUOTA: '1000',
  CLI_PROOFS: 'yes',
}
beforeAll(() => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
})
afterAll(() => void vi.unstubAllEnvs())

/** Those that `npm test` runs so. The others run in its process, since the start of a process takes much longer than they. */
const IN_OWN_PROCESS = ['apps create', 'apps approve', 'apps import']

it('runs every command', { timeout: 180_000 }, async () => {
  const tested = new Set<string>()
  /** Resolves stdout; fails if the exit code is not 0, or if there is anything on stderr. */
  async function runCommand(command: string, ...args: readonly string[]): Promise<string> {
    const isOwn = IS_LONG_LANE || IN_OWN_PROCESS.includes(command)
    const words = [...command.split(' '), ...args]
    const { code, stdout, stderr } = await (isOwn ? runProgram(words, env) : runInProcess(words, { env }))
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' })
    tested.add(command)
    return stdout
  }
  const reading = ['--db', site.file]
  const writing = ['--db', site.file, '--by', 'alice']
  const config = ['--config', CONFIG, '--by', 'bob']
  const findId = (text: string): string => /app_\w{32}/.exec(text)![0]

  const lost = join(site.folder, 'lost.sqlite')
  await copyFile(site.file, lost)
  expect(await runCommand('restore-check', '--lost', lost, ...reading)).toContain('lacks nothing')
  const created = await runCommand('apps create', '--name', 'Shop', '--api', 'orders', ...config)
  expect(created).toMatch(/client_id +epa_key_\w{34}\n +client_secret +epa_sec_\w{49}\n/)
  const id = findId(created)
  const registration = ['--name', 'Buyer', '--contact', 'b@shop.example', '--api', 'orders']
  const registered = await runCommand('apps register', ...registration, ...config)
  await runCommand('apps approve', findId(registered), ...config)
  const denied = findId(await runCommand('apps register', ...registration, ...config))
  await runCommand('apps deny', denied, ...writing)
  expect((await readEmails(env.CLI_MAIL)).map(({ to }) => to)).toEqual(['b@shop.example'])
  await runCommand('apps update', id, '--contact', 'shop@shop.example', ...writing)
  await runCommand('apps add-contact', id, 'second@shop.example', ...writing)
  await runCommand('apps remove-contact', id, 'second@shop.example', ...writing)
  await runCommand('apps invite-contact', id, 'third@shop.example', ...config)
  await runCommand('apps cancel-invitation', id, 'third@shop.example', ...writing)
  const link = await runCommand('portal link', '--contact', 'shop@shop.example', '--config', CONFIG)
  expect(link).toMatch(/\/applications\/sign-in#[\w-]{40,}\n/)
  await runCommand('portal sign-out', 'shop@shop.example', ...reading)
  expect(await runCommand('usage', ...reading)).toBe(
    'No usage is stored: only servers with usage() count it, and they store it once a minute.\n',
  )
  expect(await runCommand('report-only', id, ...reading)).toBe(
    'No requests that would have been refused are stored: only servers with usage() count them, and they store them once a minute.\n',
  )
  expect(await runCommand('refusals', id, ...reading)).toBe('No refusals.\n')
  const { stderr } = await runInProcess(['refusals', id, '--limit', '4', ...reading], { env })
  expect(stderr).toContain('leave out --after and --limit')
  expect(await runCommand('apps allow', id, 'catalog', ...config)).toContain('may use catalog')
  await runCommand('apps disallow', id, 'catalog', ...writing)
  expect(await runCommand('apps rotate-secret', id, ...config)).toMatch(/epa_sec_\w{49}/)
  expect(await runCommand('apps rotate-key', id, '--mail', ...config)).toContain('has accepted its e-mail')
  // The e-mail that tells the second contact of the removal.
  expect(await runCommand('emails list', ...reading)).toContain(id)
  expect(await runCommand('emails cancel', id, ...writing)).toBe('1 e-mail is cancelled.\n')
  await runCommand('apps revoke-tokens', id, ...writing)
  await runCommand('apps limit', id, 'orders', '50/1', ...writing)
  await runCommand('apps networks', id, '203.0.113.0/24', ...writing)
  await runCommand('apps networks', id, 'any', ...writing)
  await runCommand('apps plan', id, '--none', ...writing)
  expect(await runCommand('quotas', '--config', CONFIG)).toContain('80')
  const keySet = ['--jwks-uri', 'https://shop.example/jwks']
  const [published] = /cred_\w+/.exec(await runCommand('apps add-key-set', id, '--name', 'bank', ...keySet, ...config))!
  await runCommand('apps reload-key-set', id, published, ...writing)
  await runCommand('apps replace-key-set', id, published, ...keySet, ...writing)
  expect(await runCommand('apps add-key', id, '--name', 'warehouse', ...config)).toMatch(/epa_key_\w{34}/)
  const added = await runCommand('apps add-secret', id, '--name', 'reports', ...config)
  expect(added).toMatch(/epa_sec_\w{49}/)
  const credential = /cred_\w+/.exec(added)![0]
  await runCommand('apps update-credential', id, credential, '--expires', '2100-01-31', ...writing)
  await runCommand('apps end-credential', id, credential, ...writing)
  const imports = join(site.folder, 'partners.ndjson')
  await writeFile(
    imports,
    `${JSON.stringify({ name: 'Former partner', apis: ['catalog'], keys: [{ plain: '4174348a9222e81b33e5d72d2fd7f1e' }] })}\n`,
  )
  expect(await runCommand('apps import', imports, '--confirm', ...config)).toContain('1 added')
  await runCommand('apps suspend', id, ...writing)
  await runCommand('apps resume', id, ...writing)
  expect(await runCommand('apps show', id, ...reading)).toMatch(/status +active\ncontacts +shop@shop\.example\n/)
  expect(await runCommand('apps list', ...reading)).toMatch(/^ID .*\n.* Shop .*\n.* Buyer /)
  const recovered = await runCommand('apps recover', id, '--contact', 'shop@shop.example', ...config)
  expect(recovered).toMatch(/epa_key_\w{34}/)
  await runCommand('apps delete', id, '--yes', ...writing)
  await runCommand('signing-keys rotate', '--immediately', ...config)
  const [, former] = /^(\S{43}) .* former /m.exec(await runCommand('signing-keys list', ...reading))!
  await runCommand('signing-keys revoke', former!, ...config)
  await runCommand('session-secret replace', ...config)
  expect(await runCommand('emails retry', ...reading)).toBe('No e-mail has failed.\n')
  const { items } = JSON.parse(await runCommand('audit', '--json', ...reading)) as { items: { by?: string }[] }
  expect(new Set(items.map(({ by }) => by))).toEqual(new Set([undefined, 'alice', 'bob']))
  expect(await runCommand('doctor', ...reading)).toContain('no problems')
  const server = await startServer(env)
  try {
    const fast = ['--instances', '1', '--rate', '1000']
    const proved = await runCommand('prove', '--url', server.url, ...fast, ...config)
    expect(proved).toContain('payments: clients authenticate with private_key_jwt only')
    expect(proved).toContain('catalog: no guarded route is known: add --route catalog=PATH')
    expect(proved).toMatch(/ checks of http:\S+, no deviations\.\n$/)
  } finally {
    await server.stop()
  }
  expect([...tested].toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
})

it('is executable, and prints the version of the package', async () => {
  expect((await stat(BIN)).mode & 0o111).toBe(0o111)
  expect(manifest.bin['express-platform-auth']).toBe('dist/esm/tools/cli/main.js')
  expect(await runProgram(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })
})

it('exits with 2, 4 and 1, and writes errors to stderr', async () => {
  const [usage, lacking, unavailable, refused] = await Promise.all([
    // In an own process: the next test.
    runInProcess(['apps', 'lits']),
    runInProcess(['apps', 'create', '--name', 'Shop', '--config', CONFIG], { env }),
    runProgram(['apps', 'list', '--db', join(site.folder, 'nothing.sqlite')]),
    runProgram(['apps', 'suspend', 'app_1', '--db', site.file]),
  ])
  expect(usage).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Did you mean "list"?') })
  expect(lacking).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('needs --api API[=SCOPES]') })
  expect(unavailable).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('unavailable') })
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('There is no application "app_1"'),
  })
})

it('ends without an error if the reader closes the pipe', async () => {
  const command = `"${process.execPath}" "${BIN}" --help | head -n 1`
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command])
  expect({ stdout, stderr }).toEqual({ stdout: 'Usage: express-platform-auth COMMAND [options]\n', stderr: '' })
})

it('keeps running while a store without an open connection does not answer', async () => {
  const file = join(site.folder, 'never-answers.mjs')
  await writeFile(
    file,
    `import base from ${JSON.stringify(CONFIG)}
     const listSigningKeys = () => { console.error('called'); return new Promise(() => {}) }
     export default { ...base(), store: { ...base().store, listSigningKeys } }`,
  )
  const child = spawn(BIN, ['signing-keys', 'list', '--config', file], { env: { PATH: process.env['PATH'], ...env } })
  const exited = once(child, 'exit')
  const [output] = (await once(child.stderr, 'data')) as [Buffer]
  expect(String(output)).toBe('called\n')
  // Otherwise Node exits with code 13 at once. The time-out itself is 10 seconds.
  await Promise.race([exited, sleep(1000)])
  expect(child.exitCode).toBe(null)
  child.kill()
  await exited
  await rm(file)
})

/** With a module of options whose source has OPTIONS in their place. */
async function writeModule(name: string, source: string): Promise<readonly string[]> {
  const file = join(site.folder, name)
  const options =
    "{ baseUrl: 'http://localhost', apis: { weather: { scheme: 'apiKey' } }, secret: 'a secret of 32 characters or more' }"
  await writeFile(file, source.replace('OPTIONS', options))
  return ['apps', 'create', '--name', name, '--api', 'weather', '--json', '--config', name, '--db', site.file]
}

it('loads options from every kind of module', async () => {
  const sources = {
    'options.cjs': 'module.exports = OPTIONS',
    'compiled.cjs': "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = OPTIONS",
    'options.js': 'module.exports = async () => (OPTIONS)',
    'promise.mjs': 'export default Promise.resolve(OPTIONS)',
  }
  const lines = await Promise.all(Object.entries(sources).map(([name, source]) => writeModule(name, source)))
  const results = await runLines(lines, site.folder)
  for (const [i, name] of Object.keys(sources).entries()) {
    const { code, stdout, stderr } = results[i]!
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' })
    expect((JSON.parse(stdout) as { application: unknown }).application).toMatchObject({ name, apis: { weather: {} } })
  }
})

it('ends with its result alone on stdout if the module of options prints lines and keeps the process busy', async () => {
  const source = "console.log('[dotenv] injected 3 variables'); setInterval(() => {}, 1000); export default OPTIONS"
  const { code, stdout, stderr } = await runProgram(await writeModule('chatty.mjs', source), {}, site.folder)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '[dotenv] injected 3 variables\n' })
  expect(JSON.parse(stdout)).toMatchObject({ application: { name: 'chatty.mjs', apis: { weather: {} } } })
})

it('loads options from TypeScript if Node does, and otherwise says that Node does not', async () => {
  const file = join(site.folder, 'options.ts')
  await writeFile(
    file,
    'const baseUrl: string = "http://localhost"\nexport default { baseUrl, apis: { weather: { scheme: "apiKey" } }, secret: "a secret of 32 characters or more" }',
  )
  const { code, stderr } = await runProgram(['signing-keys', 'rotate', '--config', file, '--db', site.file])
  if ((process.features as { typescript?: unknown }).typescript)
    expect({ code, stderr: stderr.includes('.ts') }).toEqual({ code: 0, stderr: false })
  else
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/Node \S+ does not load \.ts files by itself/) as string,
    })
})
