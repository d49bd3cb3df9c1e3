import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readBearer } from '../../../src/core/http/bearer.js'
import { measureTime } from '../../support/measure-time.js'
import { timeBound } from '../../support/time-bound.js'

const scheme = fc.mixedCase(fc.constant('bearer'))
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/
/** RFC 6750 2.1: b64token. */
const token = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(...Array.from('AZaz09-._~+/')), minLength: 1, maxLength: 80 }),
    fc.nat({ max: 3 }),
  )
  .map(([characters, padding]) => characters + '='.repeat(padding))

describe('readBearer()', () => {
  it('reads every b64token (RFC 6750 2.1) after the scheme in any case, and reduces several spaces to one', () => {
    fc.assert(
      fc.property(scheme, fc.integer({ min: 1, max: 5 }), token, (name, spaces, value) => {
        expect(readBearer(name + ' '.repeat(spaces) + value)).toBe(`${name} ${value}`)
      }),
    )
  })

  it('returns undefined, false, or the b64token at the end of the header', () => {
    const like = fc.array(
      fc.oneof(fc.constantFrom('Bearer', 'bearer', ' ', '\t', ',', '=', '"', '.'), token, fc.string()),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          like.map((parts) => parts.join('')),
          like.map((parts) => `Bearer ${parts.join('')}`),
        ),
        (header) => {
          const read = readBearer(header)
          if (typeof read !== 'string') return
          expect(read.slice(0, 7)).toMatch(/^bearer $/i)
          const value = read.slice(7)
          expect(value).toMatch(TOKEN)
          expect(header.slice(0, header.length - value.length)).toMatch(/^bearer +$/i)
          expect(header.endsWith(value)).toBe(true)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('is undefined for every other scheme and without a header', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        if (/^bearer([ \t]|$)/i.test(header)) expect(readBearer(header)).not.toBeUndefined()
        else expect(readBearer(header)).toBeUndefined()
      }),
    )
    for (const header of [undefined, '', 'Basic x', 'Bearerx', 'Bearer,x', ' Bearer x']) {
      expect(readBearer(header)).toBeUndefined()
    }
  })

  it('refuses a token with a character that is not allowed, at every position', () => {
    const otherIssuers = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 1 })
      .filter((character) => !/[\w.~+/=-]/.test(character))
    fc.assert(
      fc.property(token, otherIssuers, fc.nat(), (value, character, position) => {
        const at = position % (value.length + 1)
        const changed = value.slice(0, at) + character + value.slice(at)
        const read = readBearer(`Bearer ${changed}`)
        // A second space before the token is allowed.
        if (at === 0 && character === ' ') expect(read).toBe(`Bearer ${value}`)
        else expect(read).toBe(false)
      }),
    )
  })

  it('refuses a token over 8 KiB', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 5 }), (more) => {
        const value = 'a'.repeat(8192 + more)
        expect(readBearer(`Bearer ${value}`)).toBe(more > 0 ? false : `Bearer ${value}`)
      }),
    )
  })

  it.each([
    ['letters', 'a'.repeat(16_000)],
    ['padding', `a${'='.repeat(8000)}x`],
    ['padding and letters', 'a='.repeat(4000)],
    ['spaces', `${' '.repeat(8000)}"`],
    ['spaces and letters', ' a'.repeat(4000)],
    ['tabs', '\t'.repeat(8000)],
  ])('takes linear time for a header of %s', async (_, value) => {
    expect(await measureTime(() => readBearer(`Bearer ${value}`))).toBeLessThan(timeBound(50))
    expect(await measureTime(() => readBearer(value))).toBeLessThan(timeBound(50))
  })
})
