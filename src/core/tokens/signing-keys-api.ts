/** `auth.signingKeys`: the keys that sign access tokens, shared by every process on the store. */
export interface SigningKeyRotation {
  /** Every key that still verifies, in the order in which they sign. */
  list(): Promise<{ items: SigningKeyInfo[] }>
  /**
   * Publishes a new key, which signs `tokens.publishAhead` seconds later, or at once with `immediately`; resolves that
   * key. A key that is already waiting to sign is the one resolved. The former key verifies until its last access token
   * has expired.
   */
  rotate(options?: { readonly immediately?: boolean; readonly by?: string }): Promise<SigningKeyInfo>
  /**
   * Removes a key: every access token it signed is refused from the next request on. The current key is replaced first.
   * Rejects with code `signing_key_not_found`.
   */
  revoke(kid: string, options?: { readonly by?: string }): Promise<void>
}
/** A signing key as `auth.signingKeys.list()` shows it. */
export interface SigningKeyInfo {
  readonly kid: string
  /** The JWS algorithm (RFC 7518 3.1, RFC 8037). */
  readonly algorithm: string
  /** `next`: published, signs later; `current`: signs; `former`: only verifies, until `verifiesUntil`. */
  readonly state: 'next' | 'current' | 'former'
  readonly createdAt: Date
  readonly signsFrom: Date
  /** Undefined while no later key has replaced it. */
  readonly verifiesUntil: Date | undefined
}
