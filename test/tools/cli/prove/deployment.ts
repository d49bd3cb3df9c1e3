import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Express } from 'express'
import { Pool } from 'pg'
import { createPlatformAuth, type PlatformAuth, type PlatformAuthOptions } from '../../../../src/index.js'
import type { StoreWith } from '../../../../src/store.js'
import { postgresStore } from '../../../../src/stores/postgres/index.js'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'
import { management } from '../../../../src/tools/management/index.js'
import { launchProxy, PROXIES } from '../../../proxies/proxies.js'
import { freshDatabase } from '../../../support/postgres.js'
import { EXPRESSES, recordingLogger, SECRET } from '../../../support/platform.js'
import { runInProcess, runProgram, type ProgramResult } from '../command-line.js'

export const APIS = {
  orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
  invoices: { scheme: 'oauth2' },
  catalog: { scheme: 'apiKey' },
} as const

/** The routes that are given to `prove`; the guard of `invoices` is found. */
const ROUTES = ['--route', 'orders=/orders/items', '--route', 'catalog=/catalog/items']

type Options = Partial<Omit<PlatformAuthOptions, 'store'>>

/** How one instance is started. */
interface InstanceOptions {
  readonly express?: keyof typeof EXPRESSES
  /** Change the options of the deployment. */
  readonly options?: Options
  /** The value of Express's "trust proxy"; 1 if left out. */
  readonly trustProxy?: unknown
  /** Where the routers are mounted. */
  readonly prefix?: string
  /** Middleware before the platform. */
  readonly before?: (app: Express) => unknown
  /** Runs on a store of its own. */
  readonly strangeStore?: true
}

/** What a test builds: instances on one store, and what stands in front of them. */
export interface DeploymentOptions {
  readonly instances?: readonly InstanceOptions[]
  readonly postgres?: boolean
  /** Options of all instances and of `--config`. */
  readonly options?: Options
  /** The path of baseUrl. */
  readonly path?: string
  /** Starts what stands in front; none if left out. Resolves its port. */
  readonly proxy?: (instances: readonly number[]) => Promise<{ readonly port: number; end(): Promise<void> }>
  readonly protocol?: 'http' | 'https'
  readonly args?: readonly string[]
  /** Runs the built program in a process of its own, with these variables. */
  readonly env?: Readonly<Record<string, string>>
}

/** A report of `prove --json`. */
export interface Report {
  readonly checks: number
  readonly passed: number
  readonly deviations: readonly {
    readonly row: string
    readonly sends: string
    readonly received: string
    readonly fix: string
  }[]
  readonly skipped: readonly { readonly row: string; readonly skipped: string }[]
}

/** A deployment that is running. */
export interface Deployment {
  readonly url: string
  readonly auth: PlatformAuth
  /** What `prove()` runs, before its own arguments. */
  readonly commandLine: readonly string[]
  prove(...args: readonly string[]): Promise<ProgramResult>
  end(): Promise<void>
}

/** Builds a deployment, runs `prove` on it, and takes it down. */
export async function proveDeployment(options: DeploymentOptions): Promise<{ report: Report; result: ProgramResult }> {
  const deployment = await startDeployment(options)
  try {
    const result = await deployment.prove('--json', ...(options.args ?? []))
    if (result.stderr !== '') throw new Error(result.stderr)
    return { report: JSON.parse(result.stdout) as Report, result }
  } finally {
    await deployment.end()
  }
}

export async function startDeployment(deployment: DeploymentOptions): Promise<Deployment> {
  const ends: (() => Promise<unknown>)[] = []
  const { instances = [{}], path = '', protocol = 'http', options = {} } = deployment
  const folder = await mkdtemp(join(tmpdir(), 'prove-'))
  ends.push(() => rm(folder, { recursive: true, force: true }))
  const { openStore, args } = await createStore(folder, deployment.postgres === true, ends)
  // The base address is known once the proxy listens; until then its instances wait, and only tell it that they are there.
  const listeners = instances.map((): { listener: RequestListener } => ({
    listener: ({ url }, res) => void res.writeHead(url === '/healthz' ? 200 : 503).end(),
  }))
  const servers = await Promise.all(listeners.map((each) => listen((req, res) => each.listener(req, res))))
  ends.push(...servers.map((server) => () => close(server)))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  const proxy = await deployment.proxy?.(ports)
  if (proxy) ends.push(proxy.end)
  const url = `${protocol}://localhost:${proxy?.port ?? ports[0]}${path}`
  const common = { baseUrl: url, apis: APIS, secret: SECRET, ...options }
  const platforms: PlatformAuth[] = []
  for (const [i, instance] of instances.entries()) {
    const store = instance.strangeStore ? sqliteStore(join(folder, `${i}.sqlite`)) : openStore()
    const auth = createPlatformAuth({ ...common, logger: recordingLogger(), ...instance.options, store })
    platforms.push(auth)
    ends.push(() => auth.close())
    await auth.ready({ retry: false }).catch(() => undefined)
    listeners[i]!.listener = createApp(auth, instance, path !== '')
  }
  const config = join(folder, 'platform.mjs')
  await writeFile(config, createConfig(common, folder))
  const count = String(instances.length)
  const commandLine = ['prove', '--config', config, ...args, ...ROUTES, '--rate', '1000', '--instances', count]
  return {
    url,
    auth: platforms[0]!,
    commandLine,
    prove: (...more) => {
      const line = [...commandLine, ...more]
      return deployment.env ? runProgram(line, deployment.env) : runInProcess(line)
    },
    async end() {
      for (const end of ends.toReversed()) await end()
    },
  }
}

/** A module of its own for each deployment, so that several can be checked at a time. */
function createConfig(options: object, folder: string): string {
  const stores = new URL('../../../../dist/esm/stores/sqlite/index.js', import.meta.url)
  return `import { sqliteStore } from ${JSON.stringify(stores.href)}
export default () => ({ ...${JSON.stringify(options)}, store: sqliteStore(${JSON.stringify(join(folder, FILE))}) })
`
}

const FILE = 'platform.sqlite'

interface CreatedStore {
  openStore(): StoreWith
  /** What names the store on the command line, if the configuration does not. */
  readonly args: readonly string[]
}

async function createStore(folder: string, postgres: boolean, ends: (() => Promise<unknown>)[]): Promise<CreatedStore> {
  if (!postgres) return { openStore: () => sqliteStore(join(folder, FILE)), args: [] }
  const database = await freshDatabase()
  ends.push(database.remove)
  const openStore = (): StoreWith => {
    const pool = new Pool({ connectionString: database.url })
    ends.push(() => pool.end())
    return postgresStore({ pool })
  }
  return { openStore, args: ['--db', database.url] }
}

function createApp(auth: PlatformAuth, instance: InstanceOptions, hasPath: boolean): Express {
  const { express = 'Express 5', trustProxy = 1, prefix = '/', before } = instance
  const app = EXPRESSES[express]().disable('x-powered-by').set('trust proxy', trustProxy)
  before?.(app)
  app.use(prefix, auth.router)
  if (hasPath) app.use(auth.wellKnownRouter)
  const router = EXPRESSES[express].Router()
  router.get(
    '/orders/items',
    auth.requireBearer('orders', { scopes: ['orders:read'] }),
    (_req, res) => void res.json(['an order']),
  )
  router.use('/invoices', auth.requireBearer('invoices'), (_req, res) => void res.json(['an invoice']))
  router.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json(['an article']))
  if (auth.apis.some(({ name }) => name === 'management'))
    router.use('/management', management(auth, { api: 'management' }))
  app.use(prefix, router)
  return app
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  // Longer than proxies keep connections, as docs/operations.md says.
  server.keepAliveTimeout = 75_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

const acceptsConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket
      .on('error', () => resolve(false))
      .on('connect', () => {
        socket.destroy()
        resolve(true)
      })
  })

/** What nginx is configured with: `server` and `location` directives, and the names of the upstream. */
interface NginxOptions {
  /** Directives of the server. */
  readonly server?: string
  /** Directives of `location /`, after those of docs/operations.md. */
  readonly location?: string
  /** In place of `location /`. */
  readonly locations?: string
  readonly http?: string
  readonly isTls?: true
}

/** nginx in front of the instances. */
export function nginx({ server = '', location = '', locations, http = '', isTls }: NginxOptions = {}) {
  return (instances: readonly number[]) =>
    launchProxy(
      'nginx',
      (port, folder) =>
        PROXIES.nginx
          .complete(
            `
${http.replaceAll('FOLDER', folder)}
upstream api { ${instances.map((each) => `server 127.0.0.1:${each};`).join(' ')} }
server {
  listen 80;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $host;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Proto $scheme;
  ${server}
  ${locations ?? `location / { proxy_pass http://api; ${location} }`}
}`,
            port,
            folder,
          )
          .replace(`127.0.0.1:${port};`, `127.0.0.1:${port}${isTls ? ' ssl' : ''};`),
      acceptsConnections,
    )
}

/** HAProxy in front of the instances: directives of the frontend and of the backend. */
export function haproxy({ frontend = '', backend = '', global = '' } = {}) {
  return (instances: readonly number[]) =>
    launchProxy(
      'haproxy',
      (port) => `
global
  maxconn 1000
${global}
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
frontend http
  bind 127.0.0.1:${port}
  option forwardfor
${frontend}
  default_backend api
backend api
  balance roundrobin
${backend}
${instances.map((each, i) => `  server api${i} 127.0.0.1:${each}`).join('\n')}
`,
      acceptsConnections,
    )
}
