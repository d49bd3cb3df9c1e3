import { array, assert, constantFrom, oneof, property, tuple } from 'fast-check'
import LinkifyIt from 'linkify-it'
import { find } from 'linkifyjs'
import tlds from 'tlds'
import { expect, it } from 'vitest'
import { readRegistrationName } from '../../../src/core/applications/records/validation.js'
import { isFollowable } from '../../../src/shared/lib/followable.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'

/** What independent readers, set to find as much as they can, would make a link of. */
const linkify = new LinkifyIt(undefined, { fuzzyLink: true, fuzzyEmail: true, fuzzyIP: true }).tlds(tlds)
for (const scheme of ['tel:', 'sms:', 'callto:', 'xmpp:', 'geo:'])
  linkify.add(scheme, { validate: (text: string, at: number) => /^\S+/.exec(text.slice(at))?.[0].length ?? 0 })

function findLinks(text: string): unknown[] {
  return [
    ...(linkify.match(text) ?? []).map(({ raw }) => raw),
    ...find(text).map(({ value }) => value),
    ...findPhones(text),
  ]
}

/** As libphonenumber's `VALID_PHONE_NUMBER` finds candidates: grouped digits, 7 or more, or 5 behind a plus sign. */
function findPhones(text: string): string[] {
  const candidates = text.normalize('NFKC').match(/[+(]*\p{Nd}[\p{Nd}\p{Pd}\s.()/[\]~]*\p{Nd}/gu) ?? []
  const count = (candidate: string) => candidate.match(/\p{Nd}/gu)!.length
  return candidates.filter((each) => count(each) >= (each.startsWith('+') ? 5 : 7))
}

const PARTS = [
  ' ',
  ...'www evil example com co ON app bank x E L Bean localhost http https tel sms mailto xmpp ftp xn--p1ai 127 0 1 0800 123456'.split(
    ' ',
  ),
  ...'\u043F\u0440\u0438\u043C\u0435\u0440 \u0440\u0444 \u4F8B\u5B50 \u4E2D\u56FD \u00E9 \u{1F4BB} \u{1F469}\u200D\u{1F4BB} \u0915\u094D\u200D'.split(
    ' ',
  ),
  ..."\u0664\u0665 \uFF19\uFF10 . . . : / // \\ @ ? # & - _ + ( ) , ; ! ' \u3002 \uFF0E \u2011 \u200D \u2024".split(
    ' ',
  ),
]
function isAccepted(text: string): boolean {
  try {
    return readRegistrationName(text) !== ''
  } catch {
    return false
  }
}

const name = oneof(
  array(constantFrom(...PARTS), { minLength: 1, maxLength: 9 }).map((parts) => parts.join('')),
  tuple(constantFrom('A', 'E.', 'L.L.', '\u00C9.', 'X'), constantFrom('.', '. ', ''), constantFrom(...tlds)).map(
    (all) => all.join(''),
  ),
)

it('no name that a stranger may have is a link, an address or a telephone number to independent readers', () => {
  assert(
    property(name, (text) => {
      if (isAccepted(text)) expect([text, findLinks(text)]).toEqual([text, []])
    }),
    { numRuns: IS_LONG_LANE ? 1_000_000 : 20_000 },
  )
})

it('the readers find what they must', () => {
  for (const text of ['evil.com', 'www.evil.com', 'me@evil.com', 'tel:110', 'https://evil.com', '+49 30 123'])
    expect([text, findLinks(text).length > 0]).toEqual([text, true])
})

it('every top-level domain is known behind initials', () => {
  expect(tlds.filter((domain) => !domain.startsWith('xn--') && !isFollowable(`E.${domain}`))).toEqual([])
})
