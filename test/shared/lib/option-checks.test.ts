import { expect, it } from 'vitest'
import { describeValue } from '../../../src/shared/lib/option-checks.js'

const circular: { self?: object } = {}
circular.self = circular

it.each([
  [undefined, 'missing'],
  [null, 'null'],
  ['', '""'],
  [NaN, 'NaN'],
  [-Infinity, '-Infinity'],
  [{ a: [1] }, '{"a":[1]}'],
  [() => undefined, 'function'],
  [60n, 'bigint'],
  [circular, 'object'],
])('an error message shows %o as %s', (value, description) => {
  expect(describeValue(value)).toBe(description)
})
