import type { Express } from 'express'
import { beforeAll } from 'vitest'
import type { IssuedCredentials } from '../../src/index.js'
import { createCaller } from '../support/caller.js'
import type { Host } from '../support/platform.js'

/** What a test needs to put the platform into an app of the host, and to call it there as an application. */
export interface HostApp {
  /** The host's app, in which each test mounts the platform. */
  newApp(): Express
  /** The application's credentials. They exist once the first test runs. */
  credentials(): IssuedCredentials
  bearer(): { Authorization: string }
  key(): { 'X-Api-Key': string }
  tokenForm(): { grant_type: string; client_id: string; client_secret: string | undefined }
}

/** Creates an application on the platform of `host` before the tests. */
export function prepareHostApp(host: Host): HostApp {
  let credentials: IssuedCredentials
  let accessToken: string

  beforeAll(async () => {
    ;({ credentials } = await host.auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] }))
    accessToken = await createCaller(host).accessToken('orders', credentials)
  })

  return {
    newApp: () => host.express().disable('x-powered-by'),
    credentials: () => credentials,
    bearer: () => ({ Authorization: `Bearer ${accessToken}` }),
    key: () => ({ 'X-Api-Key': credentials.clientId }),
    tokenForm: () => ({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
    }),
  }
}
