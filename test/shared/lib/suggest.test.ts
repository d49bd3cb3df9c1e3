import { describe, expect, it } from 'vitest'
import { didYouMean } from '../../../src/shared/lib/suggest.js'

const KNOWN = ['list', 'rotate-key', 'rotate-secret', 'resume', 'suspend']

describe('didYouMean', () => {
  it.each([
    ['lsit', ' Did you mean "list"?', 'swapped neighbours are one edit'],
    ['LIST', ' Did you mean "list"?', 'case does not count'],
    ['rotate', ' Did you mean "rotate-key" or "rotate-secret"?', 'the beginning of a word'],
    ['reusme', ' Did you mean "resume"?', 'one swap'],
    ['suspnd', ' Did you mean "suspend"?', 'one missing character'],
    ['xyz', '', 'nothing is similar'],
    ['ab', '', 'short words allow one edit only'],
  ])('asks for %j:%s (%s)', (word, question) => {
    expect(didYouMean(word, KNOWN)).toBe(question)
  })

  it('names at most three words, each once', () => {
    const known = ['name1', 'name2', 'name3', 'name4']
    expect(didYouMean('name', known)).toBe(' Did you mean "name1" or "name2" or "name3"?')
  })

  it('shows the words as `format` says', () => {
    expect(didYouMean('stauts', ['status', 'limit'], (name) => `--${name}`)).toBe(' Did you mean --status?')
  })
})
