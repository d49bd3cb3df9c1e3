import express from 'express'
import { listen } from '../../support/http.js'
import { openPlatform } from '../../support/platform.js'

type Options = NonNullable<Parameters<typeof openPlatform>[0]>

/** A server with the pages of registration, for browsers. */
export async function openRegistrationSite(options: Options) {
  const app = express()
  const { port, close } = await listen(app)
  const site = `http://127.0.0.1:${port}`
  const platform = openPlatform({ developersUrl: `${site}/developers`, now: Date.now, ...options })
  app.use('/developers/register', platform.auth.registration.router, platform.auth.emails.router)
  await platform.auth.ready()
  return {
    site,
    platform,
    async close() {
      await close()
      await platform.auth.close()
    },
  }
}

export type RegistrationSite = Awaited<ReturnType<typeof openRegistrationSite>>
