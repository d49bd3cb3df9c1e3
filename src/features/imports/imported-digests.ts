import { createHmac, hash as digest } from 'node:crypto'
import { invalidArgument } from '../../shared/contracts/errors.js'

export type ImportedDigests = ReturnType<typeof createImportedDigests>

export const DIGEST_MEMBERS = {
  sha256: { tag: 'sha256', length: 32 },
  sha512: { tag: 'sha512', length: 64 },
  hmacSha256: { tag: 'hmac-sha256', length: 32 },
} as const

/** `hmacKeys`: those under which the other system computed HMACs; none if it did not. */
export function createImportedDigests(hmacKeys: readonly (string | Uint8Array)[]) {
  return {
    /** Every digest of a plain text, one for each algorithm and HMAC key. */
    list: (plain: string): readonly string[] => [
      `sha256:${digest('sha256', plain, 'base64url')}`,
      `sha512:${digest('sha512', plain, 'base64url')}`,
      ...hmacKeys.map((key) => `hmac-sha256:${createHmac('sha256', key).update(plain).digest('base64url')}`),
    ],
    hasHmacKey: hmacKeys.length > 0,
  }
}

/** A digest of an import as it is stored. `text` is hexadecimal, base64 or base64url. Throws with code `invalid_argument`. */
export function readDigest(member: keyof typeof DIGEST_MEMBERS, text: unknown): string {
  const { tag, length } = DIGEST_MEMBERS[member]
  const octets = typeof text === 'string' ? decode(text, length) : undefined
  if (octets) return `${tag}:${octets.toString('base64url')}`
  throw invalidArgument(
    `${member} must be a digest of ${length} octets: ${2 * length} hexadecimal digits, or base64 or base64url.`,
  )
}

/** The format of a stored hash that was imported, such as `sha256`; undefined for one that the platform has computed. */
export function readImportedFormat(hash: string): string | undefined {
  const end = hash.indexOf(':')
  return end < 0 ? undefined : hash.slice(0, end)
}

function decode(text: string, length: number): Buffer | undefined {
  if (/^[0-9a-f]+$/i.test(text) && text.length === 2 * length) return Buffer.from(text, 'hex')
  if (text.length > 2 * length) return undefined
  const octets = Buffer.from(text, 'base64url')
  const digits = text
    .replace(/={1,2}$/, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_')
  // Node skips characters that it cannot decode, so the octets are encoded again and compared.
  return octets.length === length && octets.toString('base64url') === digits ? octets : undefined
}
