import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { CLIENT_ID = '', CLIENT_SECRET = '', MCP_URL = 'http://localhost:3000/mcp' } = process.env

const authProvider = new ClientCredentialsProvider({
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  expectedIssuer: MCP_URL,
})
const client = new Client({ name: 'assistant', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider }))
console.log(await client.callTool({ name: 'count' }))
await client.close()
