import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CONFIG, runInProcess, useSite } from './command-line.js'

const site = useSite()

it('prints a stack trace with DEBUG only', async () => {
  const args = ['apps', 'show', 'app_1', '--db', site.file]
  expect((await runInProcess(args)).stderr).not.toMatch(/\n +at /)
  expect((await runInProcess(args, { env: { DEBUG: '1' } })).stderr).toMatch(/\n +at /)
  const unavailable = await runInProcess(['apps', 'list', '--db', 'postgres://127.0.0.1:1/x'], { env: { DEBUG: '1' } })
  expect(unavailable.stderr).toMatch(/StoreUnavailableError[^]*Caused by: Error: connect ECONNREFUSED/)
})

it('prints an error without the control characters of what it quotes', async () => {
  const { stderr } = await runInProcess(['apps', 'show', 'app_\u001B[31m\u009B1m', '--db', site.file])
  expect(stderr).toBe(
    'express-platform-auth: There is no application "app_\u{FFFD}[31m\u{FFFD}1m".\nTo list them: express-platform-auth apps list\n',
  )
})

it('prints new credentials even if closing the store fails', async () => {
  const file = join(site.folder, 'close-fails.mjs')
  await writeFile(
    file,
    `import base from ${JSON.stringify(CONFIG)}
     const options = base()
     export default { ...options, store: { ...options.store, close: async () => { throw new Error('will not close') } } }`,
  )
  const args = ['apps', 'create', '--name', 'Shop', '--api', 'orders', '--config', file]
  const { code, stdout, stderr } = await runInProcess(args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/client_secret {2}epa_sec_\w{49}\n/)
})
