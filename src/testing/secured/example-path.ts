/** A path that a pattern matches, made of the values of its groups. */
export interface ExamplePath {
  readonly path: string
  /** The text of each capturing group, in the pattern's order; undefined for one that the path does not use. */
  readonly groups: readonly (string | undefined)[]
  /**
   * Further paths, `values[n]` being the value of the n-th group: without and with optional parts, and with 0, 1 and 2 segments
   * for a wildcard. The first is the path with these values.
   */
  listVariants(values: readonly (string | undefined)[]): string[]
}

/**
 * Paths that a regular expression matches: one for each alternative at its outermost level. Empty if no path could be made.
 */
export function findExamplePaths(pattern: RegExp): ExamplePath[] {
  const alternatives = readOutermostAlternatives(new Reader(pattern.source))
  return alternatives.flatMap((node) => {
    const create = (shape: Shape, values: readonly (string | undefined)[]): Writer => {
      const writer: Writer = { shape, values, flags: pattern.flags, groups: [], optionalCount: 0 }
      return { ...writer, path: write(node, writer), groups: writer.groups, optionalCount: writer.optionalCount }
    }
    // Reading stops where this file does not understand an expression.
    const first = listShapes(MAX_OPTIONALS)
      .map((shape) => create(shape, []))
      .find(({ path = '' }) => matches(pattern, path))
    if (first?.path === undefined) return []
    return [
      {
        path: first.path,
        groups: first.groups,
        listVariants(values) {
          const shapes = [first.shape, ...listShapes(first.optionalCount)]
          const paths = new Set(shapes.map((shape) => create(shape, values).path ?? ''))
          const found = [...paths].filter((path) => matches(pattern, path))
          return found.length > 0 ? found : [first.path!]
        },
      },
    ]
  })
}

/** The form in which optional parts and wildcards are written. */
interface Shape {
  /** The number of segments of a wildcard. */
  readonly segments: number
  /** A bit for each optional part, in the pattern's order: whether it is there. */
  readonly present: number
}

const MAX_OPTIONALS = 3

function listShapes(optionalCount: number): Shape[] {
  const masks = Array.from({ length: 2 ** Math.min(optionalCount, MAX_OPTIONALS) }, (_, present) => present)
  return masks.flatMap((present) => [1, 0, 2].map((segments) => ({ segments, present })))
}

interface Writer {
  readonly shape: Shape
  readonly values: readonly (string | undefined)[]
  readonly flags: string
  readonly groups: (string | undefined)[]
  optionalCount: number
  readonly path?: string
}

function matches(pattern: RegExp, path: string): boolean {
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(path)
}

type Node =
  | { readonly kind: 'text'; readonly text: string }
  /** One character of a class, written as in the pattern. */
  | { readonly kind: 'class'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly alternatives: readonly Node[] }
  | { readonly kind: 'group'; readonly index: number; readonly source: string; readonly content: Node }
  | {
      readonly kind: 'repeat'
      readonly source: string
      readonly times: number
      readonly most: number
      readonly content: Node
    }

/** Values for a parameter, of which the first that fits is used. `#` is the parameter's number, by which its name is found. */
const VALUES = ['value#', '#', 'x#', 'a', '1', 'A', '2000-01-01', '00000000-0000-4000-8000-000000000000', 'x/y']

function write(node: Node, writer: Writer): string {
  switch (node.kind) {
    case 'text':
      return node.text
    case 'class':
      return findCharacter(node.source, writer.flags)
    case 'sequence':
      return node.parts.map((part) => write(part, writer)).join('')
    case 'choice':
      return write(node.alternatives[0]!, writer)
    case 'repeat':
      return writeRepeated(node, writer)
    case 'group':
      return (writer.groups[node.index] = chooseValue(node, writer) ?? write(node.content, writer))
    default:
      return ''
  }
}

function writeRepeated(node: Extract<Node, { kind: 'repeat' }>, writer: Writer): string {
  const { times, most, content, source } = node
  if (times === 0 && most === 1) {
    const isPresent = ((writer.shape.present >> writer.optionalCount) & 1) === 1
    writer.optionalCount += 1
    return isPresent ? write(content, writer) : ''
  }
  const whole = new RegExp(`^(?:${source})$`, writer.flags.replace(/[gy]/g, ''))
  const wildcard = most > 1 && whole.test('a/a') ? WILDCARDS[writer.shape.segments] : undefined
  if (wildcard !== undefined && whole.test(wildcard)) return wildcard
  return Array.from({ length: times }, () => write(content, writer)).join('')
}

/** Texts for a wildcard, by their number of segments. */
const WILDCARDS: readonly string[] = ['', 'a', 'a/a']

function chooseValue(
  { index, source }: Extract<Node, { kind: 'group' }>,
  { values, flags, shape }: Writer,
): string | undefined {
  const whole = new RegExp(`^(?:${source})$`, flags.replace(/[gy]/g, ''))
  const name = (value: string): string => value.replaceAll('#', String(index + 1))
  const isWildcard = whole.test('a/a')
  const special = isWildcard && shape.segments !== 1 ? (shape.segments === 0 ? [''] : ['value#/value#b']) : []
  const candidates = [special, values[index] ?? [], VALUES].flat().map(name)
  return candidates.find((candidate) => whole.test(candidate))
}

const CHARACTERS = ['a', 'A', '1', '-', '_', '.', '~', '/', ' '].concat(
  Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)),
)

function findCharacter(source: string, flags: string): string {
  const one = new RegExp(`^(?:${source})$`, flags.replace(/[gy]/g, ''))
  return CHARACTERS.find((character) => one.test(character)) ?? ''
}

/** Lists the outermost alternatives: `(?:a|b)`, which Express makes of a list of paths, has two. */
function readOutermostAlternatives(reader: Reader): readonly Node[] {
  let node = reader.readChoice()
  while (node.kind === 'sequence') {
    const parts = node.parts.filter((part) => (part.kind !== 'text' || part.text !== '') && !isOptional(part))
    if (parts.length !== 1) break
    node = parts[0]!
  }
  return node.kind === 'choice' ? node.alternatives : [node]
}

/** Express 5 has a slash at the end in one. */
function isOptional(node: Node): boolean {
  return node.kind === 'repeat' && node.times === 0
}

/** Reads the syntax of regular expressions (ECMA-262 22.2.1). Assertions become nothing: the result is checked as a whole. */
class Reader {
  // A class, because its methods call each other and share a position.
  private at = 0
  private groupCount = 0
  private readonly source: string

  constructor(source: string) {
    this.source = source
  }

  readChoice(): Node {
    const alternatives = [this.readSequence()]
    while (this.take('|')) alternatives.push(this.readSequence())
    return alternatives.length > 1 ? { kind: 'choice', alternatives } : alternatives[0]!
  }

  private readSequence(): Node {
    const parts: Node[] = []
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at]!)) parts.push(this.readRepeated())
    return { kind: 'sequence', parts }
  }

  private readRepeated(): Node {
    const start = this.at
    const content = this.readAtom()
    const quantifier = /^(?:[?*+]|\{(\d+)(?:,\d*)?\})\??/.exec(this.source.slice(this.at))
    if (!quantifier) return content
    this.at += quantifier[0].length
    const [text, count] = quantifier
    const times = count === undefined ? (text.startsWith('+') ? 1 : 0) : Number(count)
    const most = text.startsWith('?') ? 1 : Number.MAX_SAFE_INTEGER
    return { kind: 'repeat', source: this.source.slice(start, this.at), times: Math.min(times, 64), most, content }
  }

  private readAtom(): Node {
    const start = this.at
    const character = this.source[this.at++]!
    if (character === '^' || character === '$') return NOTHING
    if (character === '.') return { kind: 'class', source: '.' }
    if (character === '\\') return this.readEscape()
    if (character === '[') {
      while (this.at < this.source.length && this.source[this.at] !== ']')
        this.at += this.source[this.at] === '\\' ? 2 : 1
      this.at += 1
      return { kind: 'class', source: this.source.slice(start, this.at) }
    }
    return character === '(' ? this.readGroup() : { kind: 'text', text: character }
  }

  private readGroup(): Node {
    const [prefix = ''] = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(this.source.slice(this.at)) ?? []
    this.at += prefix.length
    const captures = prefix === '' || /^\?<\w/.test(prefix)
    const index = captures ? this.groupCount++ : -1
    const start = this.at
    const content = this.readChoice()
    const source = this.source.slice(start, this.at)
    this.take(')')
    if (captures) return { kind: 'group', index, source, content }
    return prefix === '?:' ? content : NOTHING
  }

  private readEscape(): Node {
    const [escape = ''] = /^(?:u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[^])/i.exec(this.source.slice(this.at)) ?? []
    this.at += escape.length
    if (/^[bB]$/.test(escape) || (/^\d/.test(escape) && escape !== '0')) return NOTHING
    if (/^[a-z\d]/i.test(escape)) return { kind: 'class', source: `\\${escape}` }
    return { kind: 'text', text: escape }
  }

  private take(character: string): boolean {
    if (this.source[this.at] !== character) return false
    this.at += 1
    return true
  }
}

const NOTHING: Node = { kind: 'text', text: '' }
