import type { Store } from '../contracts/store.js'
import type { Changes } from './application-writer.js'

/** Ends `pending` when an application's credentials are first used: then the letter has arrived, whatever the mail server said. */
export type Activate = (id: string, requestId: string | undefined) => Promise<void>

export function createActivation(store: Store, changes: Changes): Activate {
  return async function activate(id, requestId) {
    await changes.change(id, { type: 'application.activated', requestId }, async (current) => {
      if (current.status !== 'pending') return undefined
      const letters = await store.listLetters({ applicationId: id, state: undefined, limit: 100 })
      const letter = letters.find(({ purpose }) => purpose === 'registration')
      return {
        changed: { status: 'active' },
        details: { firstUse: true },
        letter: letter && { remove: letter },
      }
    })
  }
}
