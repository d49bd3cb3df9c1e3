import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parseSourceFile, type SourceFile } from './support/source-files.js'

const root = new URL('../', import.meta.url)

/** Start a process, need one, or need the build. They are for files named `*.integration.test.ts` or `*.long.test.ts`. */
const NOT_IN_UNIT_TESTS = [
  'node:child_process',
  'node:cluster',
  'esbuild',
  'express-platform-auth',
  'jsdom',
  'pg',
  'playwright-core',
]
const BUILD = new RegExp(String.raw`\.\./${'dist'}/`)

const unitTests = readdirSync(fileURLToPath(new URL('test/', root)), { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts') && !/\.(?:integration|long)\.test\.ts$/.test(path))
  // Of the packages that `npm run bench` installs.
  .filter((path) => !path.includes('/node_modules/'))

it('unit tests import nothing that starts a process or needs the build', () => {
  expect(unitTests).toContain('test/lanes.test.ts')
  expect(unitTests.flatMap((path) => findForbiddenImports(path))).toEqual([])
})

const files = new Map<string, { readonly text: string; readonly imports: SourceFile['imports'] }>()

/** Parses each file once: most helpers are imported by many tests. */
function readFile(path: string) {
  const text = files.get(path)?.text ?? readFileSync(new URL(path, root), 'utf8')
  const file = files.get(path) ?? { text, imports: parseSourceFile(path, text).imports }
  files.set(path, file)
  return file
}

/** What a test file imports by itself and through the helpers in `test`. */
function findForbiddenImports(path: string, importer = '', seen = new Set<string>()): string[] {
  if (seen.has(path) || !existsSync(new URL(path, root))) return []
  seen.add(path)
  const from = importer === '' ? path : `${importer} -> ${path}`
  const { text, imports } = readFile(path)
  return [
    ...imports
      .filter(({ target, typeOnly }) => !typeOnly && NOT_IN_UNIT_TESTS.includes(target))
      .map(({ target }) => `${from} imports ${target}`),
    ...(BUILD.test(text) ? [`${from} reads the build`] : []),
    ...imports
      .filter(({ target, kind }) => kind === 'file' && target.startsWith('test/'))
      .flatMap(({ target }) => findForbiddenImports(target, from, seen)),
  ]
}
