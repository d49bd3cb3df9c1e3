import { once } from 'node:events'
import express from 'express'
import { openPlatform } from '../../support/platform.js'

type Options = NonNullable<Parameters<typeof openPlatform>[0]>

/** A server with the pages of registration, for browsers. */
export async function openRegistrationSite(options: Options) {
  const app = express()
  const server = app.listen(0, 'localhost')
  await once(server, 'listening')
  const site = `http://localhost:${(server.address() as { port: number }).port}`
  const platform = openPlatform({ developersUrl: `${site}/developers`, now: Date.now, ...options })
  app.use('/developers/register', platform.auth.registration.router, platform.auth.emails.router)
  await platform.auth.ready()
  return {
    site,
    platform,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await platform.auth.close()
    },
  }
}

export type RegistrationSite = Awaited<ReturnType<typeof openRegistrationSite>>
