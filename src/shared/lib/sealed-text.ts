import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Texts that browsers keep, and that only this platform can read and make. `getKey` returns 256 bits. The context is authenticated with each text: one of another context is refused. */
export function createSealedTexts(getKey: () => Uint8Array, context: string) {
  const options = { authTagLength: TAG_BYTES }
  return {
    /** The text, encrypted and authenticated, in base64url. */
    seal(text: string): string {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, getKey(), nonce, options).setAAD(Buffer.from(context))
      const encrypted = Buffer.concat([cipher.update(text), cipher.final()])
      return Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64url')
    },
    /** Undefined for a text that was not sealed with this key and context. */
    open(sealed: string): string | undefined {
      const bytes = Buffer.from(sealed, 'base64url')
      try {
        const decipher = createDecipheriv(CIPHER, getKey(), bytes.subarray(0, NONCE_BYTES), options)
        decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES))
        return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}
