import { describe, expect, it } from 'vitest'
import { timeBound } from '../../../support/time-bound.js'
import { createSearch } from '../../../../src/tools/console/browser/search-ranking.js'

const search = createSearch([
  { key: 'listOrders', method: 'GET', path: '/orders', summary: 'List orders', words: 'limit status Newest first' },
  { key: 'readOrder', method: 'GET', path: '/orders/{id}', summary: 'Read an order', words: 'id' },
  { key: 'placeOrder', method: 'POST', path: '/orders', summary: 'Place an order', words: 'The stock is reserved' },
  { key: 'border', method: 'GET', path: '/borders', summary: 'Show the frontier', words: '' },
])

describe('a search finds operations', () => {
  it.each([
    ['LISTORDERS', ['listOrders']],
    ['post', ['placeOrder']],
    ['/orders/{id}', ['readOrder']],
    ['reserved stock', ['placeOrder']],
    ['limit', ['listOrders']],
    ['front', ['border']],
    ['nothing', []],
    ['reservd', ['placeOrder']],
    ['resrved stokc', ['placeOrder']],
    ['frotnier', ['border']],
    ['brdxs', []],
    ['   ', []],
  ])('by %j', (query, keys) => {
    expect(search(query)).toEqual(keys)
  })

  it('that have all words, and those first where a word begins with what was entered', () => {
    expect(search('get order')).toEqual(['listOrders', 'readOrder', 'border'])
    expect(search('order').at(-1)).toBe('border')
  })
})

it('takes less than 50 ms for each key with 1,223 operations', () => {
  const words = 'The description of an operation with several sentences, parameters and values. '.repeat(15)
  const many = createSearch(
    Array.from({ length: 1223 }, (_, at) => ({
      key: `repos/list-${at}`,
      method: 'GET',
      path: `/repos/{owner}/{repo}/things-${at}`,
      summary: `List things ${at}`,
      words: `${words} last-${at}`,
    })),
  )
  const times = ['l', 'la', 'las', 'last', 'last-', 'last-1', 'last-12', 'last-122', 'last-1222', 'e', 'e s'].map(
    (query) => {
      const start = performance.now()
      many(query)
      return performance.now() - start
    },
  )
  expect(many('last-1222')).toEqual(['repos/list-1222'])
  // The median, because other processes may interrupt one of them.
  expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(timeBound(50))
})
