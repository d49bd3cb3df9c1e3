import type { ActorOptions } from '../../core/applications/call-options.js'
import type { Application } from '../../core/applications/application.js'
import type { SignOutContact } from '../../core/applications/contacts/sign-outs.js'
import type { Middleware } from '../../core/http/middleware.js'

/** A contact whom `auth.portal.link()` signs in, or the first contact of an application, for that application only. */
export type PortalLinkOptions =
  | { readonly contact: string; readonly applicationId?: undefined }
  | { readonly applicationId: string; readonly contact?: undefined }

/** `auth.portal`: contacts sign in with a link from an e-mail and manage their applications. */
export interface Portal<Metadata = Record<string, unknown>> {
  /**
   * Resolves a link that signs a contact in once, within 15 minutes: for a customer who is signed in to your own site. Send it
   * to nobody else. Rejects with `ApplicationError` (`application_not_found`) if there is no such contact or application.
   *
   * @example
   * ```ts
   * import type { WithPortal } from 'express-platform-auth/portal'
   * import type { Request, Response } from 'express'
   *
   * export function manageApplications(auth: WithPortal, readContact: (req: Request) => string) {
   *   return async (req: Request, res: Response): Promise<void> => {
   *     res.redirect(303, await auth.portal.link({ contact: readContact(req) }))
   *   }
   * }
   * ```
   */
  link(options: PortalLinkOptions): Promise<string>
  /** Ends every session of a contact in every process, and the links that it has not used yet. Resolves once that is stored. */
  signOut: SignOutContact
  /**
   * Sends an e-mail with a link that makes its reader a contact: once, within 7 days. Another invitation of the same address ends
   * the earlier one. Rejects as `addContact` does, and with `invalid_state` for an application that is not active.
   */
  invite(id: string, address: string, options?: ActorOptions): Promise<Application<Metadata>>
  /** The portal's pages. The console serves them at `/applications`; without the console mount it at `{developersUrl}/applications`. */
  readonly router: Middleware
}
