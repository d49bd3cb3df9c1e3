import type { SignIn, SignOut } from '../../shared/contracts/sign-ins.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemorySignIns() {
  const signIns = new Map<string, SignIn>()
  const signOuts = new Map<string, SignOut>()

  return {
    add(signIn: SignIn): void {
      const copy = copyFrozen(signIn)
      deleteExpired(signIns, signIn.createdAt)
      signIns.set(signIn.id, copy)
    },
    findByLink: (linkHash: string) => [...signIns.values()].find((each) => each.linkHash === linkHash),
    countGuess(id: string): SignIn | undefined {
      const found = signIns.get(id)
      if (!found) return undefined
      const counted = copyFrozen({ ...found, guesses: found.guesses + 1 })
      signIns.set(id, counted)
      return counted
    },
    remove: (id: string) => signIns.delete(id),
    signOut({ subject, nonce, at, expiresAt }: SignOut): void {
      const former = signOuts.get(subject)
      deleteExpired(signOuts, at)
      signOuts.set(subject, copyFrozen({ subject, nonce, at: Math.max(at, former ? former.at + 1 : 0), expiresAt }))
      for (const { id, contact } of signIns.values()) if (subject === `contact:${contact}`) signIns.delete(id)
    },
    listSignOuts: (subjects: readonly string[]) =>
      subjects.flatMap((subject) => {
        const found = signOuts.get(subject)
        return found ? [found] : []
      }),
  }
}

function deleteExpired(records: Map<string, { readonly expiresAt: number }>, now: number): void {
  // Oldest first: one that expires late only delays the deletion of those after it.
  for (const [key, { expiresAt }] of records) {
    if (expiresAt > now) break
    records.delete(key)
  }
}
