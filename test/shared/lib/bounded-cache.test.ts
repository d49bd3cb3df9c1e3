import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBoundedCache } from '../../../src/shared/lib/bounded-cache.js'

describe('a bounded cache', () => {
  it('gives what was set last, until it is deleted or all is cleared', () => {
    const cache = createBoundedCache<number>({ entries: 10 })
    expect(cache.get('a')).toBeUndefined()
    cache.set('a', 1)
    cache.set('a', 2)
    cache.set('b', 3)
    expect([cache.get('a'), cache.get('b'), cache.size]).toEqual([2, 3, 2])
    cache.delete('a')
    cache.delete('nothing')
    expect([cache.get('a'), cache.get('b'), cache.size]).toEqual([undefined, 3, 1])
    cache.clear()
    expect([cache.get('b'), cache.size]).toEqual([undefined, 0])
  })

  it('forgets what has not been asked for, and keeps what has', () => {
    const cache = createBoundedCache<number>({ entries: 5 })
    cache.set('kept', 0)
    cache.set('forgotten', 0)
    for (let i = 0; i < 100; i++) {
      cache.set(`other ${i}`, i)
      expect(cache.get('kept')).toBe(0)
    }
    expect(cache.get('forgotten')).toBeUndefined()
    expect(cache.get('other 99')).toBe(99)
    expect(cache.get('other 0')).toBeUndefined()
  })

  it('surely keeps as many of those asked for last as it has entries', () => {
    const cache = createBoundedCache<number>({ entries: 50 })
    for (let i = 0; i < 1000; i++) {
      cache.set(`${i}`, i)
      for (let last = Math.max(0, i - 49); last <= i; last++) expect(cache.get(`${last}`)).toBe(last)
    }
  })

  it('holds a bounded number of bytes as well, however large its entries are', () => {
    const MiB = 1024 * 1024
    const cache = createBoundedCache<number>({ entries: 1000, bytesOf: (value) => value })
    for (let i = 0; i < 1000; i++) cache.set(`${i}`, MiB)
    expect(cache.size).toBeLessThanOrEqual(32)
    expect(cache.get('999')).toBe(MiB)
    // Replaced and deleted entries do not count twice.
    for (let i = 0; i < 1000; i++) cache.set('same', MiB)
    for (let i = 0; i < 1000; i++) {
      cache.set('gone', MiB)
      cache.delete('gone')
    }
    expect(cache.get('999')).toBe(MiB)
  })

  it('drops what is over when it is swept, and that alone', () => {
    const cache = createBoundedCache<number>({ entries: 5 })
    for (let i = 0; i < 10; i++) cache.set(`${i}`, i)
    cache.sweep((value) => value % 2 === 0)
    expect(cache.size).toBe(5)
    expect([cache.get('4'), cache.get('5')]).toEqual([undefined, 5])
  })

  it('deletes for good what lies in its older half', () => {
    const cache = createBoundedCache<number>({ entries: 2 })
    for (const key of ['a', 'b', 'c']) cache.set(key, 1)
    cache.delete('a')
    expect(cache.get('a')).toBeUndefined()
  })

  it('never returns an older value after a key was set again', () => {
    const cache = createBoundedCache<number>({ entries: 2 })
    cache.set('a', 1)
    cache.set('b', 1)
    cache.set('c', 1)
    cache.set('a', 2)
    for (const key of ['d', 'e']) cache.set(key, 1)
    expect([2, undefined]).toContain(cache.get('a'))
  })

  it('never holds more than twice its entries, nor anything that was not set last, whatever is done to it', () => {
    const keys = fc.constantFrom(...'abcdefgh'.split(''))
    const step = fc.oneof(
      fc.record({ call: fc.constant('set' as const), key: keys, value: fc.integer() }),
      fc.record({ call: fc.constantFrom('get' as const, 'delete' as const), key: keys }),
      fc.record({ call: fc.constant('clear' as const) }),
    )
    const check = fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), (entries, steps) => {
      const cache = createBoundedCache<number>({ entries })
      const all = new Map<string, number>()
      for (const each of steps) {
        if (each.call === 'set') {
          cache.set(each.key, each.value)
          all.set(each.key, each.value)
          expect(cache.get(each.key)).toBe(each.value)
        } else if (each.call === 'get') expect([all.get(each.key), undefined]).toContain(cache.get(each.key))
        else if (each.call === 'delete') {
          cache.delete(each.key)
          all.delete(each.key)
          expect(cache.get(each.key)).toBeUndefined()
        } else {
          cache.clear()
          all.clear()
        }
        expect(cache.size).toBeLessThanOrEqual(2 * entries)
      }
    })
    fc.assert(check, { numRuns: 300 })
  })
})
