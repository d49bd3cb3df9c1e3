import { once } from 'node:events'
import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'
import express5 from 'express'
import { onTestFinished } from 'vitest'
import { authOf, type GuardAuth } from '../../../src/index.js'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'
import { createRemoteAuth, credentialSource, type RemoteAuthOptions } from '../../../src/tools/remote/index.js'
import { listen } from '../../support/http.js'
import { openPlatform, recordingLogger, STORES, type OpenedStore, type TestOptions } from '../../support/platform.js'
import { startTcpProxy } from '../../support/tcp-proxy.js'

/** The APIs that the services serve; `invoices` and `weather` are others of the platform. */
export const SERVED = {
  orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
  catalog: { scheme: 'apiKey' },
} as const

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  paths: { '/items': { get: { security: [{ oauth2: ['orders:read'] }] } } },
}

type Closing = () => Promise<unknown>

/** A platform that listens, with a TCP proxy between it and the services, and an application that is a resource server. */
export async function openSite(
  given: TestOptions = {},
  openStore: () => Promise<OpenedStore> = STORES.memory,
  source: Parameters<typeof credentialSource>[1] = {},
) {
  const { store, remove } = await openStore()
  const platform = await startPlatform({ store, ...given }, source)
  const { application, credentials } = await platform.auth.applications.create({
    name: 'Backend',
    resourceServer: ['orders', 'catalog'],
  })
  const proxy = await startTcpProxy(`http://127.0.0.1:${platform.port}`)
  const closings: Closing[] = [() => proxy.end(), platform.close, remove]
  const server = { id: application.id, clientId: credentials.clientId, clientSecret: credentials.clientSecret! }

  const serviceOptions = {
    platform: 'https://api.example.com',
    address: proxy.url,
    apis: SERVED,
    clientId: server.clientId,
    clientSecret: server.clientSecret,
  }

  /** A service with guards and no store. */
  async function startService(options: Partial<RemoteAuthOptions<typeof SERVED>> = {}, express = express5) {
    const logger = recordingLogger()
    const auth = createRemoteAuth({ ...serviceOptions, logger, ...options })
    const app = addRoutes(express(), auth)
    const { port, close } = await listen(app)
    closings.unshift(async () => {
      await auth.close()
      await close()
    })
    return { auth, app, logger, url: `http://127.0.0.1:${port}` }
  }

  return {
    ...platform,
    store,
    server,
    serviceOptions,
    proxy,
    startService,
    /** A service that knows what it needs to answer. */
    async openService(...given: Parameters<typeof startService>) {
      const service = await startService(...given)
      await service.auth.ready()
      return service
    },
    async close() {
      for (const close of closings) await close()
    },
  }
}

/** Routes with guards: of a service, or of the platform itself. */
function addRoutes(app: Express, auth: GuardAuth<typeof SERVED>): Express {
  const answer = (req: object, res: { json(body: unknown): unknown }): void => void res.json(authOf(req))
  app.get('/orders/items', auth.requireBearer('orders', { scopes: ['orders:read'] }), answer)
  app.post('/orders/items', auth.requireBearer('orders', { scopes: ['orders:write'] }), answer)
  app.get('/catalog/items', auth.requireApiKey('catalog'), answer)
  app.use('/documented', guardsFromDocument(auth, 'orders', DOCUMENT))
  app.get('/documented/items', answer)
  app.get('/prices', auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')]), answer)
  return app
}

/** A process of the platform, on a store that is given. */
export async function startPlatform(options: TestOptions, source: Parameters<typeof credentialSource>[1] = {}) {
  const { auth, logger } = openPlatform({ now: Date.now, ...options })
  await auth.ready()
  const app = express5().use(auth.router, credentialSource(auth, { externalId: true, metadata: ['region'], ...source }))
  addRoutes(app, auth)
  const { port, close } = await listen(app)
  return {
    auth,
    app,
    logger,
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      await close()
      await auth.close()
    },
  }
}

/** The status of a request with that credential, and the reason that the challenge tells. */
export async function ask(url: string, credential: string, method = 'GET'): Promise<string> {
  const headers: Record<string, string> = credential.includes('_key_')
    ? { 'X-Api-Key': credential }
    : { Authorization: `Bearer ${credential}` }
  const response = await fetch(url, { method, headers })
  const body = (await response.json()) as { error?: string; error_description?: string }
  return [response.status, body.error, body.error_description].filter((part) => part !== undefined).join(' ')
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export const PROOF = 'x-platform-proof'

/** Sends a request on to the platform as it came. */
async function forward(address: string, headers: IncomingHttpHeaders, body: Buffer): Promise<HttpAnswer> {
  const outgoing = request(address, { method: 'POST', headers }).end(body)
  const [response] = (await once(outgoing, 'response')) as [AsyncIterable<Buffer> & HttpAnswer & { statusCode: number }]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }
}

/** A proxy that changes the answers of the platform at `url`. */
export async function startAnswerProxy(
  url: string,
  change: (answer: HttpAnswer, path: string, sent: string) => HttpAnswer,
  changeRequest: (sent: string) => string = (sent) => sent,
): Promise<string> {
  const proxy = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk)
      const sent = changeRequest(Buffer.concat(chunks).toString())
      const length = { 'content-length': String(Buffer.byteLength(sent)) }
      const answered = await forward(`${url}${req.url}`, { ...req.headers, ...length }, Buffer.from(sent))
      const { status, headers, body } = change(answered, req.url!, sent)
      const proof = headers[PROOF]
      res.writeHead(status, { 'Content-Type': 'application/json', ...(proof !== undefined && { [PROOF]: proof }) })
      res.end(body)
    })().catch(() => res.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => proxy.close().closeAllConnections())
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
