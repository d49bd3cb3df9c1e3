import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allPages, readPage, ROOT, type Page } from './pages.js'

/** Pages about files of the reader's own app. */
const OF_OTHER_APPS = /^docs\/(?:existing-apps|testing|recipes\/[\w-]+)\.md$/

const pages = [...allPages(), readPage('test/support/README.md')].filter(({ path }) => !OF_OTHER_APPS.test(path))

describe.each(pages.map((page) => [page.path, page] as const))('%s', (_, page) => {
  it('names files and folders of src and test that exist', () => {
    expect(listPaths(page).filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  it('quotes titles of tests and benchmarks that exist', () => {
    const titles = page.text.split('\n').flatMap(listQuotedTitles)
    expect(titles.filter((title) => !TESTS.includes(title))).toEqual([])
  })
})

it('docs/architecture.md names files of src without their ending and the kind of their folder as they are', () => {
  const { text } = readPage('docs/architecture.md')
  const names = [...text.matchAll(/`([a-z-]+(?:\/[a-z0-9-]+)+)`/g)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(30)
  const exists = (name: string): boolean =>
    ['', 'core', 'features', 'tools', 'shared'].some((folder) =>
      ['', '.ts', '/index.ts'].some((end) => existsSync(join(ROOT, 'src', folder, name + end))),
    )
  expect(names.filter((name) => !exists(name))).toEqual([])
})

it('CONTRIBUTING.md names functions in the files where they are', () => {
  const table = /\n### Where is it\?\n([^]*?)\n## /.exec(readPage('CONTRIBUTING.md').text)![1]!
  const named = table.split('\n').flatMap(listFunctions)
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter(([name, path]) => !readPage(path).text.includes(`${name}(`))).toEqual([])
})

/** Tests and benchmarks. */
const TESTS = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(?:ts|mjs)$/.test(file))
  .map((file) => readFileSync(join(ROOT, 'test', file), 'utf8'))
  .join('\n')

/** `NAME` stands for any name. */
function listPaths({ text }: Page): readonly string[] {
  const found = [...text.matchAll(/(?<![\w./-])(?:src|test)\/[\w./-]*[\w/]/g)].map(([path]) => path)
  return found.filter((path) => !/\/NAME\b/.test(path))
}

/** Names and files: `name()` in `file.ts`. A file without a folder is beside the one that the row named last. */
function listFunctions(row: string): readonly (readonly [name: string, path: string])[] {
  let folder = ''
  return [...row.matchAll(/(?:`(\w+)\(\)` (?:in|of) )?`([\w/.-]+\.ts)`/g)].flatMap(([, name, file = '']) => {
    if (file.includes('/')) folder = dirname(file)
    return name === undefined ? [] : [[name, join(folder, basename(file))] as const]
  })
}

/** Texts in double quotes, in a line that names a test file. */
function listQuotedTitles(line: string): readonly string[] {
  if (!/test\/[\w./-]+\.test\.ts/.test(line)) return []
  return [...line.matchAll(/"([^"]{12,})"/g)].map(([, title = '']) => title)
}
