import { describe, expect, it } from 'vitest'
import { findAddressProblem, readEmailAddress } from '../../../src/shared/lib/email-address.js'

describe('an e-mail address', () => {
  it.each([
    ['info@m\u00FCller.example', 'info@xn--mller-kva.example'],
    ['Info@M\u00DCLLER.example', 'Info@xn--mller-kva.example'],
    ['a@mu\u0308ller.example', 'a@xn--mller-kva.example'],
    ['a@\u4F8B\u3048.\u30C6\u30B9\u30C8', 'a@xn--r8jz45g.xn--zckzah'],
    ['a@\u4F8B\u3048\u3002\u30C6\u30B9\u30C8', 'a@xn--r8jz45g.xn--zckzah'],
    ['a@\u043F\u0440\u0438\u043C\u0435\u0440.\u0440\u0444', 'a@xn--e1afmkfd.xn--p1ai'],
    ['a@stra\u00DFe.example', 'a@xn--strae-oqa.example'],
    ['a@\u0645\u062B\u0627\u0644.\u0625\u062E\u062A\u0628\u0627\u0631', 'a@xn--mgbh0fb.xn--kgbechtv'],
    ['dev@example.com', 'dev@example.com'],
    ["o'neill+x@EXAMPLE.com", "o'neill+x@EXAMPLE.com"],
  ])('has its domain in ASCII: %s', (text, address) => {
    expect(readEmailAddress(text)).toBe(address)
    expect(findAddressProblem(text)).toBeUndefined()
  })

  it.each([
    ['m\u00FCller@example.com', /before the @/],
    ['a@ex\u00ADample.com', /cannot be seen \(U\+00AD\)/],
    ['a@m\u00FCll\u200Ber.example', /cannot be seen \(U\+200B\)/],
    ['a@m\u00FC%6Cer.example', /domain/],
    ['a@m\u00FC/x.example', /domain/],
    ['a@\uFF05\uFF12\uFF25.example', /domain/],
    [`a@${'\u00FC'.repeat(80)}.example`, /domain/],
    [`${'a'.repeat(65)}@example.com`, /64 characters before the @/],
    [`a@${'x'.repeat(60)}.${'example.'.repeat(40)}com`, /254 characters/],
  ])('that cannot be used is refused with the reason: %s', (text, problem) => {
    expect(readEmailAddress(text)).toBeUndefined()
    expect(findAddressProblem(text)).toMatch(problem)
  })

  it.each(['', '@', 'a@', 'a', 'a b@example.com', 'a@b@example.com', 'a@b, c@d', undefined, 5, null])(
    'is not: %j',
    (text) => expect(readEmailAddress(text)).toBeUndefined(),
  )

  it.each(['\r\nBcc: b@evil.example', ';b@evil.example', ':b@evil.example;', '>\r\nRCPT TO:<b@evil.example'])(
    'has no other behind it: %j',
    (more) => expect(readEmailAddress(`a@example.com${more}`)).toBeUndefined(),
  )

  it('never becomes an address of a host', () => {
    expect(readEmailAddress('a@\uFF11\uFF12\uFF17.0.0.1') ?? 'a@127.0.0.1').toBe('a@127.0.0.1')
  })
})
