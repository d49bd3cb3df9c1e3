import type { Store } from '../contracts/store.js'
import type { ApplicationWriter } from './application-writer.js'

/** Ends `pending` when an application's credentials are first used: then the email has arrived, whatever the mail server said. */
export type Activate = (id: string, requestId: string | undefined) => Promise<void>

export function createActivation(store: Store, writer: ApplicationWriter): Activate {
  return async function activate(id, requestId) {
    await writer.change(id, { type: 'application.activated', requestId }, async (current) => {
      if (current.status !== 'pending') return undefined
      const query = { applicationId: id, purpose: 'registration', state: undefined, limit: 1 } as const
      const [email] = await store.listEmails(query)
      return {
        changed: { status: 'active' },
        details: { firstUse: true },
        email: email && { remove: email },
      }
    })
  }
}
