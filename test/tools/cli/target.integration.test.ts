import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { findTarget } from '../../../src/tools/cli/target.js'
import { StoreUnavailableError } from '../../../src/index.js'
import { CONFIG, createSite, expectRefused, runInProcess, runJson, useSite, config } from './command-line.js'

const site = useSite()

describe('the store and the options', () => {
  it('are those of the environment if no flag names them', async () => {
    const env = { EXPRESS_PLATFORM_AUTH_DB: site.file }
    expect((await runInProcess(['signing-keys', 'list'], { env })).code).toBe(0)
    expect((await runInProcess(['signing-keys', 'list'], { env: { EXPRESS_PLATFORM_AUTH_CONFIG: CONFIG } })).code).toBe(
      0,
    )
    const created = await runInProcess(['apps', 'create', '--name', 'Env', '--api', 'orders'], {
      env: { EXPRESS_PLATFORM_AUTH_CONFIG: CONFIG },
    })
    expect(created.code).toBe(0)
  })

  it('are not mixed: a store of the environment does not replace the store of --config', async () => {
    const env = { EXPRESS_PLATFORM_AUTH_DB: join(site.folder, 'no-such.sqlite') }
    expect((await runInProcess(['signing-keys', 'list', ...config], { env })).code).toBe(0)
  })

  it('are the store of --db and the options of --config if both are given', async () => {
    const other = await createSite()
    const args = ['apps', 'create', '--name', 'Elsewhere', '--api', 'orders', ...config, '--db', other.file]
    expect((await runInProcess(args)).code).toBe(0)
    expect((await runJson(['apps', 'list', '--db', other.file])).items).toHaveLength(1)
  })

  it('accept a file: URL as --db', async () => {
    expect((await runInProcess(['signing-keys', 'list', '--db', `file:${site.file}`])).code).toBe(0)
    expect((await runInProcess(['signing-keys', 'list', '--db', `file://${site.file}`])).code).toBe(0)
  })

  it('do not create a SQLite file for a mistyped path', async () => {
    const file = join(site.folder, 'typo.sqlite')
    await expectRefused(['apps', 'list', '--db', file], 4, `The store is unavailable: there is no file ${file}.`)
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })

  it('exit with 4 if the database does not answer', async () => {
    const { code, stdout, stderr } = await runInProcess(['apps', 'list', '--db', 'postgres://me:hidden@127.0.0.1:1/x'])
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toMatch(/^express-platform-auth: The store is unavailable: connect ECONNREFUSED 127\.0\.0\.1:1\n/)
    expect(stderr).not.toContain('hidden')
  })

  it('are refused if the store would not outlive the command', async () => {
    vi.stubEnv('CLI_FILE', '')
    await expectRefused(
      ['apps', 'create', '--name', 'Gone', '--api', 'orders', ...config],
      1,
      'lost when this command ends',
    )
  })

  it('are refused if the secret is not the one of the store', async () => {
    vi.stubEnv('CLI_SECRET', 'another secret of 32 characters or more')
    await expectRefused(
      ['signing-keys', 'rotate', ...config],
      1,
      'secret is not the one that the store was written with',
    )
  })

  it('have no members of a polluted Object.prototype', async () => {
    const file = join(site.folder, 'own.mjs')
    await writeFile(file, `export default { apis: { orders: { scheme: 'oauth2' } }, tokens: {}, rateLimits: {} }`)
    const inherited = {
      store: { open() {} },
      features: [{ name: 'emails' }],
      credentials: { maxAge: 1 },
      credentialMaxAge: 1,
      clientAuthentication: ['private_key_jwt'],
      rotateEvery: 1,
      redis: { set() {} },
      router: 1,
      applications: 1,
    }
    const prototype = Object.prototype as unknown as Record<string, unknown>
    Object.assign(prototype, inherited)
    try {
      const { options, store } = await findTarget({ config: file }, {}, { name: 'doctor', requires: 'target' })
      const { features, credentials, apis, tokens, rateLimits } = options!
      const { clientAuthentication, credentialMaxAge } = apis['orders'] as Readonly<{
        clientAuthentication?: unknown
        credentialMaxAge?: unknown
      }>
      const read = [store, features, credentials, clientAuthentication, credentialMaxAge]
      expect([...read, tokens!.rotateEvery, rateLimits!.redis]).toEqual(Array.from({ length: 7 }))
    } finally {
      for (const name of Object.keys(inherited)) delete prototype[name]
    }
  })
})

describe('a call of a part of the store', () => {
  /** Options whose store has parts that do not answer, reject, or are not there. */
  async function writeBrokenStore(): Promise<string> {
    const file = join(site.folder, 'broken-store.mjs')
    await writeFile(
      file,
      `import options from ${JSON.stringify(CONFIG)}
       const hangs = () => new Promise(() => undefined)
       export default () => {
         const { signIns, ...store } = options().store
         const emails = { ...store.emails, list: hangs, find: async () => { throw new Error('read ECONNRESET') } }
         const usage = { ...store.usage, list: hangs, listReported: () => { throw new Error('no such table') } }
         return { ...options(), store: Object.freeze({ ...store, emails, usage: Object.freeze(usage) }) }
       }`,
    )
    return file
  }

  it('rejects after 10 seconds if it is not answered, and says so', async () => {
    const { store } = await findTarget({ config: await writeBrokenStore() }, {}, { name: 'x', requires: 'store' })
    vi.useFakeTimers()
    try {
      const calls = [
        store!.emails!.list({ applicationId: undefined, state: 'due', limit: 1 }),
        store!.usage!.list({ after: undefined, applicationId: 'a', api: 'a', from: '', to: '', limit: 1 }),
      ]
      const settled = Promise.allSettled(calls)
      let hasSettled = false
      void settled.then(() => (hasSettled = true))
      await vi.advanceTimersByTimeAsync(9500)
      expect(hasSettled).toBe(false)
      await vi.advanceTimersByTimeAsync(1000)
      const reason: unknown = expect.objectContaining({
        name: 'StoreUnavailableError',
        message: 'The store is unavailable: no answer within 10 seconds',
      })
      expect(await settled).toEqual(calls.map(() => ({ status: 'rejected', reason })))
    } finally {
      vi.useRealTimers()
    }
  })

  it('rejects with StoreUnavailableError, whatever the driver throws', async () => {
    const { store } = await findTarget({ config: await writeBrokenStore() }, {}, { name: 'x', requires: 'store' })
    const query = { after: undefined, applicationId: undefined, api: undefined, limit: 1 }
    await expect(store!.emails!.find('a')).rejects.toThrow(StoreUnavailableError)
    await expect(store!.usage!.listReported(query)).rejects.toThrow('The store is unavailable: no such table')
  })

  it('is not there if the store lacks the part, and is answered if it works', async () => {
    const { store } = await findTarget({ config: await writeBrokenStore() }, {}, { name: 'x', requires: 'store' })
    expect(store!.signIns).toBeUndefined()
    await store!.open()
    expect(await store!.imports!.countHashes?.()).toEqual({})
    await store!.close()
  })

  it('makes the command exit with 4, and names the part that a command needs', async () => {
    const file = await writeBrokenStore()
    await expectRefused(['report-only', '--config', file], 4, 'no such table')
    await expectRefused(
      ['portal', 'sign-out', 'dev@shop.example', '--config', file],
      1,
      'The store has no part for this command: signIns.',
    )
  })
})
