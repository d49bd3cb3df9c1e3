import { Marked } from 'marked'
import { html, type Html } from '../../lib/html.js'
import { sanitizeHtml } from './sanitize-html.js'

export interface MarkdownOptions {
  /** The level of a top heading (`#`), so that headings fit into the page around the text; 1 by default. */
  readonly headingLevel?: number
  /** Whether headings get ids made of their words, as links within the text expect them; false by default. */
  readonly headingIds?: boolean
}

const markdown = new Marked({ async: false, gfm: true })

/** Quotes and lists in each other, a hundred in one line. No text needs them, and the parser's time grows with their square. */
const DEEP_NESTING = /^(?:[ \t]*(?:>|(?:\d{1,9}[.)]|[-+*])[ \t])){100}/m

/**
 * The HTML of a text in CommonMark with GitHub's tables and links. HTML in the text is sanitized: only tags without effects
 * beyond their looks remain, links of `http:`, `https:`, `mailto:` and relative ones, and images as links to them.
 */
export function renderMarkdown(text: string, { headingLevel = 1, headingIds = false }: MarkdownOptions = {}): Html {
  if (DEEP_NESTING.test(text)) return html`<p>${text}</p>`
  let unsafe: string
  try {
    unsafe = markdown.parse(text) as string
  } catch {
    // Thousands of nested quotes exceed the stack.
    return html`<p>${text}</p>`
  }
  return sanitizeHtml(unsafe, { headingLevel, headingIds })
}
