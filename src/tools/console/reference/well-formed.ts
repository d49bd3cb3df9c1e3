import type { Html } from '../../../shared/web/html.js'
import { createUniqueNames } from '../../../shared/lib/unique-names.js'
import { escapeHidden, INVISIBLE } from '../../../shared/lib/visible-text.js'

export interface HeadingOptions {
  /** The level of a top heading (`#`), so that headings fit into the page around the text; 1 by default. */
  readonly headingLevel: number
  /** Whether headings get ids made of their words, as links within the text expect them; false by default. */
  readonly headingIds: boolean
  /** Ids that the page around the text has. */
  readonly takenIds: readonly string[]
}

const VOID_TAGS = new Set(['br', 'hr'])
/** Tags that would end an element of the page around the text. */
const NEEDED_PARENTS: Readonly<Record<string, readonly string[]>> = {
  li: ['ul', 'ol'],
  ...Object.fromEntries(['dd', 'dt'].map((tag) => [tag, ['dl']])),
  ...Object.fromEntries(['tbody', 'td', 'th', 'thead', 'tr'].map((tag) => [tag, ['table']])),
}
const PARTS = /<(\/?)([a-z][a-z\d]*)((?:"[^"]*"|[^<>"])*)>|[^<]+|</g

/** Closes every tag, and leaves out those that would close more than the text opened. Headings get level and id. */
export function writeWellFormed(markup: string, { headingLevel, headingIds, takenIds }: HeadingOptions): Html {
  const open: { readonly tag: string; readonly name: string; readonly at: number }[] = []
  let lastLevel = headingLevel - 1
  const claimId = createUniqueNames(takenIds, 1)
  const written: string[] = []
  const isOpen = (matches: (tag: string) => boolean): boolean => open.some(({ tag }) => matches(tag))

  function writeStart(tag: string, attributes: string): void {
    const parents = NEEDED_PARENTS[tag]
    if (parents && !isOpen((each) => parents.includes(each))) return
    if (tag === 'a' && isOpen((each) => each === 'a')) return
    if (isHeading(tag) && isOpen(isHeading)) return
    // Heading levels stay consecutive: screen readers walk from level to level.
    if (isHeading(tag)) lastLevel = Math.min(6, lastLevel + 1, Number(tag.slice(1)) + headingLevel - 1)
    const name = isHeading(tag) ? `h${lastLevel}` : tag
    if (!VOID_TAGS.has(tag)) open.push({ tag, name, at: written.length })
    written.push(`<${name}${attributes}>`)
  }

  function writeEnd(tag: string): void {
    if (!isOpen((each) => each === tag)) return
    for (let last = open.pop(); last !== undefined; last = open.pop()) {
      if (isHeading(last.tag) && headingIds) {
        written[last.at] = `<${last.name} id="${claimId(formatId(written.slice(last.at + 1).join('')))}">`
      }
      written.push(`</${last.name}>`)
      if (last.tag === tag) return
    }
  }

  for (const [text, slash, tag, attributes = ''] of markup.matchAll(PARTS)) {
    if (tag === undefined) written.push(escapeText(text))
    else if (slash === '/') writeEnd(tag)
    else writeStart(tag, attributes)
  }
  while (open.length > 0) writeEnd(open.at(-1)!.tag)
  return { markup: written.join('') }
}

function isHeading(tag: string): boolean {
  return /^h[1-6]$/.test(tag)
}

/** The words of a heading, joined by hyphens, as GitHub makes them. */
function formatId(markup: string): string {
  const words = markup.replaceAll(/<[^>]*>|&[\w#]+;/g, '').toLowerCase()
  return (
    words
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-') || 'section'
  )
}

/** Character references stay, except those to invisible characters, which are shown as they are written. */
function escapeText(text: string): string {
  return escapeHidden(text)
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/&(?!#?\w{1,31};)/g, '&amp;')
    .replaceAll(/&(#?\w{1,31};)/g, (reference, rest: string) => (isHidden(reference) ? `&amp;${rest}` : reference))
}

function isHidden(reference: string): boolean {
  return HIDDEN_NAMES.test(reference) || INVISIBLE.test(decodeReferences(reference))
}

/** HTML's names of invisible characters. */
const HIDDEN_NAMES =
  /^&(?:shy|zwn?j|[lr]rm|NoBreak|ZeroWidthSpace|Negative\w+Space|af|ApplyFunction|it|InvisibleTimes|ic|InvisibleComma);$/

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Decodes an attribute. A reference that is not decoded is escaped, so that browsers do not decode it either. */
export function decodeReferences(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[(name as string).toLowerCase()] ?? ''
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
