import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { allPages, documentationPages, readPage, ROOT, type Page } from './pages.js'

interface Link {
  /** Path from the repository's root, and the anchor in it; empty where the link has none. */
  readonly path: string
  readonly anchor: string
}

describe.each(allPages().map((page) => [page.path, page] as const))('%s', (_, page) => {
  const links = linksOf(page)

  it('links to files that exist', () => {
    expect(links.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  it('links to headings and rows that exist', () => {
    const anchored = links.filter(({ path, anchor }) => anchor !== '' && existsSync(join(ROOT, path)))
    expect(anchored.filter(({ path, anchor }) => !anchorsOf(readPage(path)).includes(anchor))).toEqual([])
  })

  it('leaves no figure open', () => {
    expect(page.text).not.toMatch(/[A-Z]+-FIGURES/)
  })
})

it('README.md has at most 200 lines', () => {
  expect(readPage('README.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(200)
})

it('README.md links to every page of docs/', () => {
  const linked = linksOf(readPage('README.md')).map(({ path }) => path)
  expect(documentationPages().filter(({ path }) => path !== 'README.md' && !linked.includes(path))).toEqual([])
})

it('every row of docs/http.md has an id of its own', () => {
  const ids = rowIdsOf(readPage('docs/http.md'))
  expect(ids.length).toBeGreaterThan(80)
  expect(new Set(ids).size).toBe(ids.length)
})

it('source, tests and example app cite pages and rows that exist', () => {
  const rows = rowIdsOf(readPage('docs/http.md')).map((id) => id.toUpperCase())
  const wrong = citations().filter(({ page, cited }) => {
    if (!existsSync(join(ROOT, page))) return true
    return page === 'docs/http.md' && cited.some((row) => !rows.includes(row))
  })
  expect(wrong).toEqual([])
})

/** Every mention of a page in code, and the names of rows in the same line, such as T7. */
function citations(): readonly { file: string; page: string; cited: readonly string[] }[] {
  return ['src', 'test', 'example-app'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|mjs|cjs|js)$/.test(file) && !/(?:^|\/)(?:node_modules|var)\//.test(file))
      .filter((file) => join(folder, file) !== 'test/docs/links.test.ts')
      .flatMap((file) =>
        [...readFileSync(join(ROOT, folder, file), 'utf8').matchAll(/^.*\b(docs\/[\w/-]+\.md)\b.*$/gm)].map(
          ([line, page = '']) => ({ file: `${folder}/${file}`, page, cited: line.match(/\b[A-Z]\d{1,2}\b/g) ?? [] }),
        ),
      ),
  )
}

/** Relative links of a page and its images, those in HTML included. */
function linksOf({ path, text }: Page): readonly Link[] {
  const targets = [
    ...prose(text).matchAll(/\]\(([^)\s]+)\)/g),
    ...prose(text).matchAll(/\b(?:src|srcset|href)="([^"]+)"/g),
  ].map(([, target = '']) => target)
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#')
      return { path: file === '' ? path : normalize(join(dirname(path), file)), anchor }
    })
}

/** What can stand after `#` in a link to that page: GitHub's names of headings, and explicit ids. */
function anchorsOf(page: Page): readonly string[] {
  const seen = new Map<string, number>()
  const headings = [...prose(page.text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const slug = slugOf(heading)
    const repeated = seen.get(slug) ?? 0
    seen.set(slug, repeated + 1)
    return repeated === 0 ? slug : `${slug}-${repeated}`
  })
  return [...headings, ...rowIdsOf(page)]
}

function rowIdsOf({ text }: Page): readonly string[] {
  return [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** A page without its code: a comment in a shell block is no heading. */
function prose(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '')
}
