import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createApprovalLinks, type ApprovalLink } from '../../../src/core/applications/decisions/approval-requests.js'
import { deriveKey } from '../../../src/shared/lib/derive-key.js'

const DAY_MS = 24 * 3600 * 1000
const NOW = Date.parse('2027-01-31T10:00:00Z')
const OPERATOR = 'apis@example.com'
const LINK: ApprovalLink = {
  applicationId: `app_${'0'.repeat(32)}`,
  api: undefined,
  requestedAt: NOW,
  operator: OPERATOR,
}
const pepper = randomBytes(32)

function createLinks({ operators = [OPERATOR], now = NOW, key = pepper } = {}) {
  return createApprovalLinks({
    deriveKey: (label) => deriveKey(key, label),
    isOperator: (address) => operators.includes(address),
    now: () => now,
  })
}

describe('the token of an approval link', () => {
  const token = createLinks().sign(LINK)!

  it.each([[LINK], [{ ...LINK, api: 'orders' }], [{ ...LINK, operator: 'o'.repeat(64) + '@example.com' }]])(
    'names what it was signed for: %j',
    (link) => {
      const links = createLinks({ operators: [link.operator] })
      expect(links.read(links.sign(link)!)).toEqual(link)
    },
  )

  it('fits into an address without being encoded', () => {
    expect(token).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/)
  })

  it('is refused under another pepper', () => {
    expect(createLinks({ key: randomBytes(32) }).read(token)).toBe('unknown')
  })

  it('is refused after every change of a character', () => {
    const links = createLinks()
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
      expect([at, links.read(changed)]).toEqual([at, 'unknown'])
    }
  })

  it.each([
    '',
    '.',
    token.slice(0, -1),
    `${token}A`,
    token.split('.')[0]!,
    `${token}.deny`,
    ` ${token}`,
    'x'.repeat(43),
    `${'A'.repeat(5000)}.${'A'.repeat(43)}`,
    'constructor',
    '__proto__.AAAA',
  ])('is refused: %j', (text) => {
    expect(createLinks().read(text)).toBe('unknown')
  })

  it('expires 14 days after the request', () => {
    expect(createLinks({ now: NOW + 14 * DAY_MS - 1 }).read(token)).toEqual(LINK)
    expect(createLinks({ now: NOW + 14 * DAY_MS }).read(token)).toBe('expired')
  })

  it('ends when its operator is removed from the option', () => {
    expect(createLinks({ operators: ['other@example.com'] }).read(token)).toBe('noOperator')
    expect(createLinks({ operators: [] }).read(token)).toBe('noOperator')
    expect(createLinks({ operators: [] }).sign(LINK)).toBeUndefined()
  })
})
