import { hkdfSync } from 'node:crypto'

/** 256 bits derived from a secret by HKDF (RFC 5869). Each use has its own label, so that one key reveals nothing about another. */
export function deriveKey(secret: string | Uint8Array, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', label, 32))
}
