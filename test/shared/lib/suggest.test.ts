import { describe, expect, it } from 'vitest'
import { didYouMean, findSimilar } from '../../../src/shared/lib/suggest.js'

const KNOWN = ['list', 'rotate-key', 'rotate-secret', 'resume', 'suspend']

describe('findSimilar', () => {
  it.each([
    ['lsit', ['list'], 'swapped neighbours are one edit'],
    ['LIST', ['list'], 'case does not count'],
    ['rotate', ['rotate-key', 'rotate-secret'], 'the beginning of a word'],
    ['reusme', ['resume'], 'one swap'],
    ['suspnd', ['suspend'], 'one missing character'],
    ['xyz', [], 'nothing is similar'],
    ['ab', [], 'short words allow one edit only'],
  ])('finds for %j: %j (%s)', (word, similar) => {
    expect(findSimilar(word, KNOWN)).toEqual(similar)
  })

  it('returns at most three words, each once', () => {
    expect(findSimilar('name', ['name1', 'name2', 'name3', 'name4'])).toEqual(['name1', 'name2', 'name3'])
  })
})

it('didYouMean returns a question with a leading space, or nothing', () => {
  expect(didYouMean('rotate', KNOWN)).toBe(' Did you mean "rotate-key" or "rotate-secret"?')
  expect(didYouMean('xyz', KNOWN)).toBe('')
})

it('didYouMean shows the words as `format` says', () => {
  expect(didYouMean('stauts', ['status', 'limit'], (name) => `--${name}`)).toBe(' Did you mean --status?')
})
