import { expect, it, onTestFinished } from 'vitest'
import { DEBIAN_POSTGRES, execute, startPostgres } from '../support/postgres.js'
import { createFullSite } from './full-site.js'
import { followRestoreRecipe } from './restore-recipe.js'

it('docs/incidents.md, followed literally on PostgreSQL, brings back every change since the backup, without a restart', async () => {
  const server = await startPostgres({ native: DEBIAN_POSTGRES })
  onTestFinished(server.end)
  await execute(server.url, 'CREATE DATABASE lost')
  const lost = new URL(server.url)
  lost.pathname = 'lost'
  const site = await createFullSite(server.url, {
    PATH: `${DEBIAN_POSTGRES}/bin`,
    DATABASE_URL: server.url,
    LOST_DATABASE_URL: lost.href,
  })
  const { auth } = await followRestoreRecipe(site, 'PostgreSQL')
  // The sequences were restored too: changes go on.
  const { application, credentials } = await auth.applications.create({ name: 'Another', apis: ['catalog'] })
  expect((await auth.verifyApiKey('catalog', credentials.clientId)).application.id).toBe(application.id)
})
