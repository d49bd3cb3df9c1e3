import { randomFillSync } from 'node:crypto'

/**
 * 32 characters of base64url: 48 bits that say which `revokeTokens` the issuer knew of, and 144 random ones. Clocks could
 * not tell whether a token was issued before a revocation: they differ, and can be set back.
 */
export function makeTokenId(tokensRevokedAt: number): string {
  if (drawn === randomness.length) {
    // Random bytes cost little by the thousand and much by the dozen.
    randomFillSync(randomness)
    drawn = 0
  }
  const bytes = randomness.subarray(drawn, (drawn += 24))
  bytes.writeUIntBE(tokensRevokedAt, 0, 6)
  return bytes.toString('base64url')
}

const randomness = Buffer.alloc(24 * 128)
let drawn = randomness.length

/** Which `revokeTokens` the issuer knew of (milliseconds since 1970); undefined if the id is none of ours. */
export function revocationInstantOf(id: string): number | undefined {
  const bytes = Buffer.from(id, 'base64url')
  return bytes.length === 24 ? bytes.readUIntBE(0, 6) : undefined
}
