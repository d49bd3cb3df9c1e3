import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A platform of one build with features of the other: it sends the credentials of a registration, and counts a request with them. */
const PROGRAM = `
  const logger = { debug() {}, info() {}, warn: console.error, error: console.error }
  const mailer = memoryMailer()
  const auth = createPlatformAuth({
    baseUrl: 'http://localhost:3000',
    developersUrl: 'http://localhost:3000/developers',
    apis: { catalog: { scheme: 'apiKey' } },
    store: memoryStore(),
    logger,
    features: [portal(), imports(), usage(), registration(), emails({ mailer })],
  })
  await auth.registration.register({ name: 'Shop', contact: 'dev@shop.example', apis: ['catalog'] })
  const [{ credentials }] = await mailer.sent()
  const app = express().use(auth.router).get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const answer = await fetch('http://127.0.0.1:' + server.address().port + '/catalog/items', { headers: { 'X-Api-Key': credentials.clientId } })
  const link = await auth.portal.link({ contact: 'dev@shop.example' })
  const summary = await auth.imports.run([{ externalId: 'c-1', name: 'Legacy', apis: ['catalog'], keys: [{ plain: '4174348a-9222-4e81-b33e-5d72d2fd7f1e' }] }], { confirm: true })
  const wrong = checkOptions({ baseUrl: 'http://localhost:3000', apis: { catalog: { scheme: 'apiKey' } }, features: [usage({ retention: 0 })] })
  console.log(JSON.stringify({
    status: answer.status,
    link: link.startsWith('http://localhost:3000/developers/applications/'),
    added: summary.added,
    wrong: [wrong.error?.name, wrong.error?.message],
    copies: createPlatformAuth !== otherBuild.createPlatformAuth,
  }))
  server.close()
  server.closeAllConnections()
  await auth.close()
`
const NAMES = ['emails', 'imports', 'portal', 'registration', 'usage']
const CORE = '{ checkOptions, createPlatformAuth, memoryStore }'
const REQUIRE = (names: string, path: string) => `const ${names} = require('express-platform-auth${path}')`
const IMPORT = (names: string, path: string) => `const ${names} = await import('express-platform-auth${path}')`

/** The program as `node --input-type=module -e` runs it. */
function run(core: typeof IMPORT, feature: typeof IMPORT): unknown {
  const lines = [
    `import { once } from 'node:events'`,
    `import { createRequire } from 'node:module'`,
    `import express from 'express'`,
    `const require = createRequire(process.cwd() + '/program.js')`,
    core(CORE, ''),
    feature('otherBuild', ''),
    IMPORT('{ memoryMailer }', '/testing'),
    ...NAMES.map((name) => feature(`{ ${name} }`, `/${name}`)),
    PROGRAM,
  ]
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', lines.join('\n')], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

describe('features of one build, given to a platform of the other', () => {
  it.each([
    ['of the CommonJS build to the ES module build', IMPORT, REQUIRE],
    ['of the ES module build to the CommonJS build', REQUIRE, IMPORT],
  ])('%s: they work, and their mistakes are told', (_, core, feature) => {
    expect(run(core, feature)).toEqual({
      status: 200,
      link: true,
      added: 1,
      wrong: ['ConfigurationError', 'usage.retention is 0. Write a whole number of at least 1.'],
      copies: true,
    })
  })
})
