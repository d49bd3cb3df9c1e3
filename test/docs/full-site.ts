import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import express, { type Express } from 'express'
import { onTestFinished } from 'vitest'
import { createPlatformAuth, type PlatformAuthOptions } from '../../src/index.js'
import type { StoreWith } from '../../src/store.js'
import { createCaller, type Caller } from '../support/caller.js'
import { type FullPlatform } from '../support/platform.js'
import { createTemporaryFolder } from '../support/temporary-folder.js'
import { BIN, runInProcess } from '../tools/cli/command-line.js'
import { ROOT } from './pages.js'

export interface Output {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A running process of the site, whose options are those of its `platform.js`. */
export interface Server {
  readonly auth: FullPlatform
  readonly app: Express
  readonly caller: Caller
  readonly store: StoreWith
  stop(): Promise<void>
}

/** A folder with a `platform.js` that uses every feature, in which the commands of pages run as they stand there. */
export interface FullSite {
  readonly folder: string
  /** Of its database. */
  readonly address: string
  start(): Promise<Server>
  /** Runs a block of a page in the folder. `npx express-platform-auth` is the program of the build. */
  sh(code: string): Promise<Output>
  /** Runs a line of the program in this process, with words as a shell reads them. */
  run(line: string): Promise<Output>
}

/** The site's database is at that address, or a SQLite file in the folder. `env` is what commands have. */
export async function createFullSite(database?: string, env: Readonly<Record<string, string>> = {}): Promise<FullSite> {
  const folder = await createTemporaryFolder()
  const site = join(folder, 'site')
  const address = database ?? join(site, 'platform.sqlite')
  const store = database
    ? `postgresStore({ pool: createPool({ connectionString: ${JSON.stringify(address)} }) })`
    : `sqliteStore(${JSON.stringify(address)})`
  for (const path of ['site/node_modules', 'bin']) await mkdir(join(folder, path), { recursive: true })
  await symlink(ROOT, join(site, 'node_modules/express-platform-auth'))
  await symlink(join(ROOT, 'node_modules/pg'), join(site, 'node_modules/pg'))
  await writeFile(join(site, 'package.json'), '{ "type": "module" }')
  await writeFile(join(site, 'platform.js'), PLATFORM.replace('STORE', store))
  const npx = join(folder, 'bin/npx')
  await writeFile(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${BIN}" "$@"\n`)
  await chmod(npx, 0o755)
  const path = [join(folder, 'bin'), env['PATH'], process.env['PATH']].filter(Boolean).join(':')
  let starts = 0
  const sh: FullSite['sh'] = (code) =>
    new Promise((resolve) => {
      const options = { cwd: site, env: { ...env, PATH: path }, timeout: 120_000 }
      execFile('sh', ['-e', '-c', code], options, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr })
      })
    })
  return {
    folder: site,
    address,
    async start() {
      // A store that was closed is not opened again: the module is loaded anew, as by a new process.
      const { default: options, close } = (await import(
        `${pathToFileURL(join(site, 'platform.js')).href}?start=${starts++}`
      )) as { default: PlatformAuthOptions; close: () => Promise<void> }
      const auth = createPlatformAuth(options) as unknown as FullPlatform
      await auth.ready()
      const app = express().use(auth.router)
      app.use('/developers/applications', auth.portal.router)
      app.get(
        '/orders/items',
        auth.requireBearer('orders', { scopes: ['orders:write'] }),
        (_req, res) => void res.json([]),
      )
      app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
      let isStopped = false
      const stop = async (): Promise<void> => {
        if (isStopped) return
        isStopped = true
        await auth.close()
        await close()
      }
      onTestFinished(stop)
      return { auth, app, caller: createCaller({ app }), store: options.store as StoreWith, stop }
    },
    sh,
    async run(line) {
      // Of its own, for the same reason.
      const config = join(site, `platform-${starts++}.js`)
      await copyFile(join(site, 'platform.js'), config)
      const { stdout } = await sh(`printf '%s\\0' ${line}`)
      const words = stdout.split('\0').slice(0, -1)
      const files: Record<string, string> = { 'platform.js': config, 'platform.sqlite': address }
      return runInProcess(words.map((word) => files[word] ?? word))
    },
  }
}

const PLATFORM = `
import { appendFileSync } from 'node:fs'
import { Pool } from 'pg'
import { emails } from 'express-platform-auth/emails'
import { imports } from 'express-platform-auth/imports'
import { plans } from 'express-platform-auth/plans'
import { portal } from 'express-platform-auth/portal'
import { registration } from 'express-platform-auth/registration'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { usage } from 'express-platform-auth/usage'

const folder = import.meta.dirname
const pools = []
export const close = async () => void (await Promise.all(pools.map((pool) => pool.end())))
const createPool = (options) => {
  const pool = new Pool({ ...options, connectionTimeoutMillis: 5000, allowExitOnIdle: true })
  pools.push(pool)
  return pool
}
const mailer = {
  async send(email) {
    if (email.to.startsWith('later')) throw Object.assign(new Error(), { refused: true, code: 'ECONNREFUSED' })
    appendFileSync(folder + '/mail.ndjson', JSON.stringify(email) + '\\n')
  },
}

export default {
  baseUrl: 'https://api.example.com',
  apis: {
    orders: {
      scheme: 'oauth2',
      scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' },
      registration: 'automatic',
    },
    invoices: { scheme: 'oauth2' },
    catalog: { scheme: 'apiKey', registration: 'automatic' },
    weather: { scheme: 'apiKey', registration: 'manual' },
  },
  store: STORE,
  secret: 'a secret of 32 characters or more',
  developersUrl: 'https://example.com/developers',
  rateLimits: { failedAuthentication: false },
  features: [
    usage(),
    plans({ free: { requests: [{ limit: 10000, per: 'month' }] }, pro: { requests: [] } }, { default: 'free' }),
    emails({ mailer }),
    registration({ operators: ['operator@example.com'] }),
    portal({ actions: { networks: true } }),
    imports(),
  ],
}
`
