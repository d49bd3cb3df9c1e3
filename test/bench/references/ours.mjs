/** Serves the console of this package with the document, as an app would. */
import { createServer } from 'node:http'
import express from 'express'
import { developerConsole } from '../../../dist/esm/tools/console/index.js'
import { createPlatformAuth, memoryStore } from '../../../dist/esm/index.js'

/** @param {string} document */
export async function serveOurs(document) {
  const app = express()
  const server = createServer(app)
  await new Promise((listening) => server.listen(0, 'localhost', listening))
  const baseUrl = `http://localhost:${server.address().port}`
  const secret = 'a secret of 32 characters or more'
  const auth = createPlatformAuth({ baseUrl, secret, store: memoryStore(), apis: { github: { scheme: 'apiKey' } } })
  const parsed = JSON.parse(document)
  app.use(auth.router)
  app.use('/developers', developerConsole(auth, { documents: { github: parsed } }))
  await auth.ready()
  return {
    url: `${baseUrl}/developers/apis/github`,
    async close() {
      server.closeAllConnections()
      server.close()
      await auth.close()
    },
  }
}
