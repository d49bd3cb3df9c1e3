import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tsc } from '../support/tsc.js'
import { blocksOf, documentationPages, ROOT, type Block } from './pages.js'

const blocks = documentationPages().flatMap(blocksOf)
/** In a comment above a block: the file that it repeats. */
const FILE = 'file: '
/** In a comment above a block that needs packages which are not here: the test that covers it, and names the page. */
const TESTED_BY = 'tested by: '
/** In a comment above a block that was run by hand, in an app of a framework that is not installed here. */
const TRIED_WITH = 'tried with: '

/** What snippets leave to the reader's app, and what it is there. */
const READERS: Readonly<Record<string, string>> = {
  accessToken: 'declare const accessToken: string',
  app: "import type { Express } from 'express'\ndeclare const app: Express",
  application: 'declare const application: { id: string }',
  auth: `declare const auth: import('express-platform-auth').PlatformAuth<typeof options.apis, any, readonly [
    import('express-platform-auth/emails').EmailsFeature, import('express-platform-auth/registration').RegistrationFeature,
    import('express-platform-auth/portal').PortalFeature, import('express-platform-auth/usage').UsageFeature,
    import('express-platform-auth/imports').ImportsFeature]>`,
  catalogDocument: 'declare const catalogDocument: object',
  cors: "declare const cors: (options: object) => import('express').RequestHandler",
  database: 'declare const database: Exclude<Parameters<typeof sqliteStore>[0], string>',
  emails: "import { emails } from 'express-platform-auth/emails'",
  express: "import express from 'express'",
  findOwner: 'declare const findOwner: (orderId: string) => Promise<string | undefined>',
  handleBilling: "declare const handleBilling: import('express').RequestHandler",
  handleStock: "declare const handleStock: import('express').RequestHandler",
  key: 'declare const key: string',
  myStore: "declare const myStore: (database: unknown) => import('express-platform-auth').Store",
  mailer: "declare const mailer: import('express-platform-auth/emails').Mailer",
  openEmptyDatabase: 'declare const openEmptyDatabase: () => Promise<unknown>',
  kid: 'declare const kid: string',
  leaked: 'declare const leaked: string',
  listCatalog: 'declare const listCatalog: (req: unknown, res: unknown) => void',
  listOrders: 'declare const listOrders: (req: unknown, res: unknown) => void',
  log: 'declare const log: { info(details: object, message: string): void }',
  pool: "import pg from 'pg'\ndeclare const pool: pg.Pool",
  portal: "import { portal } from 'express-platform-auth/portal'",
  postgresStore: "import { postgresStore } from 'express-platform-auth/stores/postgres'",
  readVerifiedEmail: 'declare const readVerifiedEmail: (req: object) => Promise<string>',
  req: 'declare const req: object',
  registration: "import { registration } from 'express-platform-auth/registration'",
  request: "import request from 'supertest'",
  requireStaff: "declare const requireStaff: import('express').RequestHandler",
  usage: "import { usage } from 'express-platform-auth/usage'",
  vault:
    'declare const vault: { publicKey(kid: string): Promise<object>; sign(kid: string, bytes: Uint8Array): Promise<Uint8Array> }',
  sqliteStore: "import { sqliteStore } from 'express-platform-auth/stores/sqlite'",
}
const OURS = ['authOf', 'createPlatformAuth', 'maybeAuthOf', 'memoryStore', 'OAuthError']
const OPTIONS = `const options = {
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' } }, catalog: { scheme: 'apiKey' } },
} as const`
/** Pages whose APIs have other names. */
const OTHER_APIS = /^docs\/(?:existing-apps|recipes\/[\w-]+)\.md$/
const OTHER_OPTIONS = `const options = {
  baseUrl: 'https://api.example.com',
  apis: {} as Readonly<Record<string, import('express-platform-auth').ApiOptions>>,
}`

it('every snippet compiles in an app that has what it leaves to the reader', async () => {
  // Recipes are run, each in its own folder.
  const isElsewhere = (marker = ''): boolean =>
    [TESTED_BY, TRIED_WITH, `${FILE}test/recipes/`].some((start) => marker.startsWith(start))
  const snippets = blocks.filter(({ language, marker }) => ['js', 'ts'].includes(language) && !isElsewhere(marker))
  expect(snippets.length).toBeGreaterThan(15)

  const folder = await mkdtemp(join(ROOT, 'test/docs/snippets-'))
  try {
    const files = snippets.map((snippet) => ({ name: fileName(snippet), code: completed(snippet) }))
    for (const { name, code } of files) await writeFile(join(folder, name), code)
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../../tsconfig.json',
        // Without `paths`, the package's name is its built declarations, as in a reader's app.
        compilerOptions: { paths: {}, noUnusedLocals: false, noUnusedParameters: false, verbatimModuleSyntax: false },
        files: [...files.map(({ name }) => name), '../../support/untyped.d.ts'],
        // Otherwise all of src and test, which the extended file includes.
        include: [],
      }),
    )
    expect(await tsc(['--project', folder])).toEqual([])
  } finally {
    await rm(folder, { recursive: true })
  }
}, 120_000)

describe.each(markedBlocks(FILE))('the block of %s at line %i', (_page, _line, path, { code }) => {
  it(`is ${path}`, async () => {
    expect(code).toBe(await readFile(join(ROOT, path), 'utf8'))
  })
})

describe.each(markedBlocks(TESTED_BY))('the block of %s at line %i', (page, _line, path) => {
  it(`is tested by ${path}`, async () => {
    expect(await readFile(join(ROOT, path), 'utf8')).toContain(page)
  })
})

it('the server of README.md is a file', () => {
  expect(
    blocks.filter(({ page, marker }) => page === 'README.md' && marker === 'file: example-app/minimal.js'),
  ).toHaveLength(1)
})

it.each(blocks.filter(({ language }) => language === 'json').map((block) => [fileName(block), block.code]))(
  'is JSON: %s',
  (_, code) => {
    expect(() => JSON.parse(code) as unknown).not.toThrow()
  },
)

function markedBlocks(marker: string): readonly (readonly [page: string, line: number, path: string, block: Block])[] {
  return blocks
    .filter((block) => block.marker?.startsWith(marker))
    .map((block) => [block.page, block.line, block.marker!.slice(marker.length), block])
}

/** Names page and line, which is what the compiler's messages then say. */
function fileName({ page, line }: Block): string {
  return `${basename(page, '.md')}-line-${line}.mts`
}

/** A snippet, and ahead of it what it uses and does not declare. */
function completed({ page, code }: Block): string {
  const uses = (name: string): boolean => new RegExp(`(?<![.'"\\w/-])${name}\\b(?!['":])`).test(code)
  const declares = (name: string): boolean =>
    new RegExp(
      `(?:const|let|function) ${name}\\b|(?:const|let) [{[][^=;)]*\\b${name}\\b|import [^\\n]*\\b${name}\\b[^\\n]* from`,
    ).test(code)
  const ahead: string[] = Object.keys(READERS).filter((name) => uses(name) && !declares(name))
  // A reader's declaration may use another one.
  if (ahead.includes('database') && !declares('sqliteStore') && !ahead.includes('sqliteStore'))
    ahead.push('sqliteStore')
  const ours = OURS.filter(
    (name) => (uses(name) || (name === 'createPlatformAuth' && ahead.includes('auth'))) && !declares(name),
  )
  return [
    `import { ${ours.join(', ')} } from 'express-platform-auth'`,
    ...(declares('options') ? [] : [OTHER_APIS.test(page) ? OTHER_OPTIONS : OPTIONS]),
    ...ahead.map((name) => READERS[name]!),
    code,
  ].join('\n')
}
