import { Marked, type Tokens } from 'marked'
import { html, type Html } from '../../../shared/web/html.js'
import { readText } from './resolve.js'
import { decodeReferences, writeWellFormed, type HeadingOptions } from './well-formed.js'

export type MarkdownOptions = Partial<HeadingOptions>

/** These HTML tags pass without attributes, and `a` with a checked `href`. All others are shown as text. */
const TAGS = new Set(
  'a b blockquote br code dd del dl dt em h1 h2 h3 h4 h5 h6 hr i kbd li ol p pre s small strong sub sup table tbody td th thead tr u ul'.split(
    ' ',
  ),
)
const TOKENS = /<!--[^]*?-->|<(\/?)([a-z][a-z\d]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)>|[^<]+|</gi
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/i
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto'])

const markdown = new Marked({
  async: false,
  gfm: true,
  renderer: {
    html: ({ text }) => text.replaceAll(TOKENS, writeToken),
    link({ href, tokens }) {
      return `<a${formatHref(href)}>${this.parser.parseInline(tokens)}</a>`
    },
    // An image is a link to it, so that a page loads nothing of another host.
    image: ({ href, text }) => `<a${formatHref(href)}>${escape(text || href)}</a>`,
    code: ({ text }) => `<pre><code>${escape(text)}</code></pre>\n`,
    checkbox: ({ checked }: Tokens.Checkbox): string => (checked ? '☑ ' : '☐ '),
  },
})

/** Limits quotes and lists in each other: the parser's time grows with the square of their depth. */
const DEEP_NESTING = /^(?:[ \t]*(?:>|(?:\d{1,9}[.)]|[-+*])[ \t])){100}/m

/** CommonMark with GitHub's tables and links. Its own tags are closed, and close nothing around the text. */
export function renderMarkdown(text: string, options: MarkdownOptions = {}): Html {
  const { headingLevel = 1, headingIds = false, takenIds = [] } = options
  if (DEEP_NESTING.test(text)) return html`<p>${text}</p>`
  try {
    return writeWellFormed(markdown.parse(text) as string, { headingLevel, headingIds, takenIds })
  } catch {
    // Thousands of nested quotes exceed the stack.
    return html`<p>${text}</p>`
  }
}

/** A description in a document, as an element of its own; nothing if there is none. */
export function renderDescription(given: unknown, headingLevel: number): Html | false {
  const text = readText(given)
  return text !== undefined && html`<div class="markdown">${renderMarkdown(text, { headingLevel })}</div>`
}

function writeToken(token: string, slash?: string, name = '', attributes = ''): string {
  if (token.startsWith('<!--')) return ''
  const tag = name.toLowerCase()
  if (!TAGS.has(tag)) return token.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  if (slash === '/') return `</${tag}>`
  const [, double, single, bare] = (tag === 'a' && HREF.exec(attributes)) || []
  return `<${tag}${formatHref(double ?? single ?? bare)}>`
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
