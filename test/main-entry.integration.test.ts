import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const FOLDER = fileURLToPath(new URL('..', import.meta.url))

/** Of "a secret of another system". */
const BCRYPT = '$2y$04$lvmH3lwLlHxRGf/nEb5jTOCQWN/1jBrybl8yogckc51Yt2yA0Bb6G'

/** The modules of src that a file of the build loads, by the comments with which esbuild names them. */
function listModules(file: string): readonly string[] {
  const files = new Set([join(FOLDER, 'dist/esm', file)])
  const modules: string[] = []
  for (const path of files) {
    const code = readFileSync(path, 'utf8')
    for (const [, module] of code.matchAll(/^\/\/ modules\/(\S+)$/gm)) modules.push(module!)
    for (const [, target] of code.matchAll(/^(?:import|export|\}).*["'](\.[^"']+)["'];$/gm))
      files.add(join(dirname(path), target!))
  }
  return modules
}

describe('the main entry of the build', () => {
  it('loads nothing that belongs to features, pages, tools or databases', () => {
    const modules = listModules('index.js')
    expect(modules).toContain('core/platform/platform-auth.js')
    const elsewhere = /^(?:features|tools|shared\/(?!contracts\/|lib\/)|stores\/(?!memory\/|sql\/feed\.js))/
    expect(modules.filter((module) => elsewhere.test(module))).toEqual([])
  })

  it('loads neither what auth.applications and auth.audit do nor the top-level domains of names, which few processes need', () => {
    const modules = listModules('index.js')
    expect(modules).toContain('core/applications/late-calls.js')
    const late = ['core/applications/application-calls.js', 'core/applications/records/audit-log.js']
    expect(modules.filter((module) => [...late, 'shared/lib/followable.js'].includes(module))).toEqual([])
  })

  it.each([
    ['without features', ''],
    ['with features', `require('express-platform-auth/usage').usage()`],
  ])('does not start a platform %s where what auth.applications does cannot be loaded', async (_, features) => {
    const chunk = readdirSync(join(FOLDER, 'dist/cjs/chunks')).find((name) =>
      readFileSync(join(FOLDER, 'dist/cjs/chunks', name), 'utf8').includes('function createApplicationCalls('),
    )!
    const code = `
      const Module = require('node:module')
      const load = Module._load
      Module._load = (request, ...others) => {
        if (request.includes('${chunk}')) throw Object.assign(new Error('gone'), { code: 'MODULE_NOT_FOUND' })
        return load(request, ...others)
      }
      const { createPlatformAuth } = require('express-platform-auth')
      const logger = { debug() {}, info() {}, warn() {}, error() {} }
      const auth = createPlatformAuth({
        baseUrl: 'http://localhost:3000', apis: { orders: { scheme: 'oauth2' } }, logger, features: [${features}],
      })
      auth.ready()
        .then(() => 'started', (error) => error.code)
        .then((outcome) => console.log(outcome))
        .then(() => auth.close())`
    const { stdout } = await run(process.execPath, ['--eval', code], {
      cwd: FOLDER,
      env: { ...process.env, NODE_ENV: 'test' },
    })
    expect(stdout.trim()).toBe('invalid_configuration')
  })

  // Node keeps an ES module that it could not read as failed: nobody could be suspended until the process ends.
  it.each([
    ['has started', 'after', 'ready, made, suspended'],
    ['starts, which it then does not', 'before', 'invalid_configuration'],
  ])('needs no file descriptor for auth.applications once the platform %s', async (_, when, expected) => {
    const code = `
      import { closeSync, openSync } from 'node:fs'
      import { createPlatformAuth } from 'express-platform-auth'
      const logger = { debug() {}, info() {}, warn() {}, error() {} }
      const auth = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis: { orders: { scheme: 'oauth2' } }, logger })
      const open = []
      const takeAll = () => { try { for (;;) open.push(openSync('/dev/null')) } catch {} }
      const freeAll = () => { for (const file of open.splice(0)) closeSync(file) }
      async function run() {
        if ('${when}' === 'before') {
          takeAll()
          const outcome = await auth.ready().then(() => 'ready', (error) => error.code)
          freeAll()
          return outcome
        }
        await auth.ready()
        takeAll()
        const { application } = await auth.applications.create({ name: 'Shop', apis: ['orders'] })
        const { status } = await auth.applications.suspend(application.id)
        freeAll()
        return 'ready, made, ' + status
      }
      console.log(await run())
      await auth.close()`
    const script = `ulimit -n 128; exec "$0" --input-type=module --eval "$1"`
    const { stdout } = await run('sh', ['-c', script, process.execPath, code], {
      cwd: FOLDER,
      env: { ...process.env, NODE_ENV: 'test' },
    })
    expect(stdout.trim()).toBe(expected)
  })

  it.each([
    ['import', '--input-type=module'],
    ['require', '--input-type=commonjs'],
  ])('answers every kind of request and call with %s while no file descriptor is free', async (load, type) => {
    const code = `
      const load = (name) => ${load === 'import' ? 'import(name)' : 'Promise.resolve(require(name))'}
      async function run() {
        const { closeSync, openSync } = await load('node:fs')
        const { Agent, request } = await load('node:http')
        const { generateKeyPairSync, randomUUID, sign } = await load('node:crypto')
        const { createPlatformAuth, memoryStore } = await load('express-platform-auth')
        const store = memoryStore()
        // Another process has imported it.
        const { imports: part } = store
        store.imports = { ...part, add: (...args) => part.add(...JSON.parse(JSON.stringify(args).replace(/sha256:[\\w-]+/, 'bcrypt:${BCRYPT}'))) }
        const { imports } = await load('express-platform-auth/imports')
        const { default: express = await load('express') } = await load('express')
        const logger = { debug() {}, info() {}, warn() {}, error() {} }
        const auth = createPlatformAuth({
          baseUrl: 'http://localhost:3000',
          apis: {
            orders: { scheme: 'oauth2', clientAuthentication: ['client_secret_post', 'private_key_jwt'] },
            catalog: { scheme: 'apiKey' },
          },
          store,
          logger,
          features: [imports()],
        })
        const app = express().use(auth.router).get('/catalog', auth.requireApiKey('catalog'), (req, res) => res.json({}))
        const server = app.get('/', (req, res) => res.json({})).listen(0, '127.0.0.1')
        await auth.ready()
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        const send = (path, headers = {}, form) =>
          new Promise((resolve, reject) => {
            const method = form ? 'POST' : 'GET'
            const type = form && { 'Content-Type': 'application/x-www-form-urlencoded' }
            const { port } = server.address()
            request({ agent, port, host: '127.0.0.1', path, method, headers: { ...type, ...headers } }, (res) =>
              res.resume().on('end', () => resolve(res.statusCode)),
            ).on('error', reject).end(form && new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString())
          })
        await send('/')
        const { credentials } = await auth.applications.create({ name: 'Keys', apis: ['catalog'] })
        const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
        const jwks = { keys: [publicKey.export({ format: 'jwk' })] }
        const old = [{ name: 'Old', apis: ['orders'], clientId: 'old', secrets: [{ sha256: 'a'.repeat(64) }] }]
        await auth.imports.run(old, { confirm: true })
        const useSecret = () => send('/orders/token', {}, { client_id: 'old', client_secret: 'a secret of another system' })
        const open = []
        const takeAll = () => { try { for (;;) open.push(openSync('/dev/null')) } catch {} }
        const freeAll = () => { for (const file of open.splice(0)) closeSync(file) }
        takeAll()
        const apiKey = await send('/catalog', { 'x-api-key': credentials.clientId })
        const made = await auth.applications.create({ name: 'Shop', apis: ['orders'], keySet: { jwks } })
        const { items } = await auth.audit.list({})
        const now = Math.floor(Date.now() / 1000)
        const { id } = made.application
        const audience = 'http://localhost:3000/orders'
        const claims = { iss: id, sub: id, aud: audience, jti: randomUUID(), iat: now, exp: now + 60 }
        const signed = [{ alg: 'ES256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
        const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
        const assertion = await send('/orders/token', {}, {
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: signed + '.' + signature.toString('base64url'),
        })
        const secret = await useSecret()
        freeAll()
        const secretLater = await useSecret()
        console.log(JSON.stringify({ apiKey, audited: items.length > 0, assertion, secret, secretLater }))
        agent.destroy()
        server.close()
        await auth.close()
      }
      run()`
    const script = `ulimit -n 128; exec "$0" ${type} --eval "$1"`
    const { stdout } = await run('sh', ['-c', script, process.execPath, code], {
      cwd: FOLDER,
      env: { ...process.env, NODE_ENV: 'test' },
    })
    expect(JSON.parse(stdout)).toEqual({
      apiKey: 200,
      audited: true,
      assertion: 200,
      secret: 503,
      secretLater: 200,
    })
  })

  it.each(['emails', 'imports', 'portal', 'registration', 'usage'])(
    'is all that %s() adds, apart from its own files and those of pages and samples',
    (name) => {
      const others = new RegExp(`^(?:features/(?!${name}/)|tools/|shared/openapi/|stores/(?:sqlite|postgres)/)`)
      const modules = listModules(`features/${name}/index.js`)
      expect(modules).toContain(`features/${name}/index.js`)
      expect(modules.filter((module) => others.test(module))).toEqual([])
    },
  )

  it('takes at most 2.25 MB of the heap', async () => {
    const measure = async (): Promise<number> => {
      const code = `
        const collect = () => { for (let i = 0; i < 4; i++) globalThis.gc() }
        collect()
        const before = process.memoryUsage().heapUsed
        require('express-platform-auth')
        collect()
        console.log(process.memoryUsage().heapUsed - before)`
      const { stdout } = await run(process.execPath, ['--expose-gc', '--eval', code], { cwd: FOLDER })
      return Number(stdout)
    }
    // The smallest of three: the collector does not always take everything.
    expect(Math.min(await measure(), await measure(), await measure())).toBeLessThan(2_250_000)
  })

  it.each([
    ['oauth2', false],
    ['apiKey', true],
  ])(
    'of a platform with the scheme %s: passport-headerapikey, which brings lodash, is loaded: %s',
    async (scheme, isLoaded) => {
      const code = `
      const { createPlatformAuth } = require('express-platform-auth')
      const auth = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis: { orders: { scheme: '${scheme}' } } })
      auth.ready().then(() => {
        console.log(Object.keys(require.cache).some((path) => path.includes('passport-headerapikey')))
        return auth.close()
      })`
      const { stdout } = await run(process.execPath, ['--eval', code], {
        cwd: FOLDER,
        env: { ...process.env, NODE_ENV: 'test' },
      })
      expect(stdout.trim()).toBe(String(isLoaded))
    },
  )
})
