import { describe, expect, it } from 'vitest'
import { findSimilar } from '../../src/lib/suggest.js'
import { isWithin } from '../../src/cli/doctor/runtime-checks.js'
import { columns, fold, instant, table } from '../../src/cli/table.js'

describe('a table', () => {
  it('aligns its columns, and leaves no space at the end of a line', () => {
    const rows = [
      ['1', 'one'],
      ['twenty', '2'],
    ]
    expect(table(['n', 'name'], rows)).toBe('N       NAME\n1       one\ntwenty  2')
  })

  it('counts two columns for the wide emails of East Asia, and for emoji', () => {
    expect(
      columns([
        ['店', 'x'],
        ['🛒', 'x'],
        ['e\u0301é', 'x'],
        ['ab', 'x'],
      ]),
    ).toBe('店  x\n🛒  x\ne\u0301é  x\nab  x')
  })

  it('shows a mark in place of what would move the cursor, hide or turn text around', () => {
    expect(columns([['a\u001B[2Jb\u202Ec\nd\u200B', 'x']])).toBe('a\uFFFD[2Jb\uFFFDc\uFFFDd\uFFFD  x')
  })
})

it('tells an instant to the second, and none by a dash', () => {
  expect(instant(new Date('2025-11-20T15:23:01.999Z'))).toBe('2025-11-20 15:23:01Z')
  expect(instant(undefined)).toBe('-')
})

it('folds text between words', () => {
  expect(fold('one two three four', '  ', 10)).toBe('one two\n  three\n  four')
})

it('finds what a word may have meant', () => {
  const known = ['list', 'show', 'rotate-key', 'rotate-secret', 'resume']
  expect(findSimilar('lsit', known)).toEqual(['list'])
  expect(findSimilar('LIST', known)).toEqual(['list'])
  expect(findSimilar('rotate', known)).toEqual(['rotate-key', 'rotate-secret'])
  expect(findSimilar('reusme', known)).toEqual(['resume'])
  expect(findSimilar('xyz', known)).toEqual([])
})

it.each([
  ['20.19.0', true],
  ['20.18.3', false],
  ['21.7.3', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['23.9.0', false],
  ['24.0.0', true],
  ['26.1.0', true],
])('knows whether Node %s is supported', (version, supported) => {
  expect(isWithin(version, '^20.19.0 || ^22.12.0 || >=24.0.0')).toBe(supported)
})
