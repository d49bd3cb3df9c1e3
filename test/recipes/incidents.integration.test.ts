import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import express, { type Express } from 'express'
import { describe, expect, it } from 'vitest'
import type { IssuedCredentials } from '../../src/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { memoryMailer } from '../../src/tools/testing/index.js'
import { blocksOf, readPage } from '../docs/pages.js'
import { createCaller, type Caller } from '../support/caller.js'
import { SECRET, type TestOptions, type TestPlatform, usePlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { codeOfBlock } from './run-block.js'
import { createTemporaryFolder } from '../support/temporary-folder.js'

/** Each test runs the blocks of one section of this page. */
const PAGE = 'docs/incidents.md'
const NEW_SECRET = 'another secret of 32 characters or more'

const run = new Set<string>()

/** Runs the n-th block of a section as the body of an asynchronous function; resolves its `credentials`, if it has any. */
async function runSection(
  heading: string,
  variables: Readonly<Record<string, unknown>>,
  index = 0,
): Promise<Partial<IssuedCredentials>> {
  const code = codeOfBlock(PAGE, heading, index)
  run.add(code)
  const body = `return (async () => {\n${code}\nreturn typeof credentials === 'undefined' ? {} : credentials\n})()`
  const call = compileFunction(body, Object.keys(variables)) as (...values: unknown[]) => Promise<IssuedCredentials>
  return call(...Object.values(variables))
}

/** A platform with routes, and an application that calls them. */
async function openSite(options: TestOptions = {}) {
  const host = usePlatform({
    rateLimits: { failedAuthentication: false },
    now: Date.now,
    mailer: memoryMailer(),
    ...options,
  })
  const app = express().use(host.auth.router)
  app.use('/developers/register', host.auth.registration.router, host.auth.emails.router)
  app.get('/orders/items', host.auth.requireBearer('orders'), (_req, res) => void res.json([]))
  app.get('/catalog/items', host.auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  await host.auth.ready()
  return { ...host, app, caller: createCaller({ app }) }
}

async function createApplication({ auth, caller }: { auth: TestPlatform['auth']; caller: Caller }) {
  const { application, credentials } = await auth.applications.create({
    name: 'Partner',
    contact: 'dev@partner.example',
    apis: ['orders', 'catalog'],
  })
  return { application, old: credentials, accessToken: await caller.accessToken('orders', credentials) }
}

/** Further credentials with names and restrictions, contacts, an invitation, requests, and e-mails on their way. */
async function useEverything({ applications, portal, registration }: TestPlatform['auth'], id: string) {
  const by = 'contact:dev@partner.example'
  const { credentials: key } = await applications.addKey(id, { name: 'Server 2', apis: ['catalog'], by })
  const { credentials: secret } = await applications.addSecret(id, { name: 'Server 2', by })
  await applications.addContact(id, 'second@partner.example', { by })
  await portal.invite(id, 'third@partner.example', { by })
  await applications.disallow(id, 'catalog', { by: 'alice' })
  await registration.requestAccess(id, { api: 'catalog', by })
  await applications.approve(id, { api: 'catalog' })
  await applications.allow(id, 'orders', { scopes: [], by: 'alice' })
  await registration.requestAccess(id, { api: 'orders', by })
  const { keys, secrets } = (await applications.get(id))!
  await applications.rotateKey(id, { credential: keys.at(-1)!.id, deliver: 'email', overlap: 3600, by })
  await applications.rotateSecret(id, { credential: secrets.at(-1)!.id, deliver: 'email', overlap: 3600, by })
  return { ...key, ...secret }
}

/** What the thief of old credentials and an old access token gets. */
async function statusesOf(caller: Caller, credentials: Partial<IssuedCredentials>, accessToken: string) {
  const answers = [
    await caller.token('orders', credentials),
    await caller.key('/catalog/items', credentials.clientId!),
    await caller.bearer('/orders/items', accessToken),
  ]
  return answers.map(({ status }) => status)
}

async function claim(app: Express, text: string): Promise<number> {
  const token = /\/register\/claim#([\w-]{43})/.exec(text)?.[1]
  return (await request(app).post('/developers/register/claim').send({ token })).status
}

describe('after a leak', () => {
  const open = async (options: TestOptions = {}) =>
    openSite({ ...options, store: sqliteStore(join(await createTemporaryFolder(), 'platform.sqlite')) })

  it('of a secret, the calls end it, its access tokens and an unused link', async () => {
    const mailer = memoryMailer()
    const site = await open({ mailer, delivery: 'claim-link', developersUrl: 'https://example.com/developers' })
    const { application, old, accessToken } = await createApplication(site)
    await site.auth.applications.rotateSecret(application.id, { deliver: 'email' })
    await expect.poll(() => mailer.emails.length).toBe(1)
    const { clientSecret } = await runSection('A leaked secret', {
      auth: site.auth,
      application,
      leaked: old.clientSecret,
    })
    expect(await statusesOf(site.caller, old, accessToken)).toEqual([401, 200, 401])
    expect(await claim(site.app, mailer.emails[0]!.text)).toBe(400)
    const credentials = { ...old, clientSecret: clientSecret! }
    const fresh = await site.caller.accessToken('orders', credentials)
    expect(await statusesOf(site.caller, credentials, fresh)).toEqual([200, 200, 200])
    const { items } = await site.auth.audit.list({ applicationId: application.id })
    expect(items.at(-1)).toMatchObject({
      type: 'application.credentialRotated',
      by: 'alice, ticket 7',
      details: { tokensRevoked: true },
    })
  })

  it('the calls end the very credential that leaked, where the application used everything that the portal offers', async () => {
    const site = await open({ mailer: memoryMailer(), developersUrl: 'https://example.com/developers' })
    const { application, old } = await createApplication(site)
    const added = await useEverything(site.auth, application.id)
    const variables = { auth: site.auth, application }
    const fresh = await runSection('A leaked secret', { ...variables, leaked: added.clientSecret })
    const key = await runSection('A leaked key', { ...variables, leaked: added.clientId })
    expect((await site.caller.token('orders', { ...old, clientSecret: added.clientSecret })).status).toBe(401)
    expect((await site.caller.key('/catalog/items', added.clientId)).status).toBe(401)
    await site.caller.accessToken('orders', { ...old, clientSecret: fresh.clientSecret! })
    await site.caller.accessToken('orders', old)
    for (const works of [key.clientId!, old.clientId]) {
      expect((await site.caller.key('/catalog/items', works)).status).toBe(200)
    }
    // The replacement is restricted as the one that leaked was.
    const { keys } = (await site.auth.applications.get(application.id))!
    expect(keys.find(({ name }) => name === 'Server 2')).toMatchObject({ apis: { catalog: { scopes: [] } } })

    const printed: unknown[][] = []
    const print = { log: (...line: unknown[]) => void printed.push(line) }
    await runSection('Who used it', { ...variables, log: { info: () => undefined }, console: print })
    expect(printed.length).toBeGreaterThan(5)
    const issued = await runSection('A lost mailbox', { auth: site.auth, console: print })
    const recovered = (issued as Record<string, IssuedCredentials>)[application.id]!
    for (const ended of [key.clientId!, old.clientId]) {
      expect((await site.caller.key('/catalog/items', ended)).status).toBe(401)
    }
    expect((await site.caller.key('/catalog/items', recovered.clientId)).status).toBe(200)
    expect(await site.auth.applications.get(application.id)).toMatchObject({
      contacts: ['security@partner.example'],
      invitations: [],
      accessRequests: [],
    })
    const accessToken = await site.caller.accessToken('orders', recovered)
    await runSection('A leaked database', { auth: site.auth })
    expect(await statusesOf(site.caller, recovered, accessToken)).toEqual([200, 200, 401])
  })

  it('of a mailbox, the calls end everything that was sent there', async () => {
    const mailer = memoryMailer()
    const site = await open({ mailer, delivery: 'claim-link', developersUrl: 'https://example.com/developers' })
    const { application, old, accessToken } = await createApplication(site)
    await site.auth.applications.rotateKey(application.id, { deliver: 'email' })
    await expect.poll(() => mailer.emails.length).toBe(1)
    const issued = await runSection('A lost mailbox', { auth: site.auth, console: { log: () => undefined } })
    const credentials = (issued as Record<string, IssuedCredentials>)[application.id]!
    expect(await statusesOf(site.caller, old, accessToken)).toEqual([401, 401, 401])
    expect(await claim(site.app, mailer.emails[0]!.text)).toBe(400)
    const fresh = await site.caller.accessToken('orders', credentials)
    expect(await statusesOf(site.caller, credentials, fresh)).toEqual([200, 200, 200])
    expect(await site.auth.applications.get(application.id)).toMatchObject({
      status: 'active',
      contact: 'security@partner.example',
    })
    // Nothing was sent to the old mailbox afterwards.
    expect(mailer.emails).toHaveLength(1)
  })
})

it('after `secret` leaked, the old one opens neither the database nor access tokens', async () => {
  const folder = await createTemporaryFolder()
  const file = join(folder, 'platform.sqlite')
  const before = await openSite({ store: sqliteStore(file), secret: SECRET })
  const { old, accessToken } = await createApplication(before)
  await before.auth.close()
  // The thief's copy opens with the old secret.
  const copy = await createTemporaryFolder()
  await cp(folder, copy, { recursive: true })
  const thief = await openSite({ store: sqliteStore(join(copy, 'platform.sqlite')), secret: SECRET })
  const forged = await thief.caller.accessToken('orders', old)

  const between = await openSite({ store: sqliteStore(file), secret: [NEW_SECRET, SECRET] })
  expect(await statusesOf(between.caller, old, forged)).toEqual([200, 200, 200])
  await runSection('A leaked database', { auth: between.auth })
  expect(await statusesOf(between.caller, old, forged)).toEqual([200, 200, 401])
  await between.auth.close()

  const after = await openSite({ store: sqliteStore(file), secret: NEW_SECRET })
  expect(await statusesOf(after.caller, old, forged)).toEqual([200, 200, 401])
  expect(await statusesOf(after.caller, old, accessToken)).toEqual([200, 200, 401])
  expect(await statusesOf(after.caller, old, await after.caller.accessToken('orders', old))).toEqual([200, 200, 200])
  await after.auth.close()
  await expect(openSite({ store: sqliteStore(file), secret: SECRET })).rejects.toMatchObject({
    name: 'ConfigurationError',
  })
})

it('the audit log and the events say who used an application', async () => {
  const site = await openSite()
  const { application, old } = await createApplication(site)
  const logged: unknown[] = []
  const printed: unknown[][] = []
  await runSection('Who used it', {
    auth: site.auth,
    application,
    log: { info: (event: unknown) => void logged.push(event) },
    console: { log: (...line: unknown[]) => void printed.push(line) },
  })
  await site.caller.token('orders', old).expect(200)
  expect(logged).toMatchObject([{ applicationId: application.id, type: 'token.issued' }])
  expect(printed[0]).toContain('application.registered')
})

it('every block of the page was run', () => {
  const blocks = blocksOf(readPage(PAGE)).filter(({ language }) => ['js', 'ts'].includes(language))
  expect(blocks.map(({ code }) => code).filter((code) => !run.has(code))).toEqual([])
})
