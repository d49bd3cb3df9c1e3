import { describe, expect, it } from 'vitest'
import { alignColumns, createTable, formatTime, wrapText } from '../../../src/tools/cli/format.js'

describe('a table', () => {
  it('aligns its columns, and leaves no space at the end of a line', () => {
    const rows = [
      ['1', 'one'],
      ['twenty', '2'],
    ]
    expect(createTable(['n', 'name'])(rows)).toBe('N       NAME\n1       one\ntwenty  2')
  })

  it('counts two columns for East Asian wide characters and for emoji', () => {
    expect(
      alignColumns([
        ['店', 'x'],
        ['🛒', 'x'],
        ['e\u0301é', 'x'],
        ['ab', 'x'],
      ]),
    ).toBe('店  x\n🛒  x\ne\u0301é  x\nab  x')
  })

  it('replaces characters that move the cursor, hide text or change its direction', () => {
    expect(alignColumns([['a\u001B[2Jb\u202Ec\nd\u200B', 'x']])).toBe('a\uFFFD[2Jb\uFFFDc\uFFFDd\uFFFD  x')
  })
})

it('formats a time to the second, and a missing one as a dash', () => {
  expect(formatTime(new Date('2025-11-20T15:23:01.999Z'))).toBe('2025-11-20 15:23:01Z')
  expect(formatTime(undefined)).toBe('-')
})

it('wraps text between words', () => {
  expect(wrapText('one two three four', '  ', 10)).toBe('one two\n  three\n  four')
})
