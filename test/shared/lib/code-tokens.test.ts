import { describe, expect, it } from 'vitest'
import { findBodyLanguage, splitCode } from '../../../src/shared/lib/code-tokens.js'

/** The coloured pieces of code, by kind. */
function show(code: string, language: string): [kind: string, text: string][] {
  const tokens = splitCode(code, language)
  expect(tokens.map(({ text }) => text).join('')).toBe(code)
  return tokens.flatMap(({ kind, text }) => (kind === undefined ? [] : [[kind, text]]))
}

describe('code has colours', () => {
  it('in JSON: names, strings, numbers and literals', () => {
    expect(show('{ "a\\"b": [-1.5e3, "x: 1", null], "c" : true }', 'json')).toEqual([
      ['name', '"a\\"b"'],
      ['number', '-1.5e3'],
      ['string', '"x: 1"'],
      ['word', 'null'],
      ['name', '"c"'],
      ['word', 'true'],
    ])
  })

  it('in a shell: commands, options, strings and variables, and an address is no comment', () => {
    expect(show(`curl -X PUT \\\n  -H "Authorization: Bearer $TOKEN" 'https://a/it"s' $PATH`, 'curl')).toEqual([
      ['word', 'curl'],
      ['word', '-X'],
      ['word', '-H'],
      ['string', '"Authorization: Bearer $TOKEN"'],
      ['string', `'https://a/it"s'`],
      ['name', '$PATH'],
    ])
  })

  it('in programs: comments, strings, words and numbers', () => {
    expect(show(`const a = 'it\\'s // no' // 1 "b"\nreturn 30`, 'javascript')).toEqual([
      ['word', 'const'],
      ['string', `'it\\'s // no'`],
      ['comment', '// 1 "b"'],
      ['word', 'return'],
      ['number', '30'],
    ])
    expect(show('x = "#" # note\n', 'python')).toEqual([
      ['string', '"#"'],
      ['comment', '# note'],
    ])
  })

  it('in template literals with code in them, in text blocks, and in comments of several lines', () => {
    expect(show('f(`a ${b ? `c` : { d }.d} "e`, 1) // `', 'javascript')).toEqual([
      ['string', '`a ${b ? `c` : { d }.d} "e`'],
      ['number', '1'],
      ['comment', '// `'],
    ])
    expect(show('data = """{"a": "it\'s"}\n# 1""" # note', 'python')).toEqual([
      ['string', '"""{"a": "it\'s"}\n# 1"""'],
      ['comment', '# note'],
    ])
    expect(show('/* 30 "a\n * 1 **/ return 2', 'java')).toEqual([
      ['comment', '/* 30 "a\n * 1 **/'],
      ['word', 'return'],
      ['number', '2'],
    ])
  })

  it('and stays itself where it is broken, and plain where it is long', () => {
    for (const code of ['"', "'a", '{"a":', '\\', ''])
      for (const language of ['json', 'curl', 'go', 'constructor']) show(code, language)
    expect(splitCode('"a"'.repeat(20_000), 'json')).toHaveLength(1)
    const start = performance.now()
    for (const language of ['json', 'curl', 'go']) splitCode('"\\'.repeat(24_000), language)
    splitCode(`${'"'.repeat(24_999)}\\`, 'go')
    for (const text of ['`${', '`${`', '`${{', '/*', '"""\\', '${}`']) splitCode(text.repeat(8000), 'go')
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it('only in JSON among the media types', () => {
    expect(['application/json', 'application/problem+json; v=1', 'text/csv'].map(findBodyLanguage)).toEqual([
      'json',
      'json',
      undefined,
    ])
  })
})
