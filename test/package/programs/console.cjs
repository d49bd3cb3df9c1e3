// A console of whichever copy it is given, over real HTTP: its page, and all that its page loads.
const { createServer } = require('node:http')

module.exports = async function showConsole({ express, createPlatformAuth, developerConsole, memoryStore }) {
  const app = express()
  const server = createServer(app).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const baseUrl = `http://127.0.0.1:${server.address().port}`
  const auth = createPlatformAuth({ baseUrl, apis: { catalog: { scheme: 'apiKey' } }, store: memoryStore() })
  const catalog = { openapi: '3.1.0', info: { title: 'Catalog', version: '1.0.0' }, paths: { '/items': {} } }
  app.use('/developers', developerConsole(auth, { documents: { catalog } }))
  try {
    const page = await fetch(`${baseUrl}/developers/apis/catalog`)
    const loaded = [...(await page.text()).matchAll(/(?:src|href)="(\.\.\/assets\/[^"]+)"/g)].map(async ([, path]) => {
      const asset = await fetch(new URL(path, page.url))
      return [asset.status, path.replace(/.*\/|\.[0-9a-f]{16}/g, ''), (await asset.text()).length > 100]
    })
    return [page.status, ...(await Promise.all(loaded))]
  } finally {
    await auth.close()
    server.close()
    server.closeAllConnections()
  }
}
