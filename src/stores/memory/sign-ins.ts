import type { SignIn, SignOut } from '../../shared/contracts/sign-ins.js'
import type { StoreWith } from '../../shared/contracts/store.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemorySignIns(): StoreWith['signIns'] {
  const signIns = new Map<string, SignIn>()
  const signOuts = new Map<string, SignOut>()

  return {
    async add(signIn) {
      const copy = copyFrozen(signIn)
      deleteExpired(signIns, signIn.createdAt)
      signIns.set(signIn.id, copy)
    },
    findByLink: async (linkHash) => [...signIns.values()].find((each) => each.linkHash === linkHash),
    async countGuess(id) {
      const found = signIns.get(id)
      if (!found) return undefined
      const counted = copyFrozen({ ...found, guesses: found.guesses + 1 })
      signIns.set(id, counted)
      return counted
    },
    remove: async (id) => signIns.delete(id),
    async addSignOut({ subject, nonce, at, expiresAt }) {
      const former = signOuts.get(subject)
      deleteExpired(signOuts, at)
      signOuts.set(subject, copyFrozen({ subject, nonce, at: Math.max(at, former ? former.at + 1 : 0), expiresAt }))
      for (const { id, contact } of signIns.values()) if (subject === `contact:${contact}`) signIns.delete(id)
    },
    listSignOuts: async (subjects) =>
      subjects.flatMap((subject) => {
        const found = signOuts.get(subject)
        return found ? [found] : []
      }),
  }
}

export function deleteExpired(records: Map<string, { readonly expiresAt: number }>, now: number): void {
  // Oldest first: one that expires late only delays the deletion of those after it.
  for (const [key, { expiresAt }] of records) {
    if (expiresAt > now) break
    records.delete(key)
  }
}
