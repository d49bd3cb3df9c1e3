import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createImportedDigests, DIGEST_MEMBERS, readDigest } from '../../../src/features/imports/imported-hashes.js'

const PLAIN = 'partner-key-0123456789'
const MEMBERS = Object.keys(DIGEST_MEMBERS) as (keyof typeof DIGEST_MEMBERS)[]

describe('a digest', () => {
  const digests = {
    sha256: createHash('sha256').update(PLAIN).digest(),
    sha512: createHash('sha512').update(PLAIN).digest(),
    hmacSha256: createHmac('sha256', 'the key').update(PLAIN).digest(),
  }

  it.each(MEMBERS)('%s is read as hexadecimal digits, base64 and base64url, and found for its plain text', (member) => {
    const digest = digests[member]
    const stored = `${DIGEST_MEMBERS[member].tag}:${digest.toString('base64url')}`
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(readDigest(member, digest.toString(encoding)), encoding).toBe(stored)
    expect(readDigest(member, digest.toString('hex').toUpperCase())).toBe(stored)
    expect(readDigest(member, digest.toString('base64').replace(/=+$/, ''))).toBe(stored)
    expect(createImportedDigests(['another key', 'the key']).list(PLAIN)).toContain(stored)
  })

  it.each(MEMBERS)('%s of another length or alphabet is refused', (member) => {
    const hex = digests[member].toString('hex')
    const base64 = digests[member].toString('base64')
    for (const text of [
      hex.slice(2),
      `${hex}00`,
      `${hex.slice(1)}g`,
      ` ${base64}`,
      `${base64}===`,
      `*${base64}`,
      '',
      undefined,
      5,
    ])
      expect(() => readDigest(member, text), String(text)).toThrow(`${member} must be a digest of`)
  })
})
