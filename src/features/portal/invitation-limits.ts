import { OAuthError } from '../../shared/contracts/denial.js'
import type { Limit } from '../../shared/contracts/api.js'
import { removeTag } from '../../shared/lib/email-address.js'
import type { RateLimits } from '../../core/rate-limits/rate-limits.js'

/** Bounds the e-mails that contacts send to addresses of their choice. Both calls reject with `too_many_requests`. */
export type InvitationLimits = ReturnType<typeof createInvitationLimits>

const OF_CONTACT: Limit = { limit: 20, window: 3600 }
const OF_APPLICATION: Limit = { limit: 20, window: 3600 }
const TO_ADDRESS: Limit = { limit: 5, window: 3600 }
const IN_ALL: Limit = { limit: 200, window: 3600 }
/** The first ones of an application are not counted in all, so that no stranger uses up those of others. */
const RESERVED: Limit = { limit: 2, window: 3600 }

export function createInvitationLimits({ create }: Pick<RateLimits, 'create'>) {
  const [contacts, applications, addresses, reserved] = [
    create('invitations', OF_CONTACT, { untrustedKeys: true }),
    create('invitationsOfApplication', OF_APPLICATION, { untrustedKeys: true }),
    create('invitationsToAddress', TO_ADDRESS, { untrustedKeys: true }),
    create('reservedInvitations', RESERVED, { untrustedKeys: true }),
  ]
  const all = create('allInvitations', IN_ALL)

  async function isReserved(applicationId: string): Promise<boolean> {
    try {
      await reserved?.(applicationId)
      return true
    } catch (error) {
      if (error instanceof OAuthError) return false
      throw error
    }
  }

  return {
    /** Counts a form that a contact sends, whether or not it leads to an e-mail. */
    async countAttempt(contact: string): Promise<void> {
      await contacts?.(contact)
    },
    /** Counts an invitation: by the application, by the address, and by all together. */
    async limitInvitation(applicationId: string, address: string): Promise<void> {
      await applications?.(applicationId)
      // Whatever stands behind a plus sign, the e-mail arrives in one mailbox.
      await addresses?.(removeTag(address).toLowerCase())
      if (!(await isReserved(applicationId))) await all?.('all')
    },
  }
}
