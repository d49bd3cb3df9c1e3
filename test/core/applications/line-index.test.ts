import { expect, it } from 'vitest'
import { createLineIndex } from '../../../src/features/imports/import.js'

it('finds the first line of every text, also after it has grown', () => {
  const index = createLineIndex()
  const lines = Array.from({ length: 20_000 }, (_, i) => i + 1)
  expect(lines.filter((line) => index.add(`text ${line}`, line) !== undefined)).toEqual([])
  expect(lines.filter((line) => index.add(`text ${line}`, 99_999) !== line)).toEqual([])
})
