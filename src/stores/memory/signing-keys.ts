import type { SigningKeyRecord } from '../../shared/contracts/store-records.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemorySigningKeys() {
  const keys = new Map<string, SigningKeyRecord>()

  /** Whether `newest` is the key added last. Throws for a key that is stored already. */
  function isNext(key: SigningKeyRecord, newest: string | undefined): boolean {
    if ([...keys.keys()].at(-1) !== newest) return false
    if (keys.has(key.kid)) throw new Error(`The signing key ${key.kid} exists already.`)
    return true
  }

  function reseal(kid: string, former: string, sealed: string): boolean {
    const key = keys.get(kid)
    if (key?.sealedPrivateJwk !== former) return false
    keys.set(kid, copyFrozen({ ...key, sealedPrivateJwk: sealed }))
    return true
  }

  return {
    list: (): readonly SigningKeyRecord[] => [...keys.values()],
    isNext,
    add: (key: SigningKeyRecord) => void keys.set(key.kid, key),
    reseal,
    has: (kid: string) => keys.has(kid),
    remove: (kid: string) => void keys.delete(kid),
  }
}
