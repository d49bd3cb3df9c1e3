/** A link, and a code, that sign a contact in at the portal. */
export interface SignIn {
  /** The id that a code belongs to, known to the browser that asked for the code. */
  readonly id: string
  /** The contact's address in ASCII lower case. Nobody needs to have it. */
  readonly contact: string
  /** HMAC-SHA-256 of the link's token under the pepper, base64url. No two have the same one. */
  readonly linkHash: string
  /** The same hash of id and code; undefined for a link without a code. */
  readonly codeHash: string | undefined
  /** The number of codes that have been tried. */
  readonly guesses: number
  /** The only application that may be managed; undefined: every application of the contact. */
  readonly applicationId: string | undefined
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Ends sessions at the portal that do not know it. */
export interface SignOut {
  /** `contact:` and an address in ASCII lower case, or `session:` and an id. */
  readonly subject: string
  /** Random. A session is of the time after a sign-out if it knows this value, whatever times its cookie states. */
  readonly nonce: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Milliseconds since 1970 from which all of those sessions have ended anyway. */
  readonly expiresAt: number
}
