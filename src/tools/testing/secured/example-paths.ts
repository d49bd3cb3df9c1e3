/** A path that a pattern matches, and the texts of its groups. */
export interface ExamplePath {
  readonly path: string
  readonly groups: readonly (string | undefined)[]
}

/**
 * Paths for a pattern as Express makes it of a path (`/items/:id`, `/files/*path`): with and without what is optional, and with other
 * numbers of segments for a wildcard. Parts of the pattern are replaced by texts that match them, and the pattern itself decides which
 * results are right. Empty for expressions of other forms: the option `examples` has paths for those.
 */
export function findExamplePaths(pattern: RegExp): ExamplePath[] {
  const plain = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''))
  const found = new Map<string, ExamplePath>()
  for (const source of splitAlternatives(pattern.source.replaceAll(END, ''))) {
    for (const path of expand(source.replace(/^\^/, ''))) {
      const text = path.replace(/(?<=.)\/$/, '')
      const match = plain.exec(text) ?? plain.exec(path)
      if (match) found.set(match.input, { path: match.input, groups: match.slice(1) })
    }
  }
  return [...found.values()]
}

/** The ends of Express's patterns: a slash that may be there, and a lookahead for layers of `use()`. */
const END = /(?:\\\/\?|\(\?:\\\/\$\)\?|\(\?:\\\/\(\?=\$\)\)\?)?(?:\(\?=\\\/\|\$\)|\$)(?=$|\|\^)/g

/** Splits at the bars that are in no group and in no class. */
function splitAlternatives(source: string): string[] {
  const parts = ['']
  let depth = 0
  for (const [token] of source.matchAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^]/g)) {
    if (token === '(') depth += 1
    if (token === ')') depth -= 1
    if (token === '|' && depth === 0) parts.push('')
    else parts.push(parts.pop()! + token)
  }
  return parts
}

/** Values of which the first that matches is used; `#` makes them differ. Wildcards match several segments. */
const VALUES = ['value#', '#', 'x#', 'a', '1', 'A', '2000', '12', '2000-01-01', '00000000-0000-4000-8000-000000000000']
const MAX_PATHS = 16

/** Replaces the innermost groups, then what stands for a character, until only text is left. */
function expand(start: string): string[] {
  let sources = [start]
  let count = 0
  for (let steps = 0; steps < 40 && sources.some((source) => GROUP.test(source)); steps += 1) {
    count += 1
    const number = count
    sources = sources.flatMap((source) => {
      const match = GROUP.exec(source)
      if (!match) return source
      const [all, kind = '', content = '', quantifier = ''] = match
      const put = (text: string): string => source.slice(0, match.index) + text + source.slice(match.index + all.length)
      if (/^\?[=!<](?!\w)/.test(kind)) return put('')
      const isOptional = quantifier.startsWith('?') || quantifier.startsWith('*')
      return [...listTexts(content, kind === '?:' ? undefined : number), ...(isOptional ? [''] : [])].map(put)
    })
    sources = [...new Set(sources)].slice(0, MAX_PATHS)
  }
  return sources.flatMap((source) => {
    let at = count
    const text = source.replaceAll(CHARACTERS, (part) => findValue(part, (at += 1)) ?? part)
    return [text.replaceAll(/(?:\\.|[^\\])\?/g, '').replaceAll(/\\(.)/g, '$1')]
  })
}

/** A group without groups in it. Escaped parentheses, and those in classes, are no groups. */
const GROUP = /(?<!\\)\((\?(?:[:=!]|<[=!]|<\w+>))?((?:\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^()[\]\\])*)\)([?*+]\??)?/
const CHARACTERS = /(?:\\[dwsDWS]|(?<!\\)\.|\[(?:\\[^]|[^\]\\])*\])(?:[?*+]|\{\d+(?:,\d*)?\})?\??/g

function listTexts(content: string, number: number | undefined): string[] {
  const whole = toRegExp(content)
  const value = number === undefined ? undefined : findValue(content, number)
  if (value === undefined) return splitAlternatives(content)
  if (!whole?.test('a/a')) return [value]
  return [value, ...(whole.test('') ? [''] : []), `${value}/${value}b`]
}

function findValue(source: string, number: number): string | undefined {
  const whole = toRegExp(source)
  return VALUES.map((value) => value.replace('#', String(number))).find((value) => whole?.test(value))
}

function toRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${source})$`)
  } catch {
    return undefined
  }
}
