import { describe, expect, it } from 'vitest'
import { ownMembers } from '../../../src/shared/lib/own-members.js'

describe('ownMembers()', () => {
  it('has the own members of an object, and inherits none', () => {
    const members = ownMembers({ a: 1, toString: 'own' })
    expect({ ...members }).toEqual({ a: 1, toString: 'own' })
    expect(Object.getPrototypeOf(members)).toBeNull()
  })
})
