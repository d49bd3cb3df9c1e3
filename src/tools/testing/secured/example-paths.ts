export interface ExamplePath {
  readonly path: string
  readonly groups: readonly (string | undefined)[]
}

/**
 * Paths for a pattern: each alternative, with and without what is optional, and with other numbers of segments for a wildcard. The
 * pattern itself decides which are right. Empty for expressions that need more (lookaheads, references to groups): the option
 * `examples` has paths for those.
 */
export function findExamplePaths(pattern: RegExp): ExamplePath[] {
  const plain = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''))
  const found = new Map<string, ExamplePath>()
  for (const text of listTexts(pattern.source)) {
    const path = text.startsWith('/') ? text : `/${text}`
    const match = plain.exec(path.replace(/(?<=.)\/$/, '')) ?? plain.exec(path)
    if (match) found.set(match.input, { path: match.input, groups: match.slice(1) })
  }
  return [...found.values()]
}

/** Escaped characters, classes, the beginnings of groups, quantifiers, and every other character. */
const TOKENS = /\\[^]|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|(?:[?*+]|\{\d+(?:,\d*)?\})\??|[^]/g
const LOOKAROUND = /^\(\?<?[=!]/
const CLASS = /^(?:\\[dwsDWS]|\.|\[.*)$/s
const NOTHING = /^(?:[\^$]|\\[bB])$/
const MAX_TEXTS = 16

function listTexts(source: string): string[] {
  const tokens = source.match(TOKENS) ?? []
  let at = 0
  let count = 0

  function readAlternatives(): string[] {
    const texts = readSequence()
    while (tokens[at] === '|') {
      at += 1
      texts.push(...readSequence())
    }
    return texts
  }

  function readSequence(): string[] {
    let texts = ['']
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') {
      const next = readPart()
      texts = [...new Set(texts.flatMap((text) => next.map((each) => text + each)))].slice(0, MAX_TEXTS)
    }
    return texts
  }

  function readPart(): string[] {
    const token = tokens[at++]!
    const inner = token.startsWith('(') ? readAlternatives() : undefined
    if (inner) at += 1
    const quantifier = /^[?*+]|^\{\d/.test(tokens[at] ?? '') ? tokens[at++]! : ''
    const isOptional = /^[?*]/.test(quantifier)
    const texts = LOOKAROUND.test(token) || NOTHING.test(token) ? [''] : (inner ?? readCharacter(token, quantifier))
    return isOptional ? [...texts, ''] : texts
  }

  function readCharacter(token: string, quantifier: string): string[] {
    if (!CLASS.test(token)) return [token.replace('\\', '')]
    count += 1
    const isMatch = (text: string): boolean => new RegExp(`^${token}${quantifier}$`).test(text)
    const length = Number(/\d+/.exec(quantifier) ?? 1)
    const characters = ['a', '1', 'A', '-', 'x', '.', '_'].map((each) => each.repeat(length))
    const value = [`value${count}`, String(count), `x${count}`, ...characters].find(isMatch) ?? ''
    // A wildcard matches several segments.
    return isMatch(`${value}/${value}b`) ? [value, `${value}/${value}b`] : [value]
  }

  return readAlternatives()
}
