import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const DIST = new URL('../dist/esm/', import.meta.url)
const HEAD = `
  import { createPlatformAuth, memoryStore } from '${new URL('index.js', DIST).href}'
  import { sqliteStore } from '${new URL('stores/sqlite/index.js', DIST).href}'
  import { emails } from '${new URL('features/emails/index.js', DIST).href}'
  import { registration } from '${new URL('features/registration/index.js', DIST).href}'
  import { usage } from '${new URL('features/usage/index.js', DIST).href}'
  import { accessTokenFor } from '${new URL('tools/testing/index.js', DIST).href}'
  const apis = { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } }
  const baseUrl = 'http://localhost:3000'
  const file = process.env.FILE
  const secret = 'a secret of 32 characters or more'
  const features = [usage(), emails({ mailer: { send: async () => undefined } }), registration()]`

/** Runs a program until it exits; after 15 seconds it is killed, and the test fails. */
async function run(program: string, nodeEnv = ''): Promise<{ stdout: string; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'process-'))
  const env = { ...process.env, NODE_ENV: nodeEnv, NODE_OPTIONS: '', FILE: join(folder, 'platform.sqlite') }
  const args = ['--input-type=module', '--eval', HEAD + program]
  try {
    return await new Promise((resolve, reject) => {
      execFile(process.execPath, args, { env, cwd: fileURLToPath(DIST), timeout: 100_000 }, (error, stdout, stderr) =>
        error ? reject(new Error(`${error.message}${stdout}`)) : resolve({ stdout, stderr }),
      )
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe.concurrent('a process', () => {
  it('with a platform, a token and timers of every kind exits by itself', async () => {
    const program = `
      const tokens = { rotateEvery: 1 }
      const auth = createPlatformAuth({ baseUrl, apis, store: sqliteStore(file), secret, tokens, features })
      console.log((await accessTokenFor(auth, 'orders')).split('.').length)`
    expect(await run(program)).toEqual({ stdout: '3\n', stderr: '' })
  })

  it('that has closed its platform has no timer left, and exits by itself', async () => {
    const program = `
      const auth = createPlatformAuth({ baseUrl, apis, store: sqliteStore(file), secret, tokens: { rotateEvery: 1 }, features })
      // Timers that were unref'd would not keep the process alive, so new ones are counted.
      const { setTimeout, setInterval } = globalThis
      let made = 0
      for (const [name, make] of Object.entries({ setTimeout, setInterval }))
        globalThis[name] = (...args) => { made += 1; return make(...args) }
      await auth.ready()
      await auth.close()
      made = 0
      await new Promise((resolve) => setTimeout(resolve, 1200))
      console.log(made)`
    expect(await run(program)).toEqual({ stdout: '0\n', stderr: '' })
  })

  it('with a platform in memory has one warning on stderr, and exits by itself', async () => {
    const { stdout, stderr } = await run(`
      const auth = createPlatformAuth({ baseUrl, apis })
      await auth.ready()
      await auth.applications.create({ name: 'Shop', apis: ['catalog'] })`)
    expect(stdout).toBe('')
    expect(stderr).toBe(
      'store is missing: applications are kept in memory and lost when the process ends. Give it sqliteStore(path) from "express-platform-auth/stores/sqlite", or memoryStore() if they may be lost.\n',
    )
  })

  it('whose store is unavailable logs why, and exits by itself', async () => {
    const { stderr } = await run(`
      const store = { ...memoryStore(), open: async () => { throw new Error('no database') } }
      createPlatformAuth({ baseUrl, apis, store })`)
    expect(stderr).toMatch(/could not start yet and will retry/)
    expect(stderr).toContain('no database')
  })

  it('that awaits ready() stays until its store can be used', async () => {
    const { stdout } = await run(`
      const store = memoryStore()
      let opened = 0
      const open = async () => { if (++opened < 3) throw new Error('no database') }
      const auth = createPlatformAuth({ baseUrl, apis, store: { ...store, open } })
      await auth.ready()
      console.log('ready', opened)`)
    expect(stdout).toBe('ready 3\n')
  })

  it('that awaits a call of a store that never answers stays until the call rejects', async () => {
    const { stdout } = await run(`
      const store = memoryStore()
      let hangs = false
      for (const part of [store, store.emails, store.usage])
        for (const [name, call] of Object.entries(part))
          if (typeof call === 'function') part[name] = (...args) => hangs ? new Promise(() => undefined) : call(...args)
      const auth = createPlatformAuth({ baseUrl, apis, store, features })
      const token = await accessTokenFor(auth, 'orders')
      const header = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: 'unknown' })).toString('base64url')
      hangs = true
      console.log((await auth.health()).ok)
      const calls = [
        auth.applications.list(),
        auth.signingKeys.rotate(),
        auth.audit.list(),
        auth.usage.list(),
        auth.emails.retry(),
        auth.verifyApiKey('catalog', (await import('${new URL('../modules/core/applications/credentials/credentials.js', DIST).href}')).createCredentials('epa', Buffer.alloc(32)).mint('key', 1).plain),
        auth.verifyAccessToken('orders', [header, ...token.split('.').slice(1)].join('.')),
      ]
      for (const { status, reason } of await Promise.allSettled(calls)) console.log(status, reason.code)
      await auth.close()
      console.log('closed')`)
    const rejected = Array.from({ length: 5 }, () => 'store_unavailable')
    const refused = ['temporarily_unavailable', 'temporarily_unavailable']
    const lines = [...rejected, ...refused].map((code) => `rejected ${code}`)
    expect(stdout.trim().split('\n')).toEqual(['true', ...lines, 'closed'])
  })

  it('that awaits close() stays until its mailer has answered', async () => {
    const { stdout } = await run(`
      let sending
      const started = new Promise((resolve) => (sending = resolve))
      const mailer = { send: () => { sending(); return new Promise((resolve) => setTimeout(resolve, 1000).unref()) } }
      const auth = createPlatformAuth({ baseUrl, apis, store: memoryStore(), features: [emails({ mailer }), registration()] })
      await auth.registration.register({ name: 'Shop', contact: 'a@customer.example', apis: ['catalog'] })
      await started
      await auth.close()
      console.log('closed')`)
    expect(stdout).toBe('closed\n')
  })

  it('whose secret is wrong logs that, and goes on if it does not await ready()', async () => {
    const { stdout, stderr } = await run(`
      const first = createPlatformAuth({ baseUrl, apis, store: sqliteStore(file), secret: 'a secret of 32 characters or more' })
      await first.ready()
      await first.close()
      createPlatformAuth({ baseUrl, apis, store: sqliteStore(file), secret: 'another secret, of 32 characters or more' })
      setTimeout(() => console.log('still here'), 500)`)
    expect(stdout).toBe('still here\n')
    expect(stderr).toMatch(/^The platform cannot start\. secret is not the one/)
    expect(stderr).not.toMatch(/32 characters|    at /)
  })

  it('in production exits by itself too, and logs nothing', async () => {
    const program = `
      const auth = createPlatformAuth({ baseUrl, apis, store: sqliteStore(file), secret: 'a secret of 32 characters or more' })
      await accessTokenFor(auth, 'orders')
      await auth.verifyApiKey('catalog', 'unknown').catch(() => undefined)`
    expect(await run(program, 'production')).toEqual({ stdout: '', stderr: '' })
  })
})
