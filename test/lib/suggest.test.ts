import { expect, it } from 'vitest'
import { didYouMean, findSimilar } from '../../src/lib/suggest.js'

it('finds the known words that a mistyped one is close to, or the beginning of', () => {
  const known = ['list', 'show', 'rotate-key', 'rotate-secret', 'resume']
  expect(findSimilar('lsit', known)).toEqual(['list'])
  expect(findSimilar('LIST', known)).toEqual(['list'])
  expect(findSimilar('rotate', known)).toEqual(['rotate-key', 'rotate-secret'])
  expect(findSimilar('reusme', known)).toEqual(['resume'])
  expect(findSimilar('xyz', known)).toEqual([])
})

it('asks about similar words, in quotes or as the caller formats them', () => {
  expect(didYouMean('staus', ['status', 'limit'])).toBe(' Did you mean "status"?')
  expect(didYouMean('staus', ['status', 'limit'], (name) => `--${name}`)).toBe(' Did you mean --status?')
  expect(didYouMean('xyz', ['status', 'limit'])).toBe('')
})
