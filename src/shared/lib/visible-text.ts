/** A part of a sentence, or undefined. An invisible character may stand where its script or an emoji needs it. */
export function findLineProblem(text: string, most: number): string | undefined {
  const length = Array.from(text).length
  if (length > most) return `has ${length} characters`
  const control = /[\p{Cc}\p{Zl}\p{Zp}]/u.exec(text)
  if (control) return `has a line break or another control character (${formatCodePoint(control[0])})`
  const broken = /[\p{Cs}\p{Co}\p{Noncharacter_Code_Point}]/u.exec(text)
  if (broken) return `has a code point that is no character (${formatCodePoint(broken[0])})`
  const hidden = findHidden(text)
  if (hidden !== undefined) return `has a character that cannot be seen (${formatCodePoint(hidden)})`
  return /[^\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(text) ? undefined : 'has nothing that can be seen'
}

/** The first invisible character that neither its script nor an emoji needs where it stands. */
export function findHidden(text: string): string | undefined {
  let found: string | undefined
  replaceHidden(text, (character) => (found ??= character))
  return found
}

/** Replaces invisible and reordering characters, except where script or emoji need them, and line breaks. */
function replaceHidden(text: string, replace: (character: string) => string): string {
  // Most texts have none.
  return INVISIBLE.test(text)
    ? text.replaceAll(PARTS, (part, kept) => (kept === undefined ? replace(part) : part))
    : text
}

/** The text with invisible characters as escapes of JSON, so that a JSON text keeps its meaning. */
export function escapeHidden(text: string): string {
  return replaceHidden(text, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

export function formatCodePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Characters that are invisible anywhere: default-ignorable ones, marks of direction, annotations, blanks. */
const INVISIBLE_CLASS = String.raw`\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800\uFFF9-\uFFFC\u{1D159}`

/** Any invisible character. Code escapes them all. */
export const INVISIBLE = new RegExp(`[${INVISIBLE_CLASS}]`, 'u')

const MARKS = String.raw`[\p{Mn}\p{Me}]*`
const PICTURE = String.raw`\p{Extended_Pictographic}`

const WITH_VIRAMA =
  'Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Khmer Balinese Javanese'
const JOINING = 'Arabic Syriac Nko Mongolian Mandaic Adlam Hanifi_Rohingya'

function listScripts(names: string): string {
  return names.replaceAll(/\w+ ?/g, (name) => `\\p{Script=${name.trim()}}`)
}

/** Places where invisible characters are needed. */
const NEEDED = [
  // As RFC 5892 A.1 and A.2, but by script instead of by tables of Unicode: both joiners after a mark of a script that has a virama,
  // and the non-joiner between letters of a script whose letters join.
  `(?<=(?=\\p{M})[${listScripts(WITH_VIRAMA)}])[\\u200C\\u200D]`,
  `(?<=(?=\\p{L})[${listScripts(JOINING)}]${MARKS})\\u200C(?=${MARKS}(?=\\p{L})[${listScripts(JOINING)}])`,
  // Before a virama: Bengali ya-phalaa after ra, Kannada ra, conjuncts of Sinhala (Unicode 12.2, 12.8, 13.2).
  `(?<=[\\u09B0\\u0CB0\\p{Script=Sinhala}])\\u200D(?=[\\u09CD\\u0CCD\\u0DCA])`,
  // Emoji (UTS 51): sequences, presentation, keycaps, and the three flags that are recommended.
  `(?<=${PICTURE}[\\uFE0F\\p{Emoji_Modifier}]?)\\u200D(?=${PICTURE})`,
  `(?<=(?![0-9#*])\\p{Emoji})[\\uFE0E\\uFE0F]`,
  `(?<=[0-9#*])\\uFE0F(?=\\u20E3)`,
  `(?<=\\u{1F3F4})\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}`,
  // Variants of ideographs, of Myanmar and Phags-pa, and of Mongolian with its vowel separator.
  `(?<=\\p{Ideographic})[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]`,
  `(?<=[\\p{Script=Myanmar}\\p{Script=Phags_Pa}])\\uFE00`,
  `(?<=(?=\\p{L})\\p{Script=Mongolian})[\\u180B-\\u180F]`,
]

const PARTS = new RegExp(`(${NEEDED.join('|')})|[${INVISIBLE_CLASS}]`, 'gu')
