/** A contact who is signed in. */
export interface PortalSession {
  readonly id: string
  /** The contact's address in ASCII lower case. */
  readonly mailbox: string
  /** Only this application, for a session of `auth.portal.link({ applicationId })`. */
  readonly applicationId: string | undefined
  /** The hidden field `csrf` of every form. */
  readonly csrf: string
}
