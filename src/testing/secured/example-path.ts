/** A path that a pattern matches, made of the values of its groups. */
export interface ExamplePath {
  readonly path: string
  /** The text of each capturing group, in the pattern's order; undefined for one that the path does not use. */
  readonly groups: readonly (string | undefined)[]
}

/**
 * Paths that a regular expression matches: one for each alternative at its outermost level. `values[n]` is what the n-th
 * capturing group is to be, where that fits. Empty if no path could be made.
 */
export function findExamplePaths(pattern: RegExp, values: readonly (string | undefined)[] = []): ExamplePath[] {
  const alternatives = readOutermostAlternatives(new Reader(pattern.source))
  return alternatives.flatMap((node) => {
    const groups: (string | undefined)[] = []
    const path = write(node, groups, values, pattern.flags)
    // Reading stops where this file does not understand an expression.
    return matches(pattern, path) ? [{ path, groups }] : []
  })
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
  | { readonly kind: 'repeat'; readonly times: number; readonly content: Node }

/** What a parameter may be: the first that fits. `#` is its number, by which its name is found. */
const VALUES = ['value#', '#', 'x#', 'a', '1', 'A', '2000-01-01', '00000000-0000-4000-8000-000000000000', 'x/y']

function write(
  node: Node,
  groups: (string | undefined)[],
  values: readonly (string | undefined)[],
  flags: string,
): string {
  switch (node.kind) {
    case 'text':
      return node.text
    case 'class':
      return findCharacter(node.source, flags)
    case 'sequence':
      return node.parts.map((part) => write(part, groups, values, flags)).join('')
    case 'choice':
      return write(node.alternatives[0]!, groups, values, flags)
    case 'repeat':
      return Array.from({ length: node.times }, () => write(node.content, groups, values, flags)).join('')
    case 'group':
      return (groups[node.index] = chooseValue(node, values, flags) ?? write(node.content, groups, values, flags))
    default:
      return ''
  }
}

function chooseValue(
  { index, source }: Extract<Node, { kind: 'group' }>,
  values: readonly (string | undefined)[],
  flags: string,
): string | undefined {
  const whole = new RegExp(`^(?:${source})$`, flags.replace(/[gy]/g, ''))
  const candidates = [values[index] ?? [], VALUES.map((value) => value.replace('#', String(index + 1)))].flat()
  return candidates.find((candidate) => whole.test(candidate))
}

const CHARACTERS = ['a', 'A', '1', '-', '_', '.', '~', '/', ' '].concat(
  Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)),
)

function findCharacter(source: string, flags: string): string {
  const one = new RegExp(`^(?:${source})$`, flags.replace(/[gy]/g, ''))
  return CHARACTERS.find((character) => one.test(character)) ?? ''
}

/** `(?:a|b)`, which Express makes of a list of paths, has two. */
function readOutermostAlternatives(reader: Reader): readonly Node[] {
  let node = reader.readChoice()
  while (node.kind === 'sequence') {
    const parts = node.parts.filter((part) => part.kind !== 'text' || part.text !== '')
    if (parts.length !== 1) break
    node = parts[0]!
  }
  return node.kind === 'choice' ? node.alternatives : [node]
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
    const content = this.readAtom()
    const quantifier = /^(?:[?*+]|\{(\d+)(?:,\d*)?\})\??/.exec(this.source.slice(this.at))
    if (!quantifier) return content
    this.at += quantifier[0].length
    const [text, count] = quantifier
    const times = count === undefined ? (text.startsWith('+') ? 1 : 0) : Number(count)
    return { kind: 'repeat', times: Math.min(times, 64), content }
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
