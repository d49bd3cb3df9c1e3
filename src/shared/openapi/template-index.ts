import type { PathTemplate, RequestPath } from './path-template.js'

/** Entries with a path template that could match a path in some reading, in their order. */
export type FindCandidates<Entry> = (path: RequestPath) => readonly Entry[]

interface Group<Entry> {
  /** The segment that differs most between the templates. */
  readonly position: number
  /** Entries by that segment, decoded and in lower case: all readings of a path agree on that form. */
  readonly byText: ReadonlyMap<string, readonly Entry[]>
  /** The entries that have a parameter there. */
  readonly others: readonly Entry[]
}

/** Finds in two look-ups which few of a document's templates a path must be compared with. */
export function createTemplateIndex<Entry extends { readonly template: PathTemplate }>(
  entries: readonly Entry[],
): FindCandidates<Entry> {
  const lengths = new Set(entries.map(({ template }) => template.segments.length))
  const groups = new Map([...lengths].map((length) => [length, createGroup(entries, length)]))

  return function findCandidates({ decoded }) {
    const group = groups.get(decoded.length)
    if (!group) return []
    return group.byText.get(decoded[group.position]?.toLowerCase() ?? '') ?? group.others
  }
}

function createGroup<Entry extends { readonly template: PathTemplate }>(
  all: readonly Entry[],
  length: number,
): Group<Entry> {
  const entries = all.filter(({ template }) => template.segments.length === length)
  const readTexts = (at: number): (string | undefined)[] => entries.map(({ template }) => readLiteral(template, at))
  const counts = Array.from({ length }, (_, at) => new Set(readTexts(at)).size)
  const position = counts.indexOf(Math.max(...counts, 0))
  const select = (text: string | undefined): Entry[] =>
    entries.filter(({ template }) => [undefined, text].includes(readLiteral(template, position)))
  const texts = readTexts(position).filter((text) => text !== undefined)
  return { position, byText: new Map(texts.map((text) => [text, select(text)])), others: select(undefined) }
}

/** Undefined for a segment with a parameter. */
function readLiteral({ segments }: PathTemplate, at: number): string | undefined {
  const texts = segments[at]?.decodedLowerCase
  return texts?.length === 1 ? texts[0] : undefined
}
