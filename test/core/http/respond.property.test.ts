import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatChallenge } from '../../../src/core/http/respond.js'

describe('formatChallenge()', () => {
  it('writes only characters that RFC 6749 5.2 allows, so that one value cannot become two parameters', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('a", error="b', '\\', '\r\nSet-Cookie: a=b', '\u0000'),
    )
    fc.assert(
      fc.property(value, value, (realm, description) => {
        const header = formatChallenge('Bearer', [
          ['realm', realm],
          ['error_description', description],
        ])
        const quoted = '"[\\x20-\\x21\\x23-\\x5B\\x5D-\\x7E]*"'
        expect(header).toMatch(new RegExp(`^Bearer realm=${quoted}, error_description=${quoted}$`))
      }),
    )
  })

  it('does not change allowed characters', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/), (value) => {
        expect(formatChallenge('ApiKey', [['realm', value]])).toBe(`ApiKey realm="${value}"`)
      }),
    )
  })
})
