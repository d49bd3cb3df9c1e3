import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openShop } from '../shop.js'

// The collections run in the tools that they are for. The tools have hundreds of packages, so they are installed here and
// not with the package.
const TOOLS = ['newman@6.2.2', '@usebruno/cli@4.1.0']

const run = promisify(execFile)
let folder: string
let shop: Awaited<ReturnType<typeof openShop>>
let calls: string[]
let credentials: { clientId: string; clientSecret?: string }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'collections-'))
  await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...TOOLS])
  shop = await openShop({
    before: (app) =>
      app.use((req, res, next) => {
        res.on('finish', () => calls.push(`${res.statusCode} ${req.method} ${req.originalUrl}`))
        next()
      }),
  })
  ;({ credentials } = await shop.auth.applications.create({ name: 'Till', apis: ['orders', 'catalog'] }))
}, 600_000)
afterAll(async () => {
  await shop.close()
  await rm(folder, { recursive: true })
})

// Placing an order answers 201, and the example's id is no order of this shop.
const ORDERS = [
  '200 POST /orders/token',
  '200 GET /orders/items',
  '201 POST /orders/items',
  '404 GET /orders/items/',
  '404 PUT /orders/items/',
  '404 DELETE /orders/items/',
]

describe('the Postman collection', () => {
  it('requests one access token and sends it with each call', async () => {
    await runNewman('orders', { clientId: credentials.clientId, clientSecret: credentials.clientSecret! })
    expect(calls.map(removeValues)).toEqual(ORDERS)
  }, 120_000)

  it('sends the key with each call of a key API', async () => {
    await runNewman('catalog', { apiKey: credentials.clientId })
    expect(calls.length).toBeGreaterThan(1)
    expect(calls.filter((call) => call.startsWith('401'))).toEqual([])
  }, 120_000)

  async function runNewman(api: string, variables: Record<string, string>): Promise<void> {
    const file = join(folder, `${api}.json`)
    await writeFile(file, await (await fetch(`${shop.developers}/apis/${api}/postman.json`)).text())
    calls = []
    await run(join(folder, 'node_modules/.bin/newman'), ['run', file, ...listVariables(variables)])
  }
})

describe('the Bruno collection', () => {
  it('requests one access token and sends it with each call', async () => {
    await runBruno('orders', { clientId: credentials.clientId, clientSecret: credentials.clientSecret! })
    expect(calls.map(removeValues)).toEqual(ORDERS)
  }, 120_000)

  it('sends the key with each call of a key API', async () => {
    await runBruno('catalog', { apiKey: credentials.clientId })
    expect(calls.length).toBeGreaterThan(1)
    expect(calls.filter((call) => call.startsWith('401'))).toEqual([])
  }, 120_000)

  async function runBruno(api: string, variables: Record<string, string>): Promise<void> {
    const archive = join(folder, `${api}.zip`)
    const target = join(folder, api)
    await writeFile(archive, Buffer.from(await (await fetch(`${shop.developers}/apis/${api}/bruno.zip`)).arrayBuffer()))
    await run('unzip', ['-q', archive, '-d', target])
    expect(await readdir(target)).toContain('opencollection.yml')
    calls = []
    const report = join(folder, `${api}-report.json`)
    const program = join(folder, 'node_modules/.bin/bru')
    const args = ['run', '-r', '--env', 'Default', ...listVariables(variables), '--reporter-json', report]
    const { stdout } = await run(program, args, { cwd: target }).catch((error: unknown) => error as { stdout: string })
    expect(await readFile(report, 'utf8'), stdout).toContain('"summary"')
  }
})

function listVariables(variables: Record<string, string>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`])
}

/** A call without the id and the query of the examples. */
function removeValues(call: string): string {
  return call.replace(/(items\/).*|\?.*/, '$1')
}
