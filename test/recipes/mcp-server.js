import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'
import { authOf, createPlatformAuth, memoryStore } from 'express-platform-auth'

const auth = createPlatformAuth({
  baseUrl: 'http://localhost:3000',
  apis: {
    mcp: { scheme: 'oauth2', scopes: { 'stock:read': 'Read the stock', 'stock:write': 'Change the stock' } },
  },
  store: memoryStore(),
})
const app = express()
app.use(auth.router)

let bottles = 12
app.post('/mcp', auth.requireBearer('mcp'), express.json(), async (req, res) => {
  const { application, scopes } = authOf(req)
  const server = new McpServer({ name: 'cellar', version: '1.0.0' })
  if (scopes.includes('stock:read')) {
    server.registerTool('count', { description: 'Counts the bottles' }, () => ({
      content: [{ type: 'text', text: `${application.name}: ${bottles} bottles` }],
    }))
  }
  if (scopes.includes('stock:write')) {
    server.registerTool('add', { description: 'Adds a bottle' }, () => ({
      content: [{ type: 'text', text: `${application.name}: ${++bottles} bottles` }],
    }))
  }
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  res.on('close', () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(req, res, req.body)
})
app.all('/mcp', (_req, res) => void res.status(405).set('Allow', 'POST').end())

const { credentials } = await auth.applications.create({ name: 'Assistant', apis: ['mcp'] })
console.log(credentials)
app.listen(3000)
