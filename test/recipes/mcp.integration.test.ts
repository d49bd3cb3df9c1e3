import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type express from 'express'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import * as platformAuth from '../../src/index.js'
import { listen } from '../support/http.js'
import { EXPRESSES, recordingLogger } from '../support/platform.js'

const SERVER = new URL('mcp-server.js', import.meta.url)
/** The page links to it. */
const CLIENT = new URL('../../docs/recipes/mcp-client.mjs', import.meta.url)
const page = await readFile(new URL('../../docs/recipes/mcp.md', import.meta.url), 'utf8')

describe('docs/recipes/mcp.md', () => {
  it('shows the server that these tests run', async () => {
    expect(page).toContain(`\`\`\`js\n${await readFile(SERVER, 'utf8')}\`\`\`\n`)
  })

  it('lists the requests up to the first tool call in their order', () => {
    const rows = exchangesOfFirstCall('http://localhost:3000', '').map(
      ({ request, status }, index) => `| ${index + 1} | \`${request}\` | ${status} |`,
    )
    const listed = page.match(/^\| \d \| `[^`]+` \| \d+ \|/gm)
    expect(listed).toEqual(rows)
  })
})

describe.each([
  ['Express 4', '/v1'],
  ['Express 5', ''],
] as const)('An MCP server on %s, with the base path "%s",', (expressName, path) => {
  let running: Awaited<ReturnType<typeof startServer>>
  let exchanges: Exchange[]

  beforeAll(async () => {
    running = await startServer(EXPRESSES[expressName], path)
  })
  afterAll(() => running.close())
  beforeEach(() => {
    exchanges = recordExchanges()
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.unstubAllEnvs()
  })

  /** The SDK's client with the SDK's provider for client credentials. */
  async function createClient(name: string, scopes: readonly ('stock:read' | 'stock:write')[]) {
    const { application, credentials } = await running.auth.applications.create({ name, apis: { mcp: { scopes } } })
    const authProvider = new ClientCredentialsProvider({
      clientId: credentials.clientId,
      clientSecret: credentials.clientSecret ?? '',
      expectedIssuer: `${running.baseUrl}/mcp`,
    })
    const transport = new StreamableHTTPClientTransport(new URL(`${running.baseUrl}/mcp`), { authProvider })
    const client = new Client({ name, version: '1.0.0' })
    return { application, authProvider, client, connect: () => client.connect(transport) }
  }

  it("leads the page's client from the first 401 over RFC 9728 and RFC 8414 metadata to a tool call", async () => {
    vi.stubEnv('CLIENT_ID', running.credentials.clientId)
    vi.stubEnv('CLIENT_SECRET', running.credentials.clientSecret)
    vi.stubEnv('MCP_URL', `${running.baseUrl}/mcp`)
    const printed = await runModule(CLIENT)
    expect(printed).toEqual([{ content: [{ type: 'text', text: 'Assistant: 12 bottles' }] }])

    // The client asks for an event stream while it sends the tool call: their order is not fixed, and a client that is
    // closed at once does not wait for this answer.
    const stream = exchanges.filter(({ request }) => request === `GET ${path}/mcp`)
    expect(stream).toMatchObject([{ authorization: 'Bearer' }])
    expect(exchanges.filter((exchange) => !stream.includes(exchange))).toEqual(
      exchangesOfFirstCall(running.baseUrl, path),
    )
    expect((await fetch(`${running.baseUrl}/mcp`)).status).toBe(405)
  })

  it('leads a client with a revoked token to a new token and a second tool call', async () => {
    const { application, authProvider, client, connect } = await createClient('Cellar robot', ['stock:read'])
    await connect()
    const content = [{ type: 'text', text: 'Cellar robot: 12 bottles' }]
    expect(await client.callTool({ name: 'count' })).toEqual({ content })
    const revokedToken = authProvider.tokens()?.access_token

    await running.auth.applications.revokeTokens(application.id)
    exchanges.length = 0
    expect(await client.callTool({ name: 'count' })).toEqual({ content })
    const call = { request: `POST ${path}/mcp`, authorization: 'Bearer', method: 'tools/call' }
    expect(exchanges).toEqual([
      {
        ...call,
        status: 401,
        challenge: expect.stringMatching(/^Bearer realm="mcp", error="invalid_token",.* resource_metadata="/) as string,
      },
      ...exchangesOfTokenRequest(running.baseUrl, path),
      { ...call, status: 200 },
    ])

    expect(authProvider.tokens()?.access_token).not.toBe(revokedToken)
    const headers = { Authorization: `Bearer ${revokedToken}` }
    expect((await fetch(`${running.baseUrl}/mcp`, { method: 'POST', headers })).status).toBe(401)
    await client.close()
  })

  it('tells a tool which application calls, and offers it the tools that its scopes allow', async () => {
    const reader = await createClient('Reader', ['stock:read'])
    const writer = await createClient('Writer', ['stock:read', 'stock:write'])
    const seen = await Promise.all(
      [reader, writer].map(async ({ client, connect }) => {
        await connect()
        const { tools } = await client.listTools()
        const { content } = await client.callTool({ name: 'count' })
        return { tools: tools.map(({ name }) => name), content }
      }),
    )
    expect(seen).toEqual([
      { tools: ['count'], content: [{ type: 'text', text: 'Reader: 12 bottles' }] },
      { tools: ['count', 'add'], content: [{ type: 'text', text: 'Writer: 12 bottles' }] },
    ])
    expect(await reader.client.callTool({ name: 'add' })).toMatchObject({ isError: true })
    await Promise.all([reader.client.close(), writer.client.close()])
  })
})

describe('An MCP server below a path, without auth.wellKnownRouter,', () => {
  it("leads the page's client over the OpenID document below the path to a tool call", async () => {
    const running = await startServer(EXPRESSES['Express 5'], '/v1', { wellKnownRouter: false })
    const exchanges = recordExchanges()
    vi.stubEnv('CLIENT_ID', running.credentials.clientId)
    vi.stubEnv('CLIENT_SECRET', running.credentials.clientSecret)
    vi.stubEnv('MCP_URL', `${running.baseUrl}/mcp`)
    expect(await runModule(CLIENT)).toEqual([{ content: [{ type: 'text', text: 'Assistant: 12 bottles' }] }])
    expect(exchanges.filter(({ request }) => request.includes('.well-known'))).toEqual([
      { request: 'GET /v1/mcp/.well-known/oauth-protected-resource', status: 200 },
      { request: 'GET /.well-known/oauth-authorization-server/v1/mcp', status: 404 },
      { request: 'GET /.well-known/openid-configuration/v1/mcp', status: 404 },
      { request: 'GET /v1/mcp/.well-known/openid-configuration', status: 200 },
    ])
    vi.unstubAllGlobals()
    vi.unstubAllEnvs()
    await running.close()
  })
})

/** Runs the code below a heading of the page. */
async function runSnippet(heading: string, names: Readonly<Record<string, unknown>>) {
  const [, code] = new RegExp(`^## ${heading}\\n[^]*?^\`\`\`js\\n([^]*?)^\`\`\``, 'm').exec(page) ?? []
  expect(code, heading).toBeDefined()
  const AsyncFunction = (async () => undefined).constructor as new (
    ...source: string[]
  ) => (...values: unknown[]) => Promise<unknown>
  await new AsyncFunction(...Object.keys(names), code!)(...Object.values(names))
}

/** What the SDK's client sends up to its first tool call, without its request for an event stream. */
function exchangesOfFirstCall(baseUrl: string, path: string): Exchange[] {
  const metadata = `${baseUrl}/mcp/.well-known/oauth-protected-resource`
  const call = { request: `POST ${path}/mcp`, authorization: 'Bearer' }
  return [
    {
      request: `POST ${path}/mcp`,
      status: 401,
      method: 'initialize',
      challenge: `Bearer realm="mcp", resource_metadata="${metadata}"`,
    },
    ...exchangesOfTokenRequest(baseUrl, path),
    { ...call, status: 200, method: 'initialize' },
    { ...call, status: 202, method: 'notifications/initialized' },
    { ...call, status: 200, method: 'tools/call' },
  ]
}

/** How the SDK's client finds the token endpoint and requests a token. */
function exchangesOfTokenRequest(baseUrl: string, path: string): Exchange[] {
  return [
    { request: `GET ${path}/mcp/.well-known/oauth-protected-resource`, status: 200 },
    { request: `GET /.well-known/oauth-authorization-server${path}/mcp`, status: 200 },
    {
      request: `POST ${path}/mcp/token`,
      status: 200,
      authorization: 'Basic',
      form: { grant_type: 'client_credentials', resource: `${baseUrl}/mcp` },
    },
  ]
}

/** One HTTP request of the client and its answer. */
interface Exchange {
  readonly request: string
  status: number
  readonly authorization?: string
  /** The method of a JSON-RPC request. */
  readonly method?: string
  readonly form?: object
  challenge?: string
}

/** Records what goes through `fetch`, in the order in which it is sent. */
function recordExchanges(): Exchange[] {
  const exchanges: Exchange[] = []
  const { fetch } = globalThis
  vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit = {}) => {
    const authorization = new Headers(init.headers).get('Authorization')?.split(' ')[0]
    const exchange: Exchange = {
      request: `${init.method ?? 'GET'} ${new URL(url).pathname}`,
      status: 0,
      ...(authorization !== undefined && { authorization }),
      ...(typeof init.body === 'string' && { method: (JSON.parse(init.body) as { method: string }).method }),
      ...(init.body instanceof URLSearchParams && { form: Object.fromEntries(init.body) }),
    }
    exchanges.push(exchange)
    const response = await fetch(url, init)
    exchange.status = response.status
    const challenge = response.headers.get('WWW-Authenticate')
    if (challenge !== null) exchange.challenge = challenge
    return response
  })
  return exchanges
}

/**
 * Runs the page's server unchanged, except for the version of Express, the base URL and the port: the module gets an
 * Express whose `listen()` does nothing, and a platform at the address of the test's own HTTP server.
 */
async function startServer(createExpressApp: typeof express, path: string, { wellKnownRouter = true } = {}) {
  let listener: RequestListener | undefined
  const { port, close } = await listen((req, res) => listener?.(req, res))
  const baseUrl = `http://127.0.0.1:${port}${path}`

  const apps: express.Express[] = []
  const platforms: platformAuth.PlatformAuth<{ mcp: { scheme: 'oauth2'; scopes: Record<string, string> } }>[] = []
  const createApp = (): express.Express => {
    const app = Object.assign(createExpressApp(), { listen: () => undefined }) as unknown as express.Express
    apps.push(app)
    return app
  }
  const createPlatformAuth = (options: platformAuth.PlatformAuthOptions) => {
    const auth = platformAuth.createPlatformAuth({ ...options, baseUrl, logger: recordingLogger() })
    platforms.push(auth)
    return auth
  }
  vi.doMock('express', () => ({ default: Object.assign(createApp, createExpressApp) }))
  vi.doMock('express-platform-auth', () => ({ ...platformAuth, createPlatformAuth }))
  const [credentials] = (await runModule(SERVER)) as [{ clientId: string; clientSecret: string }]

  const app = apps[0]!
  const auth = platforms[0]!
  if (wellKnownRouter && path !== '') await runSnippet('Below a path', { express: createApp, app, auth })
  else if (path !== '') createApp().use(path, app)
  listener = apps.at(-1)
  return {
    auth,
    baseUrl,
    credentials,
    async close() {
      await close()
      await auth.close()
    },
  }
}

/** Runs a program afresh, and resolves what it printed. */
async function runModule(file: URL): Promise<unknown[]> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  try {
    vi.resetModules()
    await import(file.href)
    return log.mock.calls.flat()
  } finally {
    log.mockRestore()
  }
}
