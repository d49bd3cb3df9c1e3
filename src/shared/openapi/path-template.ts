/** A path of a document, such as `/items/{id}`, in a form that paths of requests are compared with. */
export interface PathTemplate {
  readonly path: string
  readonly segments: readonly TemplateSegment[]
  readonly endsWithSlash: boolean
}

/** A part of a path between two slashes, as the texts around its parameters: `['items']`, or `['', '.json']` for `{name}.json`. */
interface TemplateSegment {
  readonly texts: Texts
  readonly lowerCase: Texts
  readonly decoded: Texts
  readonly decodedLowerCase: Texts
}

type Texts = readonly string[]

export function parsePathTemplate(path: string): PathTemplate | undefined {
  const { parts, endsWithSlash } = splitPath(path)
  const segments = parts.map(parseSegment)
  return segments.every((segment) => segment !== undefined) ? { path, segments, endsWithSlash } : undefined
}

function splitPath(path: string): { parts: string[]; endsWithSlash: boolean } {
  if (path === '/') return { parts: [], endsWithSlash: false }
  const endsWithSlash = path.endsWith('/')
  return { parts: path.slice(1, endsWithSlash ? -1 : undefined).split('/'), endsWithSlash }
}

function parseSegment(segment: string): TemplateSegment | undefined {
  const texts = segment.split(/\{[^{}]+\}/)
  if (
    texts.some((text) => !/^[!-~]*$/.test(text) || /[{}?#\\]/.test(text)) ||
    segment === '' ||
    segment === '.' ||
    segment === '..'
  )
    return undefined
  const decoded = texts.map((text) => decodeSegment(text) ?? text)
  const toLowerCase = (text: string): string => text.toLowerCase()
  return { texts, lowerCase: texts.map(toLowerCase), decoded, decodedLowerCase: decoded.map(toLowerCase) }
}

export interface RequestPath {
  readonly raw: readonly string[]
  readonly decoded: readonly string[]
  readonly endsWithSlash: boolean
}

/** Undefined for a target that programs read in different ways: an encoded slash, a backslash, an empty segment, `..`. */
export function parseRequestPath(target: string): RequestPath | undefined {
  // RFC 9112 3.2.2: clients may send the absolute form, which Express reads too.
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#\\]+/i, '')
  const end = local.indexOf('?')
  const path = end < 0 ? local : local.slice(0, end)
  if (path === '/' || (path === '' && local !== target)) return ROOT
  if (!/^\/[!-~]+$/.test(path) || /[\\#]/.test(path)) return undefined
  const { parts: raw, endsWithSlash } = splitPath(path)
  const decoded = path.includes('%') ? raw.map((segment) => decodeSegment(segment) ?? '') : raw
  return decoded.every(isUsable) ? { raw, decoded, endsWithSlash } : undefined
}

const ROOT: RequestPath = { raw: [], decoded: [], endsWithSlash: false }

function isUsable(segment: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  return segment !== '' && segment !== '.' && segment !== '..' && !/[/\\\0-\x1f\x7f]/.test(segment)
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The readings of a path, as bits: as it was sent, and as a router may read it that ignores case, decodes, or ignores a last slash. */
export const EXACT = 1
const ANY_CASE = 2
const DECODED = 4
const DECODED_ANY_CASE = 8
const EVERY_READING = EXACT | ANY_CASE | DECODED | DECODED_ANY_CASE

/** The readings under which a path matches a template; 0 for none. */
export function matchTemplate(template: PathTemplate, { raw, decoded, endsWithSlash }: RequestPath): number {
  const { segments } = template
  if (segments.length !== raw.length) return 0
  let readings = template.endsWithSlash === endsWithSlash ? EVERY_READING : EVERY_READING & ~EXACT
  for (let at = 0; at < segments.length && readings !== 0; at++)
    readings &= matchSegment(segments[at]!, raw[at]!, decoded[at]!)
  return readings
}

function matchSegment(segment: TemplateSegment, raw: string, decoded: string): number {
  const isExact = matchesTexts(segment.texts, raw)
  if (isExact && (segment.texts.length === 1 || isParameter(segment))) return EVERY_READING
  return (
    (isExact ? EXACT : 0) |
    (matchesTexts(segment.lowerCase, raw.toLowerCase()) ? ANY_CASE : 0) |
    (matchesTexts(segment.decoded, decoded) ? DECODED : 0) |
    (matchesTexts(segment.decodedLowerCase, decoded.toLowerCase()) ? DECODED_ANY_CASE : 0)
  )
}

/** Whether a value has these texts in this order, and something between them. Not a regular expression, whose backtracking a caller could make slow. */
function matchesTexts(texts: Texts, value: string): boolean {
  const first = texts[0]!
  if (texts.length === 1) return value === first
  if (!value.startsWith(first)) return false
  let end = first.length
  for (let at = 1; at < texts.length - 1; at++) {
    const start = value.indexOf(texts[at]!, end + 1)
    if (start < 0) return false
    end = start + texts[at]!.length
  }
  const last = texts[texts.length - 1]!
  return value.endsWith(last) && value.length - last.length > end
}

function isParameter({ texts }: TemplateSegment): boolean {
  return texts.length === 2 && texts[0] === '' && texts[1] === ''
}

/** Whether some path may match both, if case and a last slash are ignored. */
export function overlaps(a: PathTemplate, b: PathTemplate): boolean {
  return (
    a.segments.length === b.segments.length &&
    a.segments.every((segment, at) => segmentsOverlap(segment.decodedLowerCase, b.segments[at]!.decodedLowerCase))
  )
}

function segmentsOverlap(a: Texts, b: Texts): boolean {
  if (a.length === 1) return matchesTexts(b, a[0]!)
  if (b.length === 1) return matchesTexts(a, b[0]!)
  const [startA, startB] = [a[0]!, b[0]!]
  const [endA, endB] = [a.at(-1)!, b.at(-1)!]
  return (startA.startsWith(startB) || startB.startsWith(startA)) && (endA.endsWith(endB) || endB.endsWith(endA))
}

/** Whether `a` is at least as concrete as `b` in every segment: what matches `a` matches `b`. */
export function isAtLeastAsConcrete(a: PathTemplate, b: PathTemplate): boolean {
  return (
    a.segments.length === b.segments.length &&
    a.segments.every(({ decodedLowerCase }, at) => {
      const other = b.segments[at]!
      if (isParameter(other)) return true
      if (decodedLowerCase.length === 1) return matchesTexts(other.decodedLowerCase, decodedLowerCase[0]!)
      return decodedLowerCase.join('{}') === other.decodedLowerCase.join('{}')
    })
  )
}

export function measureConcreteness({ segments }: PathTemplate): number {
  const rank = (segment: TemplateSegment): number => (segment.texts.length === 1 ? 2 : isParameter(segment) ? 0 : 1)
  return segments.reduce((sum, segment) => sum + rank(segment), 0)
}

/** Finds in two look-ups which few of a document's templates a path must be compared with. */
export function createTemplateIndex<Entry extends { readonly template: PathTemplate }>(entries: readonly Entry[]) {
  const lengths = new Set(entries.map(({ template }) => template.segments.length))
  const groups = new Map([...lengths].map((length) => [length, createGroup(entries, length)]))

  return function findCandidates({ decoded }: RequestPath): readonly Entry[] {
    const group = groups.get(decoded.length)
    if (!group) return []
    return group.byText.get(decoded[group.position]?.toLowerCase() ?? '') ?? group.others
  }
}

/** The templates with so many segments, by the segment that differs most between them, and those that have a parameter there. */
function createGroup<Entry extends { readonly template: PathTemplate }>(all: readonly Entry[], length: number) {
  const entries = all.filter(({ template }) => template.segments.length === length)
  const readTexts = (at: number): (string | undefined)[] => entries.map(({ template }) => readLiteral(template, at))
  const counts = Array.from({ length }, (_, at) => new Set(readTexts(at)).size)
  const position = counts.indexOf(Math.max(...counts, 0))
  const select = (text: string | undefined): Entry[] =>
    entries.filter(({ template }) => [undefined, text].includes(readLiteral(template, position)))
  const texts = readTexts(position).filter((text) => text !== undefined)
  // All readings of a path agree on the decoded form in lower case.
  return { position, byText: new Map(texts.map((text) => [text, select(text)])), others: select(undefined) }
}

function readLiteral({ segments }: PathTemplate, at: number): string | undefined {
  const texts = segments[at]?.decodedLowerCase
  return texts?.length === 1 ? texts[0] : undefined
}
