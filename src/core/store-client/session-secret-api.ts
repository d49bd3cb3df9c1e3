/** `auth.sessionSecret`. */
export interface SessionSecretCalls {
  /**
   * Replaces the secret behind sessions of the portal, sign-in links, and the links in operators' e-mails. All of these that
   * were made before end: for the next request in this process, and within a second in every other one. Contacts sign in
   * again; operators decide about open requests with `auth.applications.approve()` and `deny()`, or on the command line.
   * Call it after a leak of the database with `secret`, once `secret` is replaced. Rejects with `StoreUnavailableError`.
   *
   * @example
   * ```ts
   * import type { PlatformAuth } from 'express-platform-auth'
   *
   * export async function recoverFromLeak(auth: PlatformAuth): Promise<void> {
   *   await auth.sessionSecret.replace({ by: 'alice, ticket 7' })
   * }
   * ```
   */
  replace(options?: { readonly by?: string | undefined }): Promise<void>
}
