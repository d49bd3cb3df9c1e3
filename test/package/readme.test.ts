import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tsc } from '../support/tsc.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What snippets leave to the reader's app, and what it is there. */
const READERS: Readonly<Record<string, string>> = {
  accessToken: 'declare const accessToken: string',
  app: "import type { Express } from 'express'\ndeclare const app: Express",
  auth: 'declare const auth: ReturnType<typeof createPlatformAuth<typeof options.apis>>',
  catalogDocument: 'declare const catalogDocument: object',
  cors: "declare const cors: (options: object) => import('express').RequestHandler",
  database: 'declare const database: Exclude<Parameters<typeof sqliteStore>[0], string>',
  express: "import type express from 'express'",
  key: 'declare const key: string',
  kid: 'declare const kid: string',
  listCatalog: 'declare const listCatalog: (req: unknown, res: unknown) => void',
  listOrders: 'declare const listOrders: (req: unknown, res: unknown) => void',
  log: 'declare const log: { info(details: object, message: string): void }',
  pinoHttp: "declare const pinoHttp: (options: object) => import('express').RequestHandler",
  pool: "import pg from 'pg'\ndeclare const pool: pg.Pool",
  randomUUID: "import { randomUUID } from 'node:crypto'",
  req: 'declare const req: object',
  request: "import request from 'supertest'",
}
const OURS = ['authOf', 'createPlatformAuth', 'memoryStore']
const OPTIONS = `const options = {
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } }, catalog: { scheme: 'apiKey' } },
} as const`

it('every snippet of the README compiles in an app that has what it leaves to the reader', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const snippets = [...readme.matchAll(/^```(?:js|ts)\n([\s\S]*?)^```/gm)].map((found) => ({
    code: found[1]!,
    line: readme.slice(0, found.index).split('\n').length + 1,
  }))
  expect(snippets.length).toBeGreaterThan(15)

  const folder = await mkdtemp(join(root, 'test/package/readme-'))
  try {
    const files = snippets.map(({ code, line }) => ({ name: `line-${line}.mts`, code: completed(code) }))
    for (const { name, code } of files) await writeFile(join(folder, name), code)
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../../tsconfig.json',
        compilerOptions: { noUnusedLocals: false, noUnusedParameters: false, verbatimModuleSyntax: false },
        files: files.map(({ name }) => name),
      }),
    )
    expect(await tsc(['--project', folder])).toEqual([])
  } finally {
    await rm(folder, { recursive: true })
  }
}, 60_000)

it('the README links to headings that are there, and leaves no figure open', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-')
  const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading))
  const links = [...readme.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor)
  expect(links.length).toBeGreaterThan(10)
  expect(links.filter((anchor) => !headings.includes(anchor))).toEqual([])
  expect(readme).not.toMatch(/[A-Z]+-FIGURES/)
})

/** A snippet, and ahead of it what it uses and does not say. */
function completed(code: string): string {
  const uses = (name: string): boolean => new RegExp(`(?<![.'"\\w-])${name}\\b(?!['":])`).test(code)
  const says = (name: string): boolean =>
    new RegExp(`(?:const|let|function) ${name}\\b|import [^\\n]*\\b${name}\\b[^\\n]* from`).test(code)
  const wanted = Object.keys(READERS).filter((name) => uses(name) && !says(name))
  const ours = OURS.filter((name) => (uses(name) || wanted.includes('auth')) && !says(name))
  const ahead = [
    `import { ${ours.join(', ')} } from 'express-platform-auth'`,
    OPTIONS,
    ...wanted.map((name) => READERS[name]!),
  ]
  return `${ahead.join('\n')}\n${code}`
}
