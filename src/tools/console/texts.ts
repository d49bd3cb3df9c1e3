import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { ConfigurationError } from '../../index.js'
import { describeValue } from '../../shared/lib/describe-value.js'

/** A text of the provider in Markdown: a guide or the changelog. */
export interface ConsoleText {
  /** The path below the console, such as `guides/first-call`; its Markdown has `.md` behind it. */
  readonly path: string
  readonly title: string
  readonly markdown: string
}

/** The files that the option `guides` names, in the order of their names. Throws `ConfigurationError` if there is none. */
export function readGuides(pattern: unknown): ConsoleText[] {
  if (pattern === undefined) return []
  const option = 'guides'
  if (typeof pattern !== 'string' || dirname(pattern).includes('*') || !/^[^*]*\*[^*]*\.md$/.test(basename(pattern)))
    throw new ConfigurationError({ option, problem: `is ${describeValue(pattern)}`, fix: GUIDES_FIX })
  const folder = resolve(dirname(pattern))
  const [start = '', end = ''] = basename(pattern).split('*')
  const names = listFolder(option, folder).filter(
    (name) => name.startsWith(start) && name.endsWith(end) && name.length >= start.length + end.length,
  )
  if (names.length === 0)
    throw new ConfigurationError({ option, problem: `matches no file in ${folder}`, fix: GUIDES_FIX })
  return names.toSorted().map((name) => readGuide(option, folder, name))
}

const GUIDES_FIX =
  'Write a pattern of Markdown files in one folder, such as "docs/guides/*.md". A relative path starts at the folder in which the process was started.'

function listFolder(option: string, folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    throw new ConfigurationError({
      option,
      problem: `names the folder ${folder}, which cannot be read (${readErrorCode(error)})`,
      fix: GUIDES_FIX,
    })
  }
}

/** The name of the file is a part of the address. */
function readGuide(option: string, folder: string, file: string): ConsoleText {
  const name = file.slice(0, -'.md'.length)
  if (!/^[\w-][\w.-]*$/.test(name))
    throw new ConfigurationError({
      option,
      problem: `matches ${join(folder, file)}, whose name cannot be a part of an address`,
      fix: 'Name the file with letters A to Z, digits, underscores, hyphens and dots.',
    })
  return createText(`guides/${name}`, readText(option, join(folder, file)), name)
}

/** The file that the option `changelog` names. */
export function readChangelog(path: unknown): ConsoleText | undefined {
  if (path === undefined) return undefined
  const option = 'changelog'
  if (typeof path !== 'string' || path === '')
    throw new ConfigurationError({
      option,
      problem: `is ${describeValue(path)}`,
      fix: 'Write the path of a Markdown file, such as "CHANGELOG.md".',
    })
  return createText('changelog', readText(option, resolve(path)), 'Changelog')
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new ConfigurationError({
      option,
      problem: `names ${file}, which cannot be read (${readErrorCode(error)})`,
      fix: 'Give the path of a Markdown file that this process may read. A relative path starts at the folder in which the process was started.',
    })
  }
}

function createText(path: string, markdown: string, name: string): ConsoleText {
  return { path, title: readTitle(markdown) || name, markdown }
}

/** The words of the first heading outside of code. No regular expression sees more than a line. */
function readTitle(markdown: string): string {
  let fence = ''
  for (const line of markdown.split(/\r?\n/)) {
    const [mark = ''] = /^(?:`{3,}|~{3,})/.exec(line) ?? []
    if (fence !== '') fence = mark.startsWith(fence) ? '' : fence
    else if (mark !== '') fence = mark
    else if (/^ {0,3}#{1,6}[ \t]+\S/.test(line)) return readHeading(line)
  }
  return ''
}

/** Links and emphasis are not shown in a title. */
function readHeading(line: string): string {
  const text = line
    .slice(0, MAX_HEADING)
    .trim()
    .replace(/^#+/, '')
    .replace(/(?<=[ \t])#+$/, '')
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]|(?<!\w)_|_(?!\w)/g, '')
    .trim()
}

const MAX_HEADING = 300

function readErrorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
