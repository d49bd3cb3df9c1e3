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

/** The store's part `signIns`: links with which contacts sign in, and their sign-outs. */
export interface SignInStore {
  /** Adds a way to sign in, and deletes some that expired before it was created. */
  add(signIn: SignIn): Promise<void>
  findByLink(linkHash: string): Promise<SignIn | undefined>
  /** Adds one to its guesses and resolves it with them; undefined if there is none with that id. */
  countGuess(id: string): Promise<SignIn | undefined>
  /** Deletes a way to sign in; resolves true for one caller only. */
  remove(id: string): Promise<boolean>
  /**
   * Adds a sign-out, and deletes some that expired before `at`. One of the same subject is replaced by one whose `at` is
   * later than before, whatever the clock says. One of a mailbox also deletes its ways to sign in, in the same transaction.
   */
  addSignOut(signOut: SignOut): Promise<void>
  /** The stored sign-outs of these subjects. */
  listSignOuts(subjects: readonly string[]): Promise<readonly SignOut[]>
}
