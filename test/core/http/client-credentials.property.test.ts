import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBasic, readBasic } from '../../../src/core/http/client-credentials.js'
import { decodeFormValue } from '../../../src/core/http/form.js'
import { measureTime } from '../../support/measure-time.js'
import { timeBound } from '../../support/time-bound.js'

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x1F\x7F]/
const text = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((value) => !CONTROL.test(value))
const id = text.filter((value) => !value.includes(':'))
const secret = fc.oneof(
  text,
  fc.array(text, { maxLength: 4 }).map((parts) => parts.join(':')),
)
const encode = (value: string): string => Buffer.from(value).toString('base64')
const formEncode = (value: string): string => new URLSearchParams({ '': value }).toString().slice(1)

describe('readBasic()', () => {
  it('returns the raw reading of every pair, split at the first colon', () => {
    fc.assert(
      fc.property(id, secret, (user, password) => {
        expect(readBasic(`Basic ${encode(`${user}:${password}`)}`)?.[0]).toEqual({ id: user, secret: password })
      }),
    )
  })

  it('returns the decoded reading of every form-encoded pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (user, password) => {
        const readings = readBasic(`Basic ${encode(`${formEncode(user)}:${formEncode(password)}`)}`)
        expect(readings).toContainEqual({ id: user, secret: password })
      }),
    )
  })

  it('returns different readings, and only readings of the header', () => {
    fc.assert(
      fc.property(id, secret, (user, password) => {
        const readings = readBasic(`Basic ${encode(`${user}:${password}`)}`)!
        const colons = [user, password].map((each) => each.replaceAll(/%3a/gi, ':'))
        const known = [[user, password], [decodeFormValue(user), decodeFormValue(password)], colons].flatMap((pair) => [
          pair,
          pair.map((each) => each?.trim()),
        ])
        for (const reading of readings) expect(known).toContainEqual([reading.id, reading.secret])
        expect(new Set(readings.map((reading) => JSON.stringify(reading))).size).toBe(readings.length)
      }),
    )
  })

  it('returns one reading for the characters of our own credentials', () => {
    const credential = fc.string({ unit: fc.constantFrom(...Array.from('ABCxyz019_')) })
    fc.assert(
      fc.property(credential, credential, (user, password) => {
        expect(readBasic(`Basic ${encode(`${user}:${password}`)}`)).toEqual([{ id: user, secret: password }])
      }),
    )
  })

  it('never throws, and returns undefined or a pair that encodes to the same base64', () => {
    const base64Like = fc.string({ unit: fc.constantFrom(...Array.from('AZaz09+/=-_ :\t')), maxLength: 40 })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          base64Like,
          base64Like.map((value) => `${value}=`),
        ),
        (value) => {
          const readings = readBasic(`Basic ${value}`)
          if (readings === undefined) return
          const { id: user, secret: password } = readings[0]!
          expect(user).not.toContain(':')
          expect(encode(`${user}:${password}`).replace(/=+$/, '')).toBe(value.trim().replace(/=+$/, ''))
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('never throws, and returns undefined for bytes that are not UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const readings = readBasic(`Basic ${Buffer.from(bytes).toString('base64')}`)
        const { id: user, secret: password } = readings?.[0] ?? { id: undefined, secret: undefined }
        if (user !== undefined) expect(Buffer.from(`${user}:${password}`)).toEqual(Buffer.from(bytes))
        if (readings === undefined) {
          const decoded = Buffer.from(bytes).toString()
          const broken = !Buffer.from(decoded).equals(Buffer.from(bytes))
          expect(broken || !decoded.includes(':') || CONTROL.test(decoded)).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('accepts base64 with and without padding, and no other encoding of it', () => {
    fc.assert(
      fc.property(id, secret, fc.nat(), (user, password, position) => {
        const whole = encode(`${user}:${password}`)
        const bare = whole.replace(/=+$/, '')
        expect(readBasic(`Basic ${bare}`)).toEqual(readBasic(`Basic ${whole}`))
        const at = position % (bare.length + 1)
        for (const other of [
          `${bare.slice(0, at)}=${bare.slice(at)}`,
          `${bare.slice(0, at)} ${bare.slice(at)}`,
          `${bare.slice(0, at)}-${bare.slice(at)}`,
        ]) {
          if (other.trim() === bare || other === whole || other === whole.slice(0, -1)) continue
          expect(readBasic(`Basic ${other}`)).toBeUndefined()
        }
        expect(readBasic(`Basic ${whole}=`)).toBeUndefined()
      }),
    )
  })

  it.each([
    ['digits', 'A'.repeat(16_000)],
    ['padding', '='.repeat(16_000)],
    ['spaces', `${' '.repeat(16_000)}x`],
    ['colons', encode(':'.repeat(12_000))],
    ['percent signs', encode(`:${'%'.repeat(12_000)}`)],
    ['plus signs', encode(`:${'+'.repeat(12_000)}`)],
    ['broken UTF-8', Buffer.alloc(12_000, 0xc3).toString('base64')],
  ])('takes linear time for 16 kB of %s', async (_, value) => {
    expect(await measureTime(() => readBasic(`Basic ${value}`))).toBeLessThan(timeBound(50))
  })
})

describe('isBasic()', () => {
  it('recognizes the scheme in any case, and no scheme that begins with it', () => {
    const cased = fc.mixedCase(fc.constant('basic'))
    fc.assert(
      fc.property(cased, fc.string(), fc.string({ minLength: 1 }), (scheme, rest, suffix) => {
        expect(isBasic(`${scheme} ${rest}`)).toBe(true)
        expect(isBasic(scheme)).toBe(true)
        if (!suffix.startsWith(' ')) expect(isBasic(`${scheme}${suffix}`)).toBe(false)
      }),
    )
    expect(isBasic(undefined)).toBe(false)
    expect(isBasic('')).toBe(false)
    expect(isBasic(' Basic x')).toBe(false)
  })
})

describe('decodeFormValue()', () => {
  it('is the inverse of form-encoding, and undefined for other input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (value, other) => {
        expect(decodeFormValue(formEncode(value))).toBe(value)
        expect([undefined, 'string']).toContain(decodeFormValue(other) === undefined ? undefined : 'string')
      }),
    )
  })
})
