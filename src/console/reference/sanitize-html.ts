import { html, type Html } from '../../lib/html.js'
import { createUniqueNames } from '../../lib/unique-names.js'
import { escapeHidden, INVISIBLE } from '../../lib/visible-text.js'

interface SanitizeOptions {
  readonly headingLevel: number
  readonly headingIds: boolean
}

/** Tags with an end. Each is written without attributes, except for what `formatAttributes` allows. */
const TAGS = new Set(
  'a abbr b blockquote code del details em i ins kbd li mark ol p pre s samp small strong sub summary sup table tbody td tfoot th thead tr u ul'.split(
    ' ',
  ),
)
const VOID_TAGS = new Set(['br', 'hr', 'wbr'])
/** Tags whose content is no text for readers. */
const REMOVED = new Set(
  'embed head iframe math noembed noframes noscript object script style svg template textarea title xmp'.split(' '),
)
/** Elsewhere these would end an element of the page around the text. */
const NEEDED_PARENTS: Readonly<Record<string, readonly string[]>> = {
  li: ['ul', 'ol'],
  summary: ['details'],
  ...Object.fromEntries(['tbody', 'td', 'tfoot', 'th', 'thead', 'tr'].map((tag) => [tag, ['table']])),
}
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto'])

const TOKENS = /<!--[^]*?(?:-->|$)|<(\/?)([a-z][a-z\d]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)>|[^<]+|</gi
const ATTRIBUTES = /([a-z][\w-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/gi

/**
 * Writes HTML anew: every tag and attribute of the result is one of a list, every tag is closed, and all else is text. So it
 * does not matter whether browsers would read the given HTML in another way.
 */
export function sanitizeHtml(unsafe: string, { headingLevel, headingIds }: SanitizeOptions): Html {
  const open: { readonly tag: string; readonly name: string; readonly at: number }[] = []
  let lastLevel = headingLevel - 1
  const claimId = createUniqueNames([], 1)
  const written: string[] = []
  let removed: string | undefined

  function writeStart(tag: string, attributes: string): void {
    const parents = NEEDED_PARENTS[tag]
    if (parents && !open.some((each) => parents.includes(each.tag))) return
    if (tag === 'a' && open.some((each) => each.tag === 'a')) return
    if (isHeading(tag) && open.some((each) => isHeading(each.tag))) return
    const name = isHeading(tag) ? `h${(lastLevel = findLevel(tag))}` : tag
    open.push({ tag, name, at: written.length })
    written.push(`<${name}${formatAttributes(tag, attributes)}>`)
  }

  /** No level is left out, whatever the text does: screen readers walk from level to level. */
  function findLevel(tag: string): number {
    return Math.min(6, lastLevel + 1, Number(tag.slice(1)) + headingLevel - 1)
  }

  function writeEnd(tag: string): void {
    if (!open.some((each) => each.tag === tag)) return
    for (let last = open.pop(); last !== undefined; last = open.pop()) {
      const isTarget = last.tag === tag
      if (isHeading(last.tag) && headingIds) {
        written[last.at] = `<${last.name} id="${claimId(formatId(written.slice(last.at + 1).join('')))}">`
      }
      written.push(`</${last.name}>`)
      if (isTarget) return
    }
  }

  function writeImage(attributes: string): void {
    const { src, alt = '' } = readAttributes(attributes)
    const href = readSafeUrl(src)
    const text = alt || src || ''
    const isLink = href !== undefined && !open.some(({ tag }) => tag === 'a')
    written.push(isLink ? `<a ${formatLink(href)}>${escape(text)}</a>` : escape(text))
  }

  for (const [token, slash, name, attributes = ''] of unsafe.matchAll(TOKENS)) {
    const tag = name?.toLowerCase()
    if (removed !== undefined) {
      if (slash === '/' && tag === removed) removed = undefined
    } else if (tag === undefined) {
      if (!token.startsWith('<!--')) written.push(escapeText(token))
    } else if (slash === '/') writeEnd(tag)
    else if (REMOVED.has(tag)) removed = tag
    else if (VOID_TAGS.has(tag)) written.push(`<${tag}>`)
    else if (tag === 'img') writeImage(attributes)
    else if (TAGS.has(tag) || isHeading(tag)) writeStart(tag, attributes)
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

function formatAttributes(tag: string, text: string): string {
  const { href, align, start, title } = readAttributes(text)
  if (tag === 'a') {
    const url = readSafeUrl(href)
    return url === undefined ? '' : ` ${formatLink(url)}`
  }
  if (tag === 'ol' && start !== undefined && /^\d{1,9}$/.test(start)) return ` start="${start}"`
  if ((tag === 'th' || tag === 'td') && align !== undefined && /^(?:left|center|right)$/.test(align))
    return ` align="${align}"`
  return tag === 'abbr' && title !== undefined ? ` title="${escape(title)}"` : ''
}

function formatLink(url: string): string {
  return `href="${escape(url)}" rel="noreferrer noopener"`
}

function readAttributes(text: string): { readonly [name: string]: string | undefined } {
  const attributes = Object.create(null) as Record<string, string>
  for (const [, name = '', double, single, bare = ''] of text.matchAll(ATTRIBUTES))
    attributes[name.toLowerCase()] ??= decode(double ?? single ?? bare)
  return attributes
}

/** Undefined for a URL of a scheme that could run a script or start a program. Browsers skip control characters in a scheme. */
function readSafeUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  // oxlint-disable-next-line no-control-regex -- these are what is skipped
  const plain = url.replaceAll(/[\u0000-\u0020\u007f-\u00a0]/g, '')
  const scheme = /^[^/?#:]*:/.exec(plain)?.[0]
  if (scheme === undefined) return url.trim()
  return SAFE_SCHEMES.has(scheme.slice(0, -1).toLowerCase()) ? plain : undefined
}

/** What an attribute's text means. A reference that is not decoded here is escaped, so that browsers do not decode it either. */
function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[(name as string).toLowerCase()] ?? ''
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function escape(text: string): string {
  return html`${text}`.markup
}

/** Text between tags, in which character references stay, except those to invisible characters. */
function escapeText(text: string): string {
  return escapeHidden(text.replaceAll(REFERENCE, decodeHidden))
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/&(?!#?\w{1,31};)/g, '&amp;')
}

const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{2,31});/gi

function decodeHidden(reference: string): string {
  const character = HIDDEN_NAMES[reference.slice(1, -1)] ?? decode(reference)
  return INVISIBLE.test(character) ? character : reference
}

/** HTML's names of invisible characters. */
const HIDDEN_NAMES: Readonly<Record<string, string>> = Object.assign(Object.create(null) as Record<string, string>, {
  shy: '\u00AD',
  ZeroWidthSpace: '\u200B',
  NegativeVeryThinSpace: '\u200B',
  NegativeThinSpace: '\u200B',
  NegativeMediumSpace: '\u200B',
  NegativeThickSpace: '\u200B',
  zwnj: '\u200C',
  zwj: '\u200D',
  lrm: '\u200E',
  rlm: '\u200F',
  NoBreak: '\u2060',
  af: '\u2061',
  ApplyFunction: '\u2061',
  it: '\u2062',
  InvisibleTimes: '\u2062',
  ic: '\u2063',
  InvisibleComma: '\u2063',
})
