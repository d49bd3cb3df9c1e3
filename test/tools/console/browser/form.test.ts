import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCredentials } from '../../../../src/core/applications/credentials/credentials.js'
import {
  decode,
  formatDuration,
  formatSize,
  isText,
  readFileName,
} from '../../../../src/tools/console/browser/answer.js'
import { isCompleteKey } from '../../../../src/tools/console/browser/checksum.js'
import { findJsonProblem, formatJson } from '../../../../src/tools/console/browser/json.js'
import { readValue } from '../../../../src/tools/console/browser/form.js'

describe('the checksum of a key', () => {
  const credentials = createCredentials('tea_shop', randomBytes(32))

  it('is right for every key of the platform', () => {
    for (let count = 0; count < 50; count++) expect(isCompleteKey(credentials.mint('key', 0).plain)).toBe(true)
  })

  it('is wrong for a key with another character, one less, and for a secret', () => {
    const key = credentials.mint('key', 0).plain
    for (const at of [9, 20, key.length - 1]) {
      const other = key.charAt(at) === 'x' ? 'y' : 'x'
      expect(isCompleteKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
    }
    for (const wrong of [key.slice(0, -1), key.slice(1), `${key} `, '', credentials.mint('secret', 0).plain])
      expect(isCompleteKey(wrong)).toBe(false)
  })
})

describe('JSON', () => {
  it('is indented like JSON.stringify() does, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(formatJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
      }),
    )
  })

  it('keeps numbers that JavaScript would round', () => {
    expect(formatJson('{"id":12345678901234567890,"n":1.0}')).toBe('{\n  "id": 12345678901234567890,\n  "n": 1.0\n}')
  })

  it('is left as it is if it is invalid', () => {
    expect(formatJson('{"a":}')).toBeUndefined()
    expect(findJsonProblem('{"a": 1}')).toBeUndefined()
    expect(findJsonProblem('{"a":\n 1,}')).toMatch(/^This is not valid JSON: .+\.$/)
  })
})

describe('the text of a field', () => {
  it.each([
    ['20', 'integer', '20'],
    ['12345678901234567890', 'integer', '12345678901234567890'],
    ['1.50', 'number', '1.50'],
    ['true', 'boolean', 'true'],
    [' a ', 'string', ' a '],
    ['a\n b \n\n', 'array', ['a', 'b']],
    ['a, b', 'array', ['a', 'b']],
    ['[1, "a,b"]', 'array', [1, 'a,b']],
    ['{"a": 1}', 'object', { a: 1 }],
    ['null', 'json', null],
  ])('%j of type %s', (text, type, value) => {
    expect(readValue(text, type)).toEqual({ value })
  })

  it.each([
    ['1.5', 'integer', 'Enter a whole number, such as 20.'],
    ['much', 'number', 'Enter a number, such as 1.5.'],
    ['yes', 'boolean', 'Enter true or false.'],
    ['[1', 'array', 'Enter one value per line, or a JSON array'],
    ['[1]', 'object', 'Enter a JSON object'],
    ['{', 'json', 'This is not valid JSON'],
  ])('%j is refused as %s', (text, type, problem) => {
    expect(readValue(text, type)).toEqual({ problem: expect.stringContaining(problem) as string })
  })
})

describe('the body of an answer', () => {
  it('is text by its media type', () => {
    for (const type of [
      'text/csv',
      'application/json',
      'application/problem+json',
      'application/xml',
      'application/yaml',
    ])
      expect([type, isText(type)]).toEqual([type, true])
    for (const type of ['application/pdf', 'application/octet-stream', 'audio/ogg', 'application/json-seq-archive'])
      expect([type, isText(type)]).toEqual([type, type.includes('json')])
  })

  it('is decoded as its charset says, and as UTF-8 if that is unknown', () => {
    expect(decode(Uint8Array.of(0xfc), 'text/plain; charset=iso-8859-1')).toBe('ü')
    expect(decode(new TextEncoder().encode('ü'), 'text/plain; charset=none')).toBe('ü')
  })

  it('has a size and a duration in words', () => {
    expect([999, 12_345, 1_500_000].map(formatSize)).toEqual(['999 B', '12.3 KB', '1.5 MB'])
    expect([12.4, 1234].map(formatDuration)).toEqual(['12 ms', '1.2 s'])
  })

  it('has a file name without anything but letters, digits, dots and dashes', () => {
    const url = 'https://api.example.com/files/a%20b?x=1'
    expect(readFileName(null, url)).toBe('a_b')
    expect(readFileName('attachment; filename="../r e.csv"', url)).toBe('.._r_e.csv')
    expect(readFileName(null, 'https://api.example.com/')).toBe('answer')
  })
})
