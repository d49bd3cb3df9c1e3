import type { IncomingHttpHeaders } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { authOf, createPlatformAuth, memoryStore } from '../../../src/index.js'
import { createApplication, listen } from '../../support/http.js'
import { recordingLogger, SECRET } from '../../support/platform.js'
import { FILE_NAME } from './hostile.js'

/** A request that a sample sent to a guarded route. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The id of the application that sent it. */
  readonly applicationId: string
}

export interface SampleHost {
  /** The base URL of the platform, with APIs `orders`, `brief` (access tokens of 30 seconds) and `catalog`. */
  readonly baseUrl: string
  /** What programs find in their environment. */
  readonly environment: Readonly<Record<string, string>>
  /** The working directory of programs. */
  readonly folder: string
  readonly applicationId: string
  /** Another application, whose credentials are not in the environment. */
  readonly other: Awaited<ReturnType<typeof createApplication>>
  /** How many access tokens were issued, by API. */
  readonly tokens: Record<string, number>
  readonly requests: ReceivedRequest[]
  close(): Promise<void>
}

export const FILE_CONTENT = Buffer.from([0, 1, 2, 10, 13, 255, 254, 65, 10])

/** A platform whose APIs keep each request that passed the guard. */
export async function openSampleHost(): Promise<SampleHost> {
  const app = express()
  const { port, close } = await listen(app)
  const baseUrl = `http://127.0.0.1:${port}`
  const auth = createPlatformAuth({
    baseUrl,
    apis: {
      orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read', 'orders:write': 'Write' } },
      brief: { scheme: 'oauth2', accessTokenLifetime: 30 },
      catalog: { scheme: 'apiKey', header: 'Shop-Key' },
    },
    store: memoryStore(),
    secret: SECRET,
    logger: recordingLogger(),
  })
  const tokens: Record<string, number> = {}
  const requests: ReceivedRequest[] = []
  auth.events.on('token.issued', ({ api = '' }) => (tokens[api] = (tokens[api] ?? 0) + 1))
  const receive: express.RequestHandler = (req, res) => {
    const { method, originalUrl: url, headers, body } = req
    const { id: applicationId } = authOf(req).application
    requests.push({ method, url, headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0), applicationId })
    res.json({ ok: true })
  }
  const raw = express.raw({ type: () => true })
  app.use(auth.router)
  app.use('/orders', auth.requireBearer('orders', { scopes: ['orders:read'] }), raw, receive)
  app.use('/brief', auth.requireBearer('brief'), raw, receive)
  app.use('/catalog', auth.requireApiKey('catalog'), raw, receive)
  const apis = ['orders', 'brief', 'catalog'] as const
  const { id, clientId, clientSecret } = await createApplication(auth, apis)
  const other = await createApplication(auth, apis, 'Other')
  const folder = await mkdtemp(join(tmpdir(), 'samples-'))
  await writeFile(join(folder, FILE_NAME), FILE_CONTENT)

  return {
    baseUrl,
    environment: { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, API_KEY: clientId },
    folder,
    applicationId: id,
    other,
    tokens,
    requests,
    async close() {
      await close()
      await auth.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
