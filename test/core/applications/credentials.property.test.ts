import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCredentials, isLive, isWellFormedKey } from '../../../src/core/applications/credentials/credentials.js'
import { measureTime } from '../../support/measure-time.js'
import { timeBound } from '../../support/time-bound.js'

const { mint, hash, match } = createCredentials('epa', Buffer.alloc(32, 1))
const prefix = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,19}$/)
const key = prefix.map((each) => createCredentials(each, Buffer.alloc(32)).mint('key', 0).plain)
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('isWellFormedKey()', () => {
  it('accepts every key that mint() makes, with any prefix', () => {
    fc.assert(
      fc.property(key, (plain) => {
        expect(plain).toMatch(/^[A-Za-z][A-Za-z0-9_]*_key_[A-Za-z0-9]{34}$/)
        expect(isWellFormedKey(plain)).toBe(true)
      }),
    )
  })

  it('refuses every key with one character changed, added or removed', () => {
    fc.assert(
      fc.property(key, fc.nat(), fc.constantFrom(...Array.from(BASE62), '_'), (plain, position, character) => {
        const at = position % plain.length
        const changed = plain.slice(0, at) + character + plain.slice(at + 1)
        if (changed !== plain) expect(isWellFormedKey(changed)).toBe(false)
        expect(isWellFormedKey(plain.slice(0, at) + plain.slice(at + 1))).toBe(false)
        expect(isWellFormedKey(plain.slice(0, at) + character + plain.slice(at))).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })

  it('refuses every key with two adjacent characters swapped or with its case changed', () => {
    fc.assert(
      fc.property(key, fc.nat(), (plain, position) => {
        const at = position % (plain.length - 1)
        const swapped = plain.slice(0, at) + plain[at + 1]! + plain[at]! + plain.slice(at + 2)
        if (swapped !== plain) expect(isWellFormedKey(swapped)).toBe(false)
        if (plain.toLowerCase() !== plain) expect(isWellFormedKey(plain.toLowerCase())).toBe(false)
        if (plain.toUpperCase() !== plain) expect(isWellFormedKey(plain.toUpperCase())).toBe(false)
      }),
    )
  })

  it('refuses a key with other characters before or after it', () => {
    fc.assert(
      fc.property(key, fc.string({ minLength: 1 }), (plain, more) => {
        expect(isWellFormedKey(plain + more)).toBe(false)
        if (!/^[A-Za-z]\w*$/.test(more)) expect(isWellFormedKey(more + plain)).toBe(false)
        for (const end of ['\n', '\r\n', ' ', '\0']) expect(isWellFormedKey(plain + end)).toBe(false)
      }),
    )
  })

  it('refuses every other string, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.stringMatching(/^epa_key_[A-Za-z0-9]{34}$/)),
        (other) => {
          expect(isWellFormedKey(other)).toBe(false)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('refuses secrets', () => {
    for (let i = 0; i < 100; i++) expect(isWellFormedKey(mint('secret', 0).plain)).toBe(false)
  })

  it.each([
    ['letters', 'a'.repeat(16_000)],
    ['_key_', '_key_'.repeat(3200)],
    ['a long prefix', `a${'_'.repeat(15_000)}_key_`],
  ])('takes linear time for 16 kB of %s', async (_, value) => {
    expect(await measureTime(() => isWellFormedKey(value))).toBeLessThan(timeBound(50))
  })
})

describe('mint()', () => {
  it('keeps only the hash and the first characters of a credential in its record', () => {
    const { plain, record } = mint('secret', 7)
    expect(record).toStrictEqual({
      id: expect.stringMatching(/^cred_[0-9A-Za-z]{22}$/),
      name: 'default',
      hash: hash(plain),
      prefix: plain.slice(0, 'epa_sec_'.length + 4),
      createdAt: 7,
      expiresAt: undefined,
      lastUsedAt: undefined,
      apis: undefined,
      networks: undefined,
      isImported: false,
      remindedDays: undefined,
      keySet: undefined,
    })
  })
})

describe('match()', () => {
  it('finds exactly the live record of a secret, among any number of records', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 0, max: 3 }),
        fc.option(fc.integer({ min: 0, max: 20 })),
        (count, which, end) => {
          const made = Array.from({ length: count }, () => mint('secret', 0))
          const records = made.map(({ record }) => ({ ...record, expiresAt: end ?? undefined }))
          const found = match(made[which]?.plain ?? 'nothing', records, 10)
          const record = records[which]
          expect(found).toBe(record && isLive(record, 10) ? record : undefined)
          expect(match(made[which]?.plain.slice(1) ?? '', records, 10)).toBeUndefined()
        },
      ),
    )
  })

  it('finds nothing for a hash, or for the padding that keeps the time constant', () => {
    const { plain, record } = mint('secret', 0)
    for (const guess of [record.hash, hash(record.hash), '-'.repeat(43), '', plain.toLowerCase()]) {
      expect(match(guess, [record], 0)).toBeUndefined()
      expect(match(guess, [], 0)).toBeUndefined()
    }
  })

  it('finds nothing with another pepper', () => {
    const other = createCredentials('epa', Buffer.alloc(32, 2))
    const { plain, record } = mint('secret', 0)
    expect(match(plain, [record], 0)).toBe(record)
    expect(other.match(plain, [record], 0)).toBeUndefined()
  })
})
