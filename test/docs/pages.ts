import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A documentation page, by its path from the repository's root. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** A fenced code block. */
export interface Block {
  readonly page: string
  /** The line of its first line of code, counted from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
  /** The comment above it, such as `file: example-app/minimal.js`; undefined if there is none. */
  readonly marker: string | undefined
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** README.md and every page of docs/, the recipes included. */
export function documentationPages(): readonly Page[] {
  const pages = ['docs', 'docs/recipes'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((file) => `${folder}/${file}`),
  )
  return ['README.md', ...pages.filter((path) => path.endsWith('.md'))].map(readPage)
}

/** The documentation, and every other page that stands in the repository for readers. */
export function allPages(): readonly Page[] {
  const others = readdirSync(ROOT).filter((file) => file.endsWith('.md') && file !== 'README.md')
  return [...documentationPages(), ...[...others, 'example-app/README.md'].map(readPage)]
}

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') }
}

export function blocksOf({ path, text }: Page): readonly Block[] {
  // A block of a list is indented, and so is its code.
  return [...text.matchAll(/^(?:<!-- (.+) -->\n)?( *)```(\w*)\n([\s\S]*?)^\2```$/gm)].map((found) => ({
    page: path,
    line: text.slice(0, found.index + found[0].indexOf('```')).split('\n').length + 1,
    language: found[3]!,
    code: found[4]!.replaceAll(new RegExp(`^${found[2]!}`, 'gm'), ''),
    marker: found[1],
  }))
}
