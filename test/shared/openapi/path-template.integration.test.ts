import type { IncomingMessage, ServerResponse } from 'node:http'
import express5 from 'express'
import express416 from 'express4-16'
import express4 from 'express4'
import { afterAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../abuse/random.js'
import { openPlatform } from '../../support/platform.js'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'

/** Every operation has a security of its own, so that a wrong one is noticed: it names the operation's path as its scope. */
const PATHS = [
  '/caf%C3%A9',
  '/status',
  '/Mixed',
  '/items',
  '/items/search',
  '/items/{id}:cancel',
  '/items/{id}',
  '/items/{id}/parts',
  '/{name}.json',
  '/{name}',
  '/last/',
  '/a-b/{c}-{d}',
  '/a-b/{c}',
] as const
const PIECES = (
  '/ / / items ITEMS search status mixed Mixed parts last a-b a - :cancel .json . .. %2e %2F %5C \\ % ' +
  '%zz %00 %69tems s%74atus st%61tus %25 caf%C3%A9 caf%c3%a9 é ; + ? # {id} @ //'
).split(' ')

const scopes = Object.fromEntries(PATHS.map((_path, at) => [`s${at}`, '']))
const { auth } = openPlatform({ apis: { orders: { scheme: 'oauth2', scopes } } })
afterAll(() => auth.close())
const guard = guardsFromDocument(auth, 'orders', {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  paths: Object.fromEntries(PATHS.map((path, at) => [path, { get: { security: [{ oauth2: [`s${at}`] }] } }])),
})

/** What the guard requires for a path: the document's path whose scope the challenge names; undefined if it refuses with 404. */
function readGuarded(url: string): string | undefined {
  const headers: Record<string, string> = {}
  let status = 0
  const res = {
    setHeader: (name: string, value: string) => void (headers[name] = value),
    set statusCode(code: number) {
      status = code
    },
    end: () => undefined,
  }
  guard(
    { method: 'GET', url, headers: {}, rawHeaders: [] } as never as IncomingMessage,
    res as never as ServerResponse,
    () => {
      throw new Error(`${url} was open.`)
    },
  )
  if (status === 404) return undefined
  expect(status).toBe(401)
  return PATHS[Number(/scope="s(\d+)"/.exec(headers['WWW-Authenticate'] ?? '')?.[1])]
}

describe.each([
  ['Express 4.16', express416],
  ['Express 4', express4 as unknown as typeof express5],
  ['Express 5', express5],
] as const)('%s', (name, express) => {
  // A host may compare case and last slash or not, and may decode the path first.
  const routers = [false, true].flatMap((caseSensitive) =>
    [false, true].flatMap((strict) => [false, true].map((decodes) => ({ caseSensitive, strict, decodes }))),
  )

  it.each(routers)('reaches no route but that of the operation whose scopes the guard requires: %o', (options) => {
    const router = express.Router(options)
    let reached: string | undefined
    for (const path of PATHS) router.get(toRoute(path, name), () => void (reached = path))
    // A route that the document does not have.
    router.get(name === 'Express 5' ? '/*rest' : '/*', () => void (reached = 'undocumented'))
    const random = createRandom(1)
    let allowed = 0
    for (let round = 0; round < 400; round++) {
      const url = `/${Array.from({ length: 1 + random.below(5) }, () => PIECES[random.below(PIECES.length)]).join('')}`
      const guarded = readGuarded(url)
      if (guarded === undefined) continue
      allowed++
      reached = undefined
      const [path = '', query = ''] = url.split(/(?=\?)/, 2)
      // The app's own route would not match either, if the app decodes paths.
      if (options.decodes && guarded.includes('%')) continue
      const target = options.decodes ? decodeURI(path) + query : url
      router({ method: 'GET', url: target, headers: {} } as never, {} as never, () => undefined)
      // Express answers 400 for what it cannot decode a second time.
      if (options.decodes && reached === undefined) continue
      expect(reached, `${target} with the scopes of ${guarded}`).toBe(guarded)
    }
    expect(allowed).toBeGreaterThan(20)
  })
})

/** The route that a developer writes for a path of the document. */
function toRoute(path: string, version: string): string | RegExp {
  if (path.includes(':')) return new RegExp(`^${path.replace('{id}', '[^/]+?')}$`)
  const escaped = version === 'Express 5' ? path.replaceAll('.', '\\.') : path
  return escaped.replaceAll(/\{(\w+)\}/g, ':$1')
}
