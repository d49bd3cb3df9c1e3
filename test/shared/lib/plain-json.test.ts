import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import {
  copyJson,
  estimateJsonBytes,
  formatPath,
  NotJsonError,
  stringifyJsonObject,
} from '../../../src/shared/lib/plain-json.js'

const stringify = (value: unknown, maxBytes = 4096): string => stringifyJsonObject('metadata', value, maxBytes)

function messageOf(value: unknown, maxBytes?: number): string {
  try {
    stringify(value, maxBytes)
  } catch (error) {
    expect(error).toBeInstanceOf(NotJsonError)
    return (error as Error).message
  }
  throw new Error('The value was accepted.')
}

function nest(levels: number): object {
  let value: object = {}
  for (let level = 1; level < levels; level++) value = { within: value }
  return value
}

describe('JSON that others gave', () => {
  const shared = { street: 'High Street' }

  it.each([
    ['an empty object', {}],
    [
      'every kind of value',
      { text: 'ä "\u0000', number: -1.5e300, yes: true, no: false, nothing: null, list: [1, [2], {}] },
    ],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 })],
    ['an object of another realm', runInNewContext('({ a: [1, { b: 2 }] })') as object],
    ['an object that appears twice without containing itself', { billing: shared, delivery: shared }],
    ['names that every object has', { constructor: 1, toString: 'x', hasOwnProperty: null }],
    ['16 levels', nest(16)],
  ])('is written as text: %s', (_, value) => {
    expect(JSON.parse(stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
  })

  const cyclic: Record<string, unknown> = { name: 'Shop' }
  cyclic['parent'] = { children: [cyclic] }

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'metadata must be a JSON object, and is undefined.'],
    ['null', null, 'metadata must be a JSON object, and is null.'],
    ['a list', [1], 'metadata must be a JSON object, and is a list.'],
    ['text', '{}', 'metadata must be a JSON object, and is text.'],
    ['a number', 5, 'metadata must be a JSON object, and is 5.'],
    ['a promise', Promise.resolve({}), 'metadata is a Promise. JSON has text'],
    ['a Map', new Map(), 'metadata is a Map.'],
    [
      'a Date',
      { since: new Date(0) },
      'metadata.since is a Date. JSON has text, finite numbers, true, false, null, lists',
    ],
    ['undefined', { note: undefined }, 'metadata.note is undefined.'],
    ['a hole', { list: [1, , 3] }, 'metadata.list[1] is undefined.'], // oxlint-disable-line no-sparse-arrays
    ['NaN', { a: { b: [Number.NaN] } }, 'metadata.a.b[0] is NaN.'],
    ['Infinity', { a: -Infinity }, 'metadata.a is -Infinity.'],
    ['a BigInt', { 'total cents': 5n }, 'metadata["total cents"] is a bigint.'],
    ['a function', { toJSON: () => 'x' }, 'metadata.toJSON is a function.'],
    ['a symbol', { a: Symbol('x') }, 'metadata.a is a symbol.'],
    ['bytes', { a: Buffer.from('x') }, 'metadata.a is a Uint8Array.'],
    ['boxed text', { a: new String('x') }, 'metadata.a is a String.'], // oxlint-disable-line no-new-wrappers
    ['an instance', { a: new URLSearchParams() }, 'metadata.a is a URLSearchParams.'],
    ['an object that inherits', { a: { __proto__: { admin: true } } }, 'metadata.a is an instance of a class.'],
    ['an object that contains itself', cyclic, 'metadata.parent.children[0] contains itself.'],
    [
      'a member __proto__',
      JSON.parse('{"a":{"__proto__":{}}}'),
      'metadata.a has a member "__proto__", which is not allowed.',
    ],
    ['17 levels', nest(17), 'metadata has more than 16 levels.'],
  ])('is refused, with the member that is at fault: %s', (_, value, message) => {
    expect(messageOf(value)).toContain(message)
  })

  it('has a bound in bytes of UTF-8', () => {
    // {"a":""} is 8 bytes.
    expect(stringify({ a: 'x'.repeat(4088) })).toHaveLength(4096)
    expect(messageOf({ a: 'x'.repeat(4089) })).toBe('metadata is larger than 4096 bytes of JSON.')
    expect(stringify({ a: 'ä'.repeat(2044) })).toHaveLength(2052)
    expect(messageOf({ a: 'ä'.repeat(2045) })).toBe('metadata is larger than 4096 bytes of JSON.')
    expect(messageOf({ a: '\u0000'.repeat(700) })).toBe('metadata is larger than 4096 bytes of JSON.')
  })

  it('is refused before all of it was read, however often its parts are repeated', () => {
    let value: unknown[] = []
    for (let level = 0; level < 14; level++) value = Array.from({ length: 1000 }, () => value)
    expect(messageOf({ value })).toBe('metadata is larger than 4096 bytes of JSON.')
    expect(messageOf({ value: Object.assign([], { length: 4_000_000_000 }) })).toBe(
      'metadata is larger than 4096 bytes of JSON.',
    )
  })

  it('is read once: what a getter returns later has no effect', () => {
    let reads = 0
    const value = {
      get discount() {
        return (reads += 1)
      },
    }
    expect(stringify(value)).toBe('{"discount":1}')
  })

  describe('with a polluted Object.prototype', () => {
    afterEach(() => {
      delete (Object.prototype as { toJSON?: unknown }).toJSON
    })

    it('is not converted by an inherited toJSON()', () => {
      // oxlint-disable-next-line no-extend-native
      Object.defineProperty(Object.prototype, 'toJSON', { value: () => ({ admin: true }), configurable: true })
      expect(stringify({ a: { b: 1 } })).toBe('{"a":{"b":1}}')
    })
  })
})

it('the path of a member is written as in code', () => {
  expect(formatPath('metadata', [])).toBe('metadata')
  expect(formatPath('metadata', ['a', 0, 'größe', 'b c', '"'])).toBe('metadata.a[0].größe["b c"]["\\""]')
  expect(formatPath('metadata', [Symbol('a')])).toBe('metadata.Symbol(a)')
})

it('a copy of JSON shares nothing with it', () => {
  const value = { list: [{ a: 1 }], nothing: null }
  const copied = copyJson(value)
  expect(copied).toEqual(value)
  copied.list[0]!.a = 2
  expect(value.list[0]!.a).toBe(1)
})

it('the memory of JSON is estimated by its text', () => {
  const small = estimateJsonBytes({ discount: 10 })
  expect(small).toBeGreaterThan(50)
  expect(estimateJsonBytes({ discount: 10, note: 'x'.repeat(1000) })).toBeGreaterThan(small + 2000)
  expect(estimateJsonBytes({ list: Array.from({ length: 100 }, () => ({})) })).toBeGreaterThan(6400)
})
