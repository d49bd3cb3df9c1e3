/** What one repetition of a part of a pattern can be, and how often it may be repeated. */
interface Piece {
  readonly texts: readonly string[]
  readonly min: number
  readonly max: number
}

/** A pattern, and a text that is made of it, may be so long. */
const MAX_LENGTH = 1000

/**
 * A text that matches a simple pattern: literals, classes, groups, alternatives and repetitions. Undefined for patterns with
 * look-around, references or what is longer. Nothing is matched here, so no pattern takes long. Packages that do this for any pattern are
 * larger than the console.
 */
export function createMatching(
  pattern: string,
  { least, most, nth }: { readonly least: number; readonly most: number; readonly nth: number },
): string | undefined {
  if (pattern.length > MAX_LENGTH) return undefined
  let at = 0
  let isSimple = true
  const alternatives = readAlternatives().map((pieces) => write(pieces, { least, most, nth }))
  return isSimple && at === pattern.length ? alternatives.find((text) => text !== undefined) : undefined

  function readAlternatives(): Piece[][] {
    const alternatives: Piece[][] = [[]]
    while (isSimple && at < pattern.length && pattern[at] !== ')') {
      if (pattern[at] === '|') {
        alternatives.push([])
        at++
      } else if (/[\^$]/.test(pattern[at]!)) at++
      else alternatives.at(-1)!.push({ texts: readTexts(), ...readRepetition() })
    }
    return alternatives
  }

  /** The texts that the next character, class or group can be. */
  function readTexts(): readonly string[] {
    const character = take()
    if (character === '.') return LETTERS
    if (character === '\\') return readEscape()
    if (character === '[') return readClass()
    if (character !== '(') return [character]
    const [kind = ''] = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(pattern.slice(at, at + 50)) ?? []
    if (/[=!]$/.test(kind)) isSimple = false
    at += kind.length
    const texts = readAlternatives().flatMap((pieces) => write(pieces, { least: 0, most: MAX_LENGTH, nth: 0 }) ?? [])
    if (take() !== ')') isSimple = false
    return texts
  }

  function readClass(): readonly string[] {
    const isNegated = pattern[at] === '^'
    if (isNegated) at++
    const texts: string[] = []
    while (isSimple && pattern[at] !== ']') {
      const first = pattern[at] === '\\' ? (at++, readEscape()) : [take()]
      if (pattern[at] === '-' && pattern[at + 1] !== ']' && first.length === 1) {
        at++
        const last = pattern[at] === '\\' ? (at++, readEscape()) : [take()]
        texts.push(...listBetween(first[0]!, last[0]!))
      } else texts.push(...first)
    }
    at++
    return isNegated ? [...LETTERS, '-', ' '].filter((text) => !texts.includes(text)) : texts
  }

  function readEscape(): readonly string[] {
    const character = take()
    const code = /^x[\da-f]{2}|^u[\da-f]{4}/i.exec(pattern.slice(at - 1, at + 4))?.[0]
    if (code !== undefined) {
      at += code.length - 1
      return [String.fromCharCode(Number.parseInt(code.slice(1), 16))]
    }
    if (Object.hasOwn(ESCAPES, character)) return ESCAPES[character]!
    if (/[\da-z]/i.test(character)) isSimple = false
    return [character]
  }

  function readRepetition(): Omit<Piece, 'texts'> {
    const [given = '', braces, from = '', to] =
      /^(?:[*+?]|(\{(\d+)(?:(?:,(\d*)))?\}))\??/.exec(pattern.slice(at, at + 30)) ?? []
    at += given.length
    if (braces !== undefined)
      return { min: Number(from), max: to === undefined ? Number(from) : to === '' ? Infinity : Number(to) }
    const [sign] = given
    return { min: sign === '*' || sign === '?' ? 0 : 1, max: sign === '*' || sign === '+' ? Infinity : 1 }
  }

  function take(): string {
    if (at >= pattern.length) isSimple = false
    return pattern[at++] ?? ''
  }
}

/** The shortest text of the pieces that is long enough; each variable character is the `nth` that it can be. */
function write(
  pieces: readonly Piece[],
  { least, most, nth }: { readonly least: number; readonly most: number; readonly nth: number },
): string | undefined {
  const chosen = pieces.map(({ texts }) => texts[nth % texts.length])
  if (chosen.includes(undefined) || pieces.some(({ min }) => min > MAX_LENGTH)) return undefined
  const counts = pieces.map(({ min }) => min)
  const measure = (): number => chosen.reduce((sum, text, at) => sum + text!.length * counts[at]!, 0)
  for (const [at, { max }] of pieces.entries()) {
    const missing = Math.ceil((least - measure()) / (chosen[at]!.length || 1))
    counts[at] = Math.min(max, counts[at]! + Math.max(0, missing))
  }
  const length = measure()
  if (length > most || length > MAX_LENGTH) return undefined
  return chosen.map((text, at) => text!.repeat(counts[at]!)).join('')
}

/** The characters from one to another. */
function listBetween(first: string, last: string): string[] {
  const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)]
  const length = Math.min(Math.max(0, to - from + 1), MAX_LENGTH)
  return Array.from({ length }, (_, at) => String.fromCharCode(from + at))
}

const DIGITS = listBetween('0', '9')
const LETTERS = [...listBetween('a', 'z'), ...listBetween('A', 'Z'), ...DIGITS]

const ESCAPES: Readonly<Record<string, readonly string[]>> = {
  d: DIGITS,
  w: [...LETTERS, '_'],
  s: [' '],
  D: LETTERS.slice(0, 52),
  W: ['-', ' '],
  S: LETTERS,
  n: ['\n'],
  r: ['\r'],
  t: ['\t'],
}
