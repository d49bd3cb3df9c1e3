import { describe, expect, it } from 'vitest'
import { copyOwn, ownMembers } from '../../../src/shared/lib/own-members.js'

it('ownMembers() has the own members of an object, and inherits none', () => {
  const members = ownMembers({ a: 1, toString: 'own' })
  expect({ ...members }).toEqual({ a: 1, toString: 'own' })
  expect(Object.getPrototypeOf(members)).toBeNull()
})

describe('a copy with own members only', () => {
  it('inherits nothing, at any level that an input may have', () => {
    const copied = copyOwn({ apis: { orders: { scopes: ['orders:read'] } }, list: [{ a: 1 }] }) as typeof given
    const given = { apis: { orders: { scopes: ['orders:read'] } }, list: [{ a: 1 }] }
    expect(JSON.stringify(copied)).toBe(JSON.stringify(given))
    for (const each of [copied, copied.apis, copied.apis.orders, copied.list[0]!])
      expect(Object.getPrototypeOf(each)).toBeNull()
  })

  it('is made of 8,000 levels too, which a body of 16 KiB has', () => {
    const deep: unknown = JSON.parse('['.repeat(8000) + ']'.repeat(8000))
    expect(copyOwn({ metadata: deep })).toHaveProperty('metadata')
  })
})
