import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { developerConsole } from '../../../src/tools/console/index.js'
import { ConfigurationError, type ApisOptions } from '../../../src/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { openPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'
import { findRealDocument } from './real-documents.js'
import { DOCUMENTS } from './shop.js'

const { auth } = openPlatform({
  baseUrl: 'https://api.example.com/v1',
  apis: {
    orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } },
    catalog: { scheme: 'apiKey' },
    invoices: { scheme: 'oauth2' },
  },
})

const info = { title: 'Test', version: '1.0.0' }
const ok = { responses: { 200: { description: 'Fine.' } } }

/** A minimal document; `openapi` is 3.1.0 by default. */
function documentOf(parts: object = {}): object {
  return { openapi: '3.1.0', info, paths: { '/items': { get: ok } }, ...parts }
}

/** The document that the console serves. */
// oxlint-disable-next-line typescript/no-explicit-any -- JSON that the expectations below take apart
async function finished(api: 'orders' | 'catalog' | 'invoices', document: object | string): Promise<any> {
  const app = express().use('/developers', developerConsole(auth, { documents: { [api]: document } }))
  const { body } = await request(app)
    .get(`/developers/apis/${api}/openapi.json`)
    .expect(200)
    .expect('Content-Type', 'application/json; charset=utf-8')
    .expect('X-Content-Type-Options', 'nosniff')
  return body
}

/** The warnings of the process, which prints none until the test is over. */
function catchWarnings(): () => string[] {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => emitWarning.mockRestore())
  return () => emitWarning.mock.calls.map(([warning]) => String(warning))
}

function expectRefused(create: () => unknown, words: string | RegExp): void {
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(words)
}

async function problemsOf(document: Record<string, unknown>): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  return valid ? [] : errors
}

describe('the document that the console serves', () => {
  it.each([
    ['orders', DOCUMENTS.orders],
    ['catalog', DOCUMENTS.catalog],
    ['orders', documentOf()],
    ['catalog', documentOf({ openapi: '3.0.3' })],
    ['invoices', documentOf({ openapi: '3.0.0' })],
    ['invoices', documentOf({ openapi: '3.1.1' })],
    [
      'orders',
      documentOf({ openapi: '3.2.0', paths: { '/items': { query: ok, additionalOperations: { COPY: ok } } } }),
    ],
  ] as const)('is valid: %s %#', async (api, document) => {
    expect(await problemsOf(await finished(api, document))).toEqual([])
  })

  it('names the address of an oauth2 API and its token endpoint', async () => {
    const { servers, components } = await finished('orders', documentOf())
    expect(servers).toEqual([{ url: 'https://api.example.com/v1/orders' }])
    expect(components.securitySchemes).toEqual({
      oauth2: {
        type: 'oauth2',
        description: expect.stringContaining('client_id'),
        flows: {
          clientCredentials: {
            tokenUrl: 'https://api.example.com/v1/orders/token',
            scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' },
          },
        },
      },
    })
  })

  it('names the header of a key API', async () => {
    const { servers, security, components } = await finished('catalog', documentOf())
    expect(servers).toEqual([{ url: 'https://api.example.com/v1/catalog' }])
    expect(security).toEqual([{ apiKey: [] }])
    expect(components.securitySchemes.apiKey).toMatchObject({ type: 'apiKey', in: 'header', name: 'X-Api-Key' })
  })

  it('takes the scopes of an operation from its own security, whatever name that gives the scheme', async () => {
    const operation = (security: unknown): object => ({ ...ok, security })
    const paths = {
      '/one': {
        get: operation([{ anything: ['orders:read'] }]),
        put: operation([{ a: ['orders:read'], b: ['orders:write'] }]),
      },
      '/two': { get: operation([]), post: operation([{}, { bearer: [] }]), delete: ok },
    }
    const { security, paths: result } = await finished('orders', documentOf({ paths }))
    expect(security).toEqual([{ oauth2: ['orders:read', 'orders:write'] }])
    expect(result['/one'].get.security).toEqual([{ oauth2: ['orders:read'] }])
    expect(result['/one'].put.security).toEqual([{ oauth2: ['orders:read', 'orders:write'] }])
    expect(result['/two'].get.security).toEqual([])
    expect(result['/two'].post.security).toEqual([{}, { oauth2: [] }])
    expect(result['/two'].delete).not.toHaveProperty('security')
  })

  it('takes the scopes from the document’s security if an operation has none', async () => {
    const { security } = await finished('orders', documentOf({ security: [{ x: ['orders:read'] }] }))
    expect(security).toEqual([{ oauth2: ['orders:read'] }])
    expect((await finished('catalog', documentOf({ security: [{ x: ['read'] }] }))).security).toEqual([{ apiKey: [] }])
  })

  it('has no other servers or security schemes, and keeps everything else', async () => {
    const elsewhere = [{ url: 'https://elsewhere.example' }]
    const shared = { get: { ...ok, servers: elsewhere, security: [{ old: ['orders:read'] }] } }
    const document = documentOf({
      servers: elsewhere,
      paths: {
        '/items': { servers: elsewhere, get: { ...ok, servers: elsewhere } },
        '/shared': { $ref: '#/components/pathItems/shared' },
        '/own': { $ref: '#/x-shared' },
      },
      'x-shared': { ...shared, servers: elsewhere },
      webhooks: { changed: { post: { ...ok, security: [] } } },
      components: {
        schemas: { A: { type: 'string' } },
        pathItems: { shared },
        securitySchemes: { old: { type: 'http', scheme: 'basic' } },
      },
      'x-own': 1,
    })
    const result = await finished('orders', document)
    expect(await problemsOf(result)).toEqual([])
    expect(JSON.stringify(result)).not.toContain('elsewhere')
    expect(Object.keys(result.components.securitySchemes)).toEqual(['oauth2'])
    for (const { get } of [result.components.pathItems.shared, result['x-shared']])
      expect(get.security).toEqual([{ oauth2: ['orders:read'] }])
    expect(result).toMatchObject({ 'x-own': 1, webhooks: { changed: {} }, components: { schemas: { A: {} } } })
  })

  it.each([
    [memoryMailer(), 'came by e-mail when it was registered'],
    [undefined, 'came from the operator of this platform'],
  ])('says how the credentials were delivered: with mailer %o', async (mailer, words) => {
    const options = { baseUrl: 'https://api.example.com', apis: { catalog: { scheme: 'apiKey' } }, mailer } as const
    const made = openPlatform(options)
    const app = express().use('/d', developerConsole(made.auth, { documents: { catalog: documentOf() } }))
    const { text } = await request(app).get('/d/apis/catalog/openapi.json').expect(200)
    expect(text).toContain(words)
    const page = await request(app).get('/d/apis/catalog').expect(200)
    expect(page.text).toContain(`data-emails="${String(mailer !== undefined)}"`)
    expect(text + page.text).toMatch(mailer ? /e-mail/ : /^(?![^]*e-mail)/)
  })

  it.each<[string, string[], string | undefined]>([
    ['the API’s name', ['/orders', '/orders/items'], '/orders'],
    ['its whole path', ['/v1/orders/items'], '/v1/orders'],
    ['its name in one of two paths', ['/orders', '/items'], undefined],
    ['a longer word', ['/orders-archive'], undefined],
  ])('warns of paths that repeat the API’s prefix: %s', async (_what, paths, repeated) => {
    const readWarnings = catchWarnings()
    await finished('orders', documentOf({ paths: Object.fromEntries(paths.map((path) => [path, { get: ok }])) }))
    expect(readWarnings()).toEqual(
      repeated === undefined
        ? []
        : [
            `documents.orders begins every path with "${repeated}", so the console calls https://api.example.com/v1/orders${paths[0]}. Remove "${repeated}" if that is wrong: paths are relative to https://api.example.com/v1/orders.`,
          ],
    )
  })

  it('warns of a variable of a path that no parameter describes, and of no other', async () => {
    const readWarnings = catchWarnings()
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
    const paths = {
      '/a/{id}': { parameters: [id], get: ok },
      '/b/{id+}': { get: { ...ok, parameters: [id] } },
      '/c/{id}/{door}': { get: { ...ok, parameters: [id, { ...id, name: 'door', in: 'query' }] }, put: ok },
    }
    await finished('orders', documentOf({ paths }))
    expect(readWarnings()).toEqual([
      'documents.orders has the variable "door" in GET /c/{id}/{door}, and no parameter describes it. Add { name: "door", in: "path", required: true } to its "parameters". (There are 3 such places.)',
    ])
  })

  it.each<[string, object, RegExp]>([
    [
      'of all paths',
      { servers: [{ url: 'https://old.example/{v}', variables: { v: { default: 'v2' } } }] },
      /documents\.orders has "servers" with the path "\/v2", and the address of the API has not: the console calls https:\/\/api\.example\.com\/v1\/orders\/items\. Write "\/v2\/items" instead of "\/items", if/,
    ],
    [
      'of an operation',
      { paths: { '/items': { get: { ...ok, servers: [{ url: '/uploads' }] } } } },
      /has "servers" of GET \/items with the path "\/uploads"[^(]*$/,
    ],
    [
      'of two paths, in one sentence',
      { paths: { '/a': { servers: [{ url: '/x' }], get: ok }, '/b': { servers: [{ url: '/y' }], get: ok } } },
      /has "servers" of \/a with the path "\/x".* \(There are 2 such places\.\)$/,
    ],
  ])('is served with a warning if it has servers with a path that calls lose: %s', async (_what, parts, words) => {
    const readWarnings = catchWarnings()
    const { servers } = await finished('orders', documentOf(parts))
    expect(servers).toEqual([{ url: 'https://api.example.com/v1/orders' }])
    expect(readWarnings()).toEqual([expect.stringMatching(words)])
  })

  it('does not change the provider’s object', async () => {
    const document = documentOf({ security: [{ x: ['orders:read'] }], servers: [{ url: '/' }] })
    const before = structuredClone(document)
    deepFreeze(document)
    await finished('orders', document)
    expect(document).toEqual(before)
  })
})

describe('start-up rejects a wrong document with its name and the fix:', () => {
  const cyclic: Record<string, unknown> = { ...documentOf() }
  cyclic['self'] = cyclic
  const secured = (security: unknown): object => documentOf({ paths: { '/items': { get: { ...ok, security } } } })
  const refering = ($ref: string): object =>
    documentOf({
      components: { schemas: { 'a/b%': {}, A: { properties: { b: { $ref }, c: { example: { $ref: 'x' } } } } } },
    })

  it.each([
    ['that are no part of its path', [{ url: 'https://old.example' }, { url: 'https://old.example/v9' }]],
    ['that the address of the API ends with', [{ url: 'https://old.example/orders/' }]],
    ['that the address of the API begins with', [{ url: 'https://old.example/v1' }]],
    ['that cannot be read', [{ url: 'http://[' }, 7]],
  ])('is not refused for servers %s', async (_, servers) => {
    expect((await finished('orders', documentOf({ servers }))).servers).toEqual([
      { url: 'https://api.example.com/v1/orders' },
    ])
  })

  it('is not refused without paths, if it describes something else', async () => {
    const webhooks = { sold: { post: ok } }
    expect((await finished('orders', documentOf({ paths: undefined, webhooks }))).webhooks).toEqual(webhooks)
  })

  it.each<[string, unknown, RegExp]>([
    ['no OpenAPI', {}, /documents\.orders\.openapi is missing\. .*3\.0, 3\.1 and 3\.2/],
    ['Swagger 2.0', { swagger: '2.0', info, paths: {} }, /documents\.orders\.swagger is "2\.0"/],
    ['a version of tomorrow', documentOf({ openapi: '3.3.0' }), /documents\.orders\.openapi is "3\.3\.0"/],
    [
      'a number for it',
      documentOf({ openapi: 3.1 }),
      /documents\.orders\.openapi is 3\.1, a number.*"openapi": "3\.1\.0"/,
    ],
    ['no info', documentOf({ info: undefined }), /documents\.orders\.info is missing\. Write "info": \{/],
    ['no version', documentOf({ info: { title: 'x' } }), /documents\.orders\.info is \{"title":"x"\}/],
    ['no paths', documentOf({ paths: [] }), /documents\.orders\.paths is \[\]\. Describe at least one path/],
    [
      'a path without its slash',
      documentOf({ paths: { items: {} } }),
      /documents\.orders\.paths\["items"\] does not begin with a slash\. Write "\/items"/,
    ],
    [
      'a scope that is not the API’s',
      secured([{ x: ['orders:reed'] }]),
      /GET \/items with the scope "orders:reed", which apis\.orders\.scopes does not have\. There are: orders:read, orders:write/,
    ],
    ['such a scope for all', documentOf({ security: [{ x: ['admin'] }] }), /the document with the scope "admin"/],
    [
      'a requirement that is no object',
      secured(['oauth2']),
      /a "security" of GET \/items that is \["oauth2"\]\. Write a list/,
    ],
    [
      'two mistakes',
      documentOf({ paths: { '/items': { get: { ...ok, security: 7 }, put: { ...ok, security: 8 } } } }),
      /documents\.orders has 2 mistakes\. \(1\) It has a "security" of GET \/items that is 7\.[^]*\n\(2\) It has a "security" of PUT \/items that is 8/,
    ],
    [
      'several scopes that are not the API’s, to paste',
      documentOf({
        paths: { '/items': { get: { ...ok, security: [{ x: ['a:read', 'b'] }] } } },
        components: {
          securitySchemes: { x: { type: 'oauth2', flows: { implicit: { scopes: { 'a:read': 'Read "a"' } } } } },
        },
      }),
      /with 2 scopes that apis\.orders\.scopes does not have \(the first is "a:read", of GET \/items\)\. [^]* add to apis\.orders\.scopes:\n {2}"a:read": "Read \\"a\\"",\n {2}"b": "b",$/,
    ],
    ['none, in OpenAPI 3.0', documentOf({ openapi: '3.0.3', paths: undefined }), /documents\.orders\.paths is missing/],
    ['security that is no list', secured({ x: [] }), /a "security" of GET \/items that is \{"x":\[\]\}\. Write a list/],
    [
      'another file',
      refering('schemas.json#/A'),
      /refers to "schemas\.json#\/A", another document\. Make it one document/,
    ],
    [
      'what is not in it',
      refering('#/components/schemas/B'),
      /refers to "#\/components\/schemas\/B", which is not in it/,
    ],
    ['itself', cyclic, /documents\.orders cannot be written as JSON/],
    ['a function', () => ({}), /documents\.orders cannot be written as JSON/],
    ['a list', [], /documents\.orders\.openapi is missing/],
    ['null', null, /documents\.orders\.openapi is missing/],
  ])('%s', (_what, document, words) => {
    expectRefused(() => developerConsole(auth, { documents: { orders: document as object } }), words)
  })

  it('the lines of the message about missing scopes can be pasted into the options, and Spotify’s document loads', async () => {
    const given = findRealDocument('spotify').read() as Record<string, unknown>
    const start = (config: string, document: object) => {
      // oxlint-disable-next-line no-implied-eval -- The options are run as their author would paste them.
      const apis = new Function(`return { music: { scheme: 'oauth2', scopes: {${config}} } }`)() as ApisOptions
      const { auth: started } = openPlatform({ apis })
      return developerConsole(started, { documents: { music: document } })
    }
    let message = ''
    try {
      start('', given)
    } catch (error) {
      ;({ message } = error as Error)
    }
    const lines = message.split('\n').filter((line) => line.startsWith('  "'))
    expect(message).toMatch(/a "security" with 17 scopes [^]* add to apis\.music\.scopes:\n {2}"/)
    expect(lines).toHaveLength(17)
    expect(lines).toContain('  "user-library-read": "Access your saved content.",')
    const app = express().use('/developers', start(lines.join('\n'), given))
    await request(app).get('/developers/apis/music').expect(200)
    const { text } = await request(app).get('/developers/').expect(200)
    expect(text).toContain('<code class="chip">user-library-read</code> <span>Access your saved content.</span>')
  })

  it('a file that is missing, is not JSON, or is a folder', async () => {
    const folder = await createTemporaryFolder()
    const file = join(folder, 'orders.txt')
    await writeFile(file, 'openapi: 3.1.0\n')
    const give = (orders: string) => () => developerConsole(auth, { documents: { orders } })
    expect(give(file)).toThrow(/documents\.orders names .*orders\.txt, which is not JSON .* ends with \.yaml or \.yml/)
    expect(give(join(folder, 'missing.json'))).toThrow(/missing\.json, which cannot be read \(ENOENT\)/)
    expect(give('missing.json')).toThrow(join(process.cwd(), 'missing.json'))
    expect(give(folder)).toThrow(/cannot be read \(EISDIR\)/)
  })

  it.each<[string, unknown, RegExp]>([
    [
      'an API that is not there',
      { documents: { ordres: {} } },
      /documents\.ordres names no API\. There are: orders, catalog, invoices/,
    ],
    ['documents that are none', { documents: 'openapi.json' }, /documents is "openapi\.json"\. Write \{ orders:/],
    ['an option that is not there', { docs: {} }, /docs is not an option\. There are: documents, title, registration/],
    ['a title that is no text', { title: 1 }, /title is not a string/],
  ])('%s', (_what, options, words) => {
    expectRefused(() => developerConsole(auth, options as object), words)
  })

  it.each([{}, undefined, null, express(), Promise.resolve(auth)])('something else than a platform: %o', (other) => {
    expectRefused(() => developerConsole(other as never), 'developerConsole(auth)')
  })

  it('accepts vendor extensions, empty requirements and data that looks like a reference', async () => {
    await finished('orders', refering('#/components/schemas/a~1b%25'))
    await finished('orders', refering('#'))
    expect(() => developerConsole(auth, { documents: { orders: refering('#anchor') } })).toThrow(
      /"#anchor", which is not in it/,
    )
    await finished('orders', documentOf({ paths: { 'x-notes': 1, '/': { get: ok } } }))
    const none = developerConsole(auth, { documents: { orders: undefined } })
    await request(express().use('/d', none)).get('/d/apis/orders').expect(404)
  })
})

function deepFreeze(value: object): void {
  Object.freeze(value)
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part as object)
}
