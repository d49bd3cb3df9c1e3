import { describe, expect, it } from 'vitest'
import { ownMembers, withOwnArguments } from '../../src/lib/own-members.js'

describe('ownMembers()', () => {
  it('has the own members of an object, and inherits none', () => {
    const members = ownMembers({ a: 1, toString: 'own' })
    expect({ ...members }).toEqual({ a: 1, toString: 'own' })
    expect(Object.getPrototypeOf(members)).toBeNull()
  })
})

describe('withOwnArguments()', () => {
  it('gives calls plain objects without a prototype, and everything else as it is', async () => {
    const given = ['text', 7, undefined, null, [1], new Date(0), new Map(), { a: { b: 1 } }]
    const calls = withOwnArguments({ collect: async (...args: unknown[]) => args, constant: 5 })
    const received = await calls.collect(...given)
    expect(received.slice(0, 7)).toEqual(given.slice(0, 7))
    for (const [i, each] of received.slice(0, 7).entries()) expect(each).toBe(given[i])
    expect(Object.getPrototypeOf(received[7])).toBeNull()
    expect({ ...(received[7] as object) }).toEqual({ a: { b: 1 } })
    expect(calls.constant).toBe(5)
    for (const args of [[], [undefined], ['id'], ['id', undefined]]) {
      const options = (await calls.collect(...args)).at(-1)
      expect(Object.getPrototypeOf(options)).toBeNull()
    }
  })
})
