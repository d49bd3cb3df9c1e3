/**
 * Encrypts and authenticates signing keys at rest. It has a file of its own: public declarations refer to it, and must not
 * reach those of jose, which users may lack.
 */
export interface KeyEncryption {
  /** `context` is stored in clear and authenticated. */
  seal(text: string, context: string): Promise<string>
  /** Whether the newest secret encrypted it. */
  isNewest(sealed: string): boolean
  /** Rejects with `ConfigurationError` if no secret decrypts it. */
  unseal(sealed: string): Promise<string>
  /** Whether it was sealed with this context. */
  authenticate(sealed: string, context: string): 'authentic' | 'forged' | 'unencrypted'
}
