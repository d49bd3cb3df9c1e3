import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createApprovalLinks, type ApprovalLink } from '../../../src/core/applications/decisions/approval-requests.js'
import { deriveKey } from '../../../src/shared/lib/derive-key.js'

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
})
