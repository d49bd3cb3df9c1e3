import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { openPlatform } from '../support/platform.js'
import { createCaller } from '../support/caller.js'
import express from 'express'
import { runBlock } from './run-block.js'

const PAGE = 'docs/import.md'
const KEYS = ['4174348a-9222-4e81-b33e-5d72d2fd7f1e', 'b7f5d2b0-c1e9-4c0a-8a3f-1d2e4b6c8d9e']
const SECRET = 'x9!Kq2 vR7_pL4&wZ1'
const BCRYPT = '$2b$04$rceP/0LN3Z9LT9l8cYXZBOVNUIp4nuPcOHpcp66qBX.th6NvLHBvK'

/** Files in memory, for blocks that read and write some. */
function createFiles(files: Record<string, string> = {}) {
  return {
    files,
    'node:fs': {
      readFileSync: (name: string) => files[name],
      writeFileSync: (name: string, text: string) => void (files[name] = text),
    },
  }
}

it('keys of Kong work after the import that the page describes', async () => {
  const consumers = [
    { username: 'shop', custom_id: 'c-17', keyauth_credentials: KEYS.map((key) => ({ key })) },
    { username: 'nobody' },
  ]
  const modules = createFiles({ 'kong.json': JSON.stringify({ _format_version: '3.0', consumers }) })
  await runBlock(PAGE, 'From Kong key-auth', { modules })
  const { auth } = openPlatform({ imports: true })
  const lines = modules.files['partners.ndjson']!.trim().split('\n')
  expect(await auth.imports.run(lines, { confirm: true })).toMatchObject({ added: 1, refused: 0 })
  for (const key of KEYS) expect((await auth.verifyApiKey('catalog', key)).application.name).toBe('shop')
})

it('clients of @node-oauth/oauth2-server get access tokens after the import that the page describes', async () => {
  const find = async (query: unknown): Promise<unknown> => {
    expect(query).toEqual({ grants: 'client_credentials' })
    return [{ clientId: 'shop', clientSecret: BCRYPT, grants: ['client_credentials'] }]
  }
  const modules = createFiles()
  const surroundings = { modules, variables: { OAuthClient: { find } } }
  const { exportClients } = await runBlock(PAGE, 'From @node-oauth/oauth2-server', surroundings)
  await (exportClients as () => Promise<void>)()
  const { auth } = openPlatform({ imports: true })
  const lines = modules.files['clients.ndjson']!.trim().split('\n')
  expect(await auth.imports.run(lines, { confirm: true })).toMatchObject({ added: 1, refused: 0 })
  const caller = createCaller({ app: express().use(auth.router) })
  await caller.accessToken('orders', { clientId: 'shop', clientSecret: SECRET })
})

it('keys of a table work after the import that the page describes', async () => {
  const row = { id: 5, company: 'Shop', email: 'dev@shop.example', created_at: new Date(0) }
  const pool = {
    query: async () => ({ rows: [{ ...row, key_sha256: createHash('sha256').update(KEYS[0]!).digest('hex') }] }),
  }
  const { auth } = openPlatform({ imports: true })
  const { importPartners } = await runBlock(PAGE, 'From a table of your own', { variables: { auth } })
  const summary = await (importPartners as (from: typeof pool) => Promise<unknown>)(pool)
  expect(summary).toMatchObject({ added: 1, refused: 0 })
  expect((await auth.verifyApiKey('catalog', KEYS[0]!)).application.name).toBe('Shop')
})
