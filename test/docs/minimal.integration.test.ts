import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'
import { ROOT } from './pages.js'

const FILE = 'example-app/minimal.js'

let folder: string
let server: ChildProcess
let address: string
let clientId: string
let clientSecret: string

// The file as it is, but for the port. It lies in the repository, so that the package's name leads to the build.
beforeAll(async () => {
  folder = await mkdtemp(join(ROOT, 'test/docs/minimal-'))
  const port = await freePort()
  address = `http://localhost:${port}`
  const program = await readFile(join(ROOT, FILE), 'utf8')
  await writeFile(join(folder, 'server.mjs'), program.replaceAll('3000', String(port)))
  server = spawn(process.execPath, [join(folder, 'server.mjs')], { stdio: ['ignore', 'pipe', 'ignore'] })
  const printed = await printedBy(server, /clientId: '(\S+)',\s+clientSecret: '(\S+)'/)
  ;[, clientId = '', clientSecret = ''] = printed
})
afterAll(async () => {
  server?.kill()
  if (folder !== undefined) await rm(folder, { recursive: true })
})

it('is a program of 12 lines', async () => {
  expect((await readFile(join(ROOT, FILE), 'utf8')).trimEnd().split('\n')).toHaveLength(12)
})

it('issues an access token for the credentials that it prints, and the guard accepts it', async () => {
  const token = await fetch(`${address}/orders/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  expect(token.status).toBe(200)
  const { access_token } = (await token.json()) as { access_token: string }
  const answer = await fetch(`${address}/orders/items`, { headers: { Authorization: `Bearer ${access_token}` } })
  expect([answer.status, await answer.json()]).toEqual([200, { for: 'Acme' }])
})

it('accepts the key that it prints as an API key', async () => {
  const answer = await fetch(`${address}/catalog/items`, { headers: { 'X-Api-Key': clientId } })
  expect([answer.status, await answer.json()]).toEqual([200, ['tea', 'coffee']])
})

it.each(['/orders/items', '/catalog/items'])('refuses %s without a credential', async (path) => {
  expect((await fetch(address + path)).status).toBe(401)
})

/** Resolves once a process has printed something of that form. */
function printedBy(child: ChildProcess, form: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const found = form.exec(printed)
      if (found) resolve(found)
    })
    child.on('exit', () => reject(new Error(`The server ended. It printed: ${printed}`)))
  })
}
