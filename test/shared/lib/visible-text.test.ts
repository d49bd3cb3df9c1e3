import { describe, expect, it } from 'vitest'
import { escapeHidden, findLineProblem, INVISIBLE } from '../../../src/shared/lib/visible-text.js'

/** Each hidden character as its code point in brackets. */
const escape = (text: string): string =>
  escapeHidden(text)
    .replaceAll(
      /\\u(d[89ab]..)\\u(d[c-f]..)/g,
      (_, high, low) => `[${toCode(String.fromCharCode(parseInt(high, 16), parseInt(low, 16)))}]`,
    )
    .replaceAll(/\\u0*([0-9a-f]{1,4}?)(?<=\\u.{4})/g, '[$1]')

const toCode = (character: string): string => character.codePointAt(0)!.toString(16)

const NEEDED: readonly (readonly [why: string, text: string])[] = [
  ['Persian non-joiner', '\u0634\u0631\u06A9\u062A\u200C\u0647\u0627'],
  ['Persian non-joiner after a vowel mark', '\u0646\u0650\u200C\u0645'],
  ['Hindi joiner after a virama', '\u0915\u094D\u200D\u0937'],
  ['Hindi non-joiner after a virama', '\u0915\u094D\u200C\u0937'],
  ['Marathi eyelash ra', '\u0930\u094D\u200D\u092F'],
  ['Bengali ya-phalaa', '\u09B0\u200D\u09CD\u09AF\u09BE\u09AC'],
  ['Kannada ra', '\u0CB0\u200D\u0CCD\u0C95'],
  ['Sinhala conjunct', '\u0DC1\u0DCA\u200D\u0DBB\u0DD3'],
  ['Malayalam', '\u0D28\u0D4D\u200D'],
  ['Mongolian with vowel separator', '\u182A\u1820\u180E\u1820'],
  ['Mongolian variant', '\u1820\u180B'],
  ['Japanese variant of an ideograph', '\u845B\u{E0100}\u57CE'],
  ['family', '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}'],
  ['rainbow flag', '\u{1F3F3}\uFE0F\u200D\u{1F308}'],
  ['woman with a skin tone at the computer', '\u{1F469}\u{1F3FD}\u200D\u{1F4BB}'],
  ['flag of Scotland', '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
  ['flag of two letters', '\u{1F1E9}\u{1F1EA}'],
  ['keycap', '1\uFE0F\u20E3'],
  ['heart as an emoji', '\u2764\uFE0F'],
  ['Arabic number sign, which is seen', '\u0600\u0661'],
  ['Hebrew, Thai, Korean, Ethiopic', '\u05E9\u05DC\u05D5\u05DD \u0E44\u0E17\u0E22 \uD55C\uAD6D \u12A0'],
  ['spaces that are seen', '\u682A\u5F0F\u4F1A\u793E\u3000\u5C71\u7530'],
]

const HIDDEN: readonly (readonly [why: string, text: string, escaped: string])[] = [
  ['joiner in Latin', 'a\u200Db', 'a[200d]b'],
  ['non-joiner in Latin', 'a\u200Cb', 'a[200c]b'],
  ['joiner at the start', '\u200Da', '[200d]a'],
  ['non-joiner between letters of two scripts', '\u0631\u200Cx', '\u0631[200c]x'],
  ['non-joiner at the end', '\u0645\u200C', '\u0645[200c]'],
  ['second joiner', '\u0915\u094D\u200D\u200D\u0937', '\u0915\u094D\u200D[200d]\u0937'],
  ['joiner between an emoji and a letter', '\u{1F468}\u200Da', '\u{1F468}[200d]a'],
  ['second variation selector', '\u2764\uFE0F\uFE0F', '\u2764\uFE0F[fe0f]'],
  ['variation selector after a letter', 'a\uFE0F', 'a[fe0f]'],
  ['variation selector after a digit', '1\uFE0F2', '1[fe0f]2'],
  ['variation selectors that carry data', '\u{1F600}\u{E0101}\u{E0102}', '\u{1F600}[e0101][e0102]'],
  ['tags', 'a\u{E0041}\u{E007F}', 'a[e0041][e007f]'],
  ['tags that are no flag', '\u{1F3F4}\u{E0041}\u{E007F}', '\u{1F3F4}[e0041][e007f]'],
  ['soft hyphen', 'a\u00ADb', 'a[ad]b'],
  ['grapheme joiner', 'a\u034Fb', 'a[34f]b'],
  ['Hangul fillers', '\u3164\u115F\u1160\uFFA0', '[3164][115f][1160][ffa0]'],
  ['Khmer vowels', '\u17B4\u17B5', '[17b4][17b5]'],
  ['Mongolian selector in Latin', 'a\u180Bb\u180E', 'a[180b]b[180e]'],
  ['zero-width space, word joiner, byte order mark', '\u200B\u2060\uFEFF', '[200b][2060][feff]'],
  ['directions', '\u061C\u200E\u200F\u202A\u202E\u2066\u2069', '[61c][200e][200f][202a][202e][2066][2069]'],
  ['invisible operators', '\u2061\u2062\u2063\u2064', '[2061][2062][2063][2064]'],
  ['annotations', '\uFFF9\uFFFA\uFFFB\uFFFC', '[fff9][fffa][fffb][fffc]'],
  ['blanks that are no spaces', '\u2800\u{1D159}', '[2800][1d159]'],
  ['musical and shorthand format', '\u{1D173}\u{1BCA0}', '[1d173][1bca0]'],
]

describe('characters that nobody sees', () => {
  it.each(NEEDED)('stay where a script or an emoji needs them: %s', (_why, text) => {
    expect(escape(text)).toBe(text)
    expect(findLineProblem(text, 100)).toBeUndefined()
  })

  it.each(HIDDEN)('are found elsewhere: %s', (_why, text, escaped) => {
    expect(escape(text)).toBe(escaped)
    expect(INVISIBLE.test(text)).toBe(true)
    expect(findLineProblem(`x${text}`, 100)).toMatch(/cannot be seen \(U\+/)
  })

  it('are recognized in long texts without growing time', () => {
    const mark = '\u0627\u0650'.repeat(20_000)
    expect(escape(`${mark}\u200C${mark}x`)).not.toContain('[200c]')
    expect(escape('\u0645\u200C'.repeat(20_000)).match(/\[200c\]/g)).toHaveLength(1)
  })
})

describe('a line', () => {
  it.each([
    ['a\nb', /line break or another control character \(U\+000A\)/],
    ['a\u2028b', /U\+2028/],
    ['\uD800', /no character \(U\+D800\)/],
    ['\uE000', /no character \(U\+E000\)/],
    ['\uFFFF', /no character/],
    ['\u0301\u0302', /nothing that can be seen/],
    ['\u{1F600}'.repeat(101), /^has 101 characters$/],
  ])('that cannot be read is refused with the reason: %j', (text, problem) => {
    expect(findLineProblem(text, 100)).toMatch(problem)
  })

  it('is counted in code points, not in UTF-16', () => {
    expect(findLineProblem('\u{1F600}'.repeat(100), 100)).toBeUndefined()
  })
})
