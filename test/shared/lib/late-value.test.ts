import { expect, it } from 'vitest'
import { createLateValue } from '../../../src/shared/lib/late-value.js'

it('throws until the value is known, and returns the value set last', () => {
  const late = createLateValue<{ readonly id: number }>(() => new Error('not yet'))
  expect(() => late.get()).toThrow('not yet')
  late.set({ id: 1 })
  expect(late.get()).toEqual({ id: 1 })
  late.set({ id: 2 })
  expect(late.get()).toEqual({ id: 2 })
})
