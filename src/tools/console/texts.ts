import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { html, keepWhole, type Html } from '../../shared/web/html.js'
import type { Tone } from '../../shared/web/look.js'
import { renderPill } from '../../shared/web/parts.js'
import { renderNeighbours, renderPage, type ConsoleText, type Site } from './page.js'
import { type Heading, listHeadings } from './reference/information.js'
import { renderMarkdown } from './reference/markdown.js'
import { frameWords, words } from './words.js'
import { describeValue, wrongOption } from '../../shared/lib/option-checks.js'

export function readGuides(pattern: unknown): ConsoleText[] {
  if (pattern === undefined) return []
  const option = 'guides'
  if (typeof pattern !== 'string' || dirname(pattern).includes('*') || !/^[^*]*\*[^*]*\.md$/.test(basename(pattern)))
    throw wrongOption(option, `is ${describeValue(pattern)}`, GUIDES_FIX)
  const folder = resolve(dirname(pattern))
  const [start = '', end = ''] = basename(pattern).split('*')
  const names = tryTo(() => readdirSync(folder), option, `names the folder ${folder}`, GUIDES_FIX).filter(
    (name) => name.startsWith(start) && name.endsWith(end) && name.length >= start.length + end.length,
  )
  if (names.length === 0) throw wrongOption(option, `matches no file in ${folder}`, GUIDES_FIX)
  return names.toSorted().map((name) => readGuide(option, folder, name))
}

const GUIDES_FIX =
  'Write a pattern of Markdown files in one folder, such as "docs/guides/*.md". A relative path starts at the folder in which the process was started.'

function readGuide(option: string, folder: string, file: string): ConsoleText {
  const name = file.slice(0, -'.md'.length)
  if (!/^[\w-][\w.-]*$/.test(name))
    throw wrongOption(
      option,
      `matches ${join(folder, file)}, whose name cannot be a part of an address`,
      'Name the file with letters A to Z, digits, underscores, hyphens and dots.',
    )
  return createText(`guides/${name}`, readText(option, join(folder, file)), name)
}

export function readChangelog(path: unknown): ConsoleText | undefined {
  if (path === undefined) return undefined
  const option = 'changelog'
  if (typeof path !== 'string' || path === '')
    throw wrongOption(option, `is ${describeValue(path)}`, 'Write the path of a Markdown file, such as "CHANGELOG.md".')
  return createText('changelog', readText(option, resolve(path)), 'Changelog')
}

function readText(option: string, file: string): string {
  const fix =
    'Give the path of a Markdown file that this process may read. A relative path starts at the folder in which the process was started.'
  return tryTo(() => readFileSync(file, 'utf8'), option, `names ${file}`, fix).replace(/^\uFEFF/, '')
}

function tryTo<Result>(read: () => Result, option: string, problem: string, fix: string): Result {
  try {
    return read()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error)
    throw wrongOption(option, `${problem}, which cannot be read (${code})`, fix)
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

export function renderTextPage(site: Site, text: ConsoleText): string {
  const { title, guides } = site
  const isGuide = guides.includes(text)
  const { markup } = renderMarkdown(text.markdown, { headingIds: true })
  const hasHeading = markup.includes('<h1')
  const body = hasHeading ? markup : renderMarkdown(text.markdown, { headingIds: true, headingLevel: 2 }).markup
  const headings = listHeadings({ markup: body })
  const isOneOfMany = isGuide && guides.length > 1
  const links = isOneOfMany
    ? guides.map((guide) => renderLink(`../${guide.path}`, guide.title, guide === text && html` aria-current="page"`))
    : headings.filter(({ level }) => level === 2).map(({ id, text: label }) => renderLink(`#${id}`, label))
  const tab = isGuide ? 'guides' : 'changelogTab'
  const content = html`
    <div class="${links.length > 1 ? 'columns' : 'reading'}">
      ${links.length > 1 && renderSideLinks(isOneOfMany ? frameWords()[tab] : words().onPage, links)}
      <main class="text${!isGuide && ' changes'}">
        ${!hasHeading && html`<h1>${text.title}</h1>`}
        ${keepWhole({ markup: isGuide ? linkGuides(body, guides) : markChanges(body) })}
        ${isGuide && renderNeighbours(guides, guides.indexOf(text), (each) => [`../${each.path}`, each.title])}
      </main>
      ${isOneOfMany && headings.length > 1 && renderOnPage(headings)}
    </div>
  `
  const name = text.path.slice(text.path.lastIndexOf('/') + 1)
  const head = html`<link rel="alternate" type="text/markdown" title="${text.title}" href="${name}.md" />`
  return renderPage({
    title: `${text.title}, ${title}`,
    root: isGuide ? '../' : './',
    site,
    tab,
    styles: ['console.css', 'reading.css'],
    scripts: body.includes('<figure') ? ['console.js'] : [],
    head,
    content,
  })
}

function renderLink(href: string, label: Html | string, mark: Html | false = false): Html {
  return html`<li><a href="${href}" ${mark}>${label}</a></li> `
}

/** The list at the left: all guides, or what the changelog has. On phones it is folded. */
function renderSideLinks(name: string, links: readonly Html[]): Html {
  return html`<nav id="sidebar" aria-label="${name}">
    <details class="fold">
      <summary>${name}</summary>
      <ul class="groups">
        ${links}
      </ul>
    </details>
  </nav>`
}

/** The headings of a guide, at the right of it where a page is wide. */
function renderOnPage(headings: readonly Heading[]): Html {
  return html`<nav class="on-page" aria-label="${words().onPage}">
    <p>${words().onPage}</p>
    <ul>
      ${headings.map(({ id, text, level }) => renderLink(`#${id}`, text, level > 2 && html` class="in"`))}
    </ul>
  </nav>`
}

/** The kinds of changes that [Keep a Changelog](https://keepachangelog.com) names, and their colours. */
const KINDS = new Map<string, Tone>([
  ['added', 'good'],
  ['changed', 'info'],
  ['deprecated', 'warn'],
  ['removed', 'bad'],
  ['fixed', 'other'],
])

/** An entry of the changelog may begin with its kind in bold, and with a link to its API: these become badges. */
function markChanges(markup: string): string {
  return markup.replaceAll(
    /(<li>(?:\s*<p>)?)(?:<strong>([^<]{1,24})<\/strong>\s*)?(?:<a( href="(?:\.\/)?apis\/[\w.-]+"[^>]*>)([^<]*)<\/a>)?/g,
    (_, start: string, kind = '', link = '', api = '') => {
      const pill = kind && `${renderPill({ markup: kind }, KINDS.get(kind.toLowerCase())).markup} `
      const badge = link && `<a class="api-link"${link}${renderPill({ markup: api }).markup}</a> `
      return start + (pill + badge && `<span class="marks">${pill}${badge}</span>`)
    },
  )
}

function linkGuides(markup: string, guides: readonly ConsoleText[]): string {
  const paths = new Set(guides.map(({ path }) => path))
  return markup.replaceAll(/ href="(?:\.\/)?([\w.-]+)\.md(?=["#])/g, (link, name: string) =>
    paths.has(`guides/${name}`) ? ` href="${name}` : link,
  )
}
