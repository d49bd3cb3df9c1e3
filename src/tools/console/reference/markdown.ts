import { Marked, type Tokens } from 'marked'
import { createUniqueNames } from '../../../shared/lib/unique-names.js'
import { escapeHidden, INVISIBLE } from '../../../shared/lib/visible-text.js'
import { findFenceLanguage } from '../../../shared/lib/code-tokens.js'
import { renderCopyButton } from '../../../shared/web/first-steps.js'
import { html, keepWhole, type Html } from '../../../shared/web/html.js'
import { renderCode } from '../../../shared/web/parts.js'
import { frameWords, words } from '../words.js'
import { readText } from './read-schema.js'

export interface MarkdownOptions {
  /** The level of a top heading (`#`), so that headings fit into the page around the text; 1 by default. */
  readonly headingLevel?: number
  /** Whether headings get ids made of their words, as links within the text expect them; false by default. */
  readonly headingIds?: boolean
  readonly takenIds?: readonly string[]
}

/** These HTML tags pass without attributes, and `a` with a checked `href`. All others are shown as text. */
const TAGS = new Set(
  'a b blockquote br code dd del dl dt em hr i kbd li ol p pre s small strong sub sup table tbody td th thead tr u ul'.split(
    ' ',
  ),
)
const TOKENS = /<!--[^]*?-->|<(\/?)([a-z][a-z\d]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)>|[^<]+|</gi
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/i
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto'])
/** Limits quotes and lists in each other: the parser's time grows with the square of their depth. */
const DEEP_NESTING = /^(?:[ \t]*(?:>|(?:\d{1,9}[.)]|[-+*])[ \t])){100}/m

const markdown = createMarked((text) => text.replaceAll(TOKENS, writeToken))
const markdownOnly = createMarked(escape)

function createMarked(writeHtml: (text: string) => string): Marked {
  return new Marked({
    async: false,
    gfm: true,
    renderer: {
      html: ({ text }) => writeHtml(text),
      link({ href, tokens }) {
        return `<a${formatHref(href)}>${this.parser.parseInline(tokens).replaceAll(/<\/?a\b[^>]*>/g, '')}</a>`
      },
      // An image is a link to it, so that a page loads nothing of another host.
      image: ({ href, text }) => `<a${formatHref(href)}>${escape(text || href)}</a>`,
      code: ({ text, lang }) => renderFence(text, lang).markup,
      checkbox: ({ checked }: Tokens.Checkbox): string => (checked ? '☑ ' : '☐ '),
    },
  })
}

/** CommonMark with GitHub's tables and links. HTML that does not close what it opens, or closes more, is shown as text. */
export function renderMarkdown(text: string, options: MarkdownOptions = {}): Html {
  if (DEEP_NESTING.test(text)) return html`<p>${text}</p>`
  try {
    const markup = markdown.parse(text) as string
    const checked = isWellFormed(markup) ? markup : (markdownOnly.parse(text) as string)
    const shown = checked.replaceAll(/<[^>]*>|[^<]+/g, (part) => (part.startsWith('<') ? part : escapeText(part)))
    return { markup: writeHeadings(shown, options) }
  } catch {
    // Thousands of nested quotes exceed the stack.
    return html`<p>${text}</p>`
  }
}

function renderFence(text: string, lang = ''): Html {
  const [name = ''] = lang.split(/\s/, 1)
  const language = findFenceLanguage(lang)
  const isShort = /^(?:json|ya?ml|php|[jt]s|xml|html|http)$/i.test(name)
  const caption = language === 'curl' ? 'Shell' : isShort ? name.toUpperCase() : name || words().example
  return html`<figure class="copyable">
    <figcaption>${caption}${renderCopyButton(caption, frameWords())}</figcaption>
    <pre tabindex="0">${renderCode(text, language)}</pre>
  </figure> `
}

export function renderDescription(given: unknown, headingLevel: number): Html | false {
  const text = readText(given)
  return text !== undefined && html`<div class="markdown">${keepWhole(renderMarkdown(text, { headingLevel }))}</div>`
}

function writeToken(token: string, slash?: string, name = '', attributes = ''): string {
  if (token.startsWith('<!--')) return ''
  const tag = name.toLowerCase()
  if (!TAGS.has(tag)) return token.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  if (slash === '/') return `</${tag}>`
  const [, double, single, bare] = (tag === 'a' && HREF.exec(attributes)) || []
  return `<${tag}${formatHref(double ?? single ?? bare)}>`
}

/** Elements whose start would end one of the page around the text, unless it is in one of these. */
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  li: ['ul', 'ol'],
  ...Object.fromEntries(['dd', 'dt'].map((tag) => [tag, ['dl']])),
  ...Object.fromEntries(['tbody', 'td', 'th', 'thead', 'tr'].map((tag) => [tag, ['table']])),
}

/** Whether each element is closed where it was opened, and is in an element that it needs. */
function isWellFormed(markup: string): boolean {
  const open: string[] = []
  for (const [, slash, tag = ''] of markup.matchAll(/<(\/?)([a-z][a-z\d]*)[^>]*>/g)) {
    const parents = PARENTS[tag]
    if (slash === '/') {
      if (open.pop() !== tag) return false
    } else if ((parents && !open.some((each) => parents.includes(each))) || (tag === 'a' && open.includes('a')))
      return false
    else if (tag !== 'br' && tag !== 'hr') open.push(tag)
  }
  return open.length === 0
}

/** Headings with level and id. Their levels stay consecutive: screen readers walk from level to level. */
function writeHeadings(markup: string, options: MarkdownOptions): string {
  const { headingLevel = 1, headingIds = false, takenIds = [] } = options
  const claimId = createUniqueNames(takenIds, 1)
  let last = headingLevel - 1
  return markup.replaceAll(/<h([1-6])>(.*?)<\/h\1>/gs, (_, level: string, content: string) => {
    last = Math.min(6, last + 1, Number(level) + headingLevel - 1)
    return `<h${last}${headingIds ? ` id="${claimId(formatId(content))}"` : ''}>${content}</h${last}>`
  })
}

function formatId(markup: string): string {
  const words = markup.replaceAll(/<[^>]*>|&[\w#]+;/g, '').toLowerCase()
  const id = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim()
  return id.replaceAll(/\s/g, '-') || 'section'
}

/** The URL; empty if its scheme could run a script or start a program. Browsers skip control characters in a scheme. */
function formatHref(text: string | undefined): string {
  if (text === undefined) return ''
  // oxlint-disable-next-line no-control-regex -- these are what is skipped
  const url = decodeReferences(text).replaceAll(/[\u0000-\u0020\u007f-\u00a0]/g, '')
  const scheme = /^([^/?#:]*):/.exec(url)?.[1]
  if (scheme !== undefined && !SAFE_SCHEMES.has(scheme.toLowerCase())) return ''
  return ` href="${escape(url)}" rel="noreferrer noopener"`
}

function escape(text: string): string {
  return html`${text}`.markup
}

/** Character references stay, except those to invisible characters, which are shown as they are written. */
function escapeText(text: string): string {
  return escapeHidden(text)
    .replaceAll('>', '&gt;')
    .replaceAll(/&(?!#?\w{1,31};)/g, '&amp;')
    .replaceAll(/&(#?\w{1,31};)/g, (reference, rest: string) => {
      const isHidden = HIDDEN_NAMES.test(reference) || INVISIBLE.test(decodeReferences(reference))
      return isHidden ? `&amp;${rest}` : reference
    })
}

const HIDDEN_NAMES =
  /^&(?:shy|zwn?j|[lr]rm|NoBreak|ZeroWidthSpace|Negative\w+Space|af|ApplyFunction|it|InvisibleTimes|ic|InvisibleComma);$/

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Decodes an attribute. A reference that is not decoded is escaped, so that browsers do not decode it either. */
function decodeReferences(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[(name as string).toLowerCase()] ?? ''
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
