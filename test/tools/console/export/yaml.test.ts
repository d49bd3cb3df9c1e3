import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { stringifyYaml } from '../../../../src/tools/console/export/yaml.js'

const read = (text: string, version: '1.1' | '1.2'): unknown => parse(text, { version, maxAliasCount: 0 })

describe('the YAML of a JSON value', () => {
  it('is in block style, with quotes only where they are needed, and blocks of lines', () => {
    const document = {
      openapi: '3.1.0',
      paths: { '/items/{id}': { get: { tags: ['a: b', 'no', ''], responses: { '200': { $ref: '#/x' } } } } },
      empty: { list: [], object: {} },
      lists: [[1, 2.5], [{ a: true, b: null }], 'x'],
      text: 'Two lines:\n\n- one # no comment\n',
    }
    expect(stringifyYaml(document)).toBe(`openapi: "3.1.0"
paths:
  /items/{id}:
    get:
      tags:
        - "a: b"
        - "no"
        - ""
      responses:
        "200":
          $ref: "#/x"
empty:
  list: []
  object: {}
lists:
  - - 1
    - 2.5
  - - a: true
      b: null
  - x
text: |
  Two lines:

  - one # no comment
`)
  })

  it.each([
    'a\nb',
    'a\n\nb',
    'a\nb\n',
    'a\nb\n\n',
    'a\n',
    '\na',
    ' a\nb',
    'a \nb',
    'a\n b',
    'a\n  b\nc\n',
    'a\tb\nc',
    'a\r\nb',
    'a\n...\nb',
    'a\n---\nb',
    '-',
    '---',
    '...',
    '# a',
    'a #b',
    'a: b',
    'a:',
    '? a',
    '&a',
    '*a',
    '!a',
    '%a',
    '@a',
    '`a',
    '{a',
    '[a',
    'y',
    'NO',
    'Null',
    '~',
    '.inf',
    '0x1',
    '1e3',
    '1_000',
    '2020-01-01',
    '12:30',
    '=',
    '<<',
    'ä\u0085\u2028b\nc',
    '\ud83d\ude00\nx',
    '\ud800',
    '\uFEFFa\nb',
    '\u007f',
    'a\n\u00a0',
    'a,b',
    "it's",
    'x'.repeat(2000),
  ])('is read as the same text: %j', (text) => {
    const value = [text, [text], { [text]: text }, { a: [[text], { b: text }] }]
    for (const version of ['1.1', '1.2'] as const) expect(read(stringifyYaml(value), version)).toEqual(value)
  })

  it('is read as the same value, whatever the value', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...Array.from('ab \n\t:-#"\'|>%')) }),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('map'),
      ),
      list: fc.array(tie('value'), { maxLength: 4 }),
      map: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    }))
    fc.assert(
      fc.property(value, (given) => {
        const json: unknown = JSON.parse(JSON.stringify(given))
        expect(read(stringifyYaml(json), '1.2')).toEqual(json)
      }),
      { numRuns: 100 },
    )
  })
})
