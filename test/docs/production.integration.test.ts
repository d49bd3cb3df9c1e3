import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { copyBuild } from '../package/packed.js'
import { freePort } from '../support/free-port.js'
import { LOGIN, startMailServer } from '../support/smtp.js'
import { waitUntil } from '../support/wait-until.js'
import { blocksOf, readPage } from './pages.js'

/** Runs docs/production.md from its first command to the stop: what stands there, but for port, folder and `prove`. */
const PAGE = readPage('docs/production.md')
const [platform, server] = blocksOf(PAGE).filter(({ language }) => language === 'js')
const commands = blocksOf(PAGE).filter(({ language }) => language === 'sh')
const execute = promisify(execFile)

let running: ChildProcess

const port = await freePort()
const [installable, mailServer] = await Promise.all([copyBuild(), startMailServer()])
const packages = ['express', 'jose', 'nodemailer', '@photostructure/sqlite']
const folder = await installable.consumer({ type: 'commonjs', packages, programs: [] })
const address = `http://localhost:${port}`
const SMTP_URL = `smtp://${LOGIN.user}:${encodeURIComponent(LOGIN.pass)}@127.0.0.1:${mailServer.port}`
const env: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  PLATFORM_URL: address,
  SMTP_URL,
  DATABASE: 'platform.sqlite',
  NODE_ENV: 'production',
}
await writeFile(join(folder, 'platform.mjs'), platform!.code)
await writeFile(join(folder, 'server.mjs'), server!.code.replace('3000', String(port)))
afterAll(async () => {
  running?.kill('SIGKILL')
  await mailServer.close()
  await installable.remove()
})

it('the server starts with the secret that the page makes, serves the partner that it creates, and stops', async () => {
  await run('.env')
  const [, name = '', value = ''] = /^(\w+)=(.*)$/m.exec(await readFile(join(folder, '.env'), 'utf8')) ?? []
  env[name] = value
  running = spawn(process.execPath, ['server.mjs'], { cwd: folder, env, stdio: 'ignore' })
  await waitUntil(async () => (await statusOf('/healthz').catch(() => 0)) === 200)

  // Nothing is wrong, but that here is no proxy.
  const report = await run('doctor')
  expect(report).toContain('No proxy adds to that header: remove app.set')
  expect(report).toMatch(/checks, 1 problem\.$/m)
  const printed = await run('apps create')
  const [key = '', secret = ''] = [/epa_key_\w+/, /epa_sec_\w+/].map((form) => form.exec(printed)?.[0])
  expect(await statusOf('/catalog/items', { 'X-Api-Key': key })).toBe(200)
  const answer = await fetch(`${address}/orders/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${key}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  expect(await statusOf('/orders/items', { Authorization: `Bearer ${token}` })).toBe(200)
  await run('VACUUM INTO')
  expect(await readdir(folder)).toContainEqual(expect.stringMatching(/^platform-\d{4}-\d\d-\d\d\.sqlite$/))

  running.kill('SIGTERM')
  await waitUntil(async () => (await statusOf('/healthz')) === 503)
  expect(await statusOf('/catalog/items', { 'X-Api-Key': key })).toBe(200)
  if (running.exitCode === null) await once(running, 'exit')
  expect(running.exitCode).toBe(0)
})

async function statusOf(path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return (await fetch(address + path, { headers })).status
}

/** Runs the page's block of commands that contains a text, and resolves what it prints. */
async function run(text: string): Promise<string> {
  const block = commands.find(({ code }) => code.includes(text))
  const program = join(folder, 'node_modules/express-platform-auth/dist/esm/tools/cli/main.js')
  const code = block!.code
    .replace('npx express-platform-auth', `"${process.execPath}" "${program}"`)
    .replaceAll(/\/srv\/(?:shop|backup)\//g, '')
  return execute('sh', ['-e', '-c', code], { cwd: folder, env }).then(
    ({ stdout }) => stdout,
    // The doctor's exit code is 1 if there is a problem.
    ({ stdout }: { stdout: string }) => stdout,
  )
}
