import type { SecretName, SigningKeyRecord, Store } from '../../shared/contracts/store.js'
import type { createMemoryAudit } from './audit.js'
import { copyFrozen } from './deep-freeze.js'
import type { createMemoryFeed } from './feed.js'

interface Records {
  readonly audit: ReturnType<typeof createMemoryAudit>
  readonly feed: ReturnType<typeof createMemoryFeed>
}

export function createMemorySecrets({ audit, feed }: Records): Pick<Store, 'establishSecret' | 'replaceSecret'> {
  const secrets = new Map<SecretName, string>()

  return {
    async establishSecret(name, sealed) {
      if (!secrets.has(name)) secrets.set(name, sealed)
      return secrets.get(name)!
    },
    async replaceSecret(name, former, sealed, record) {
      if (secrets.get(name) !== former) return false
      if (record) audit.write(record)
      secrets.set(name, sealed)
      if (record) feed.publish({ kind: 'sessionSecret' })
      return true
    },
  }
}

export function createMemorySigningKeys({
  audit,
  feed,
}: Records): Pick<Store, 'listSigningKeys' | 'addSigningKey' | 'resealSigningKey' | 'removeSigningKey'> {
  const keys = new Map<string, SigningKeyRecord>()

  return {
    listSigningKeys: async () => [...keys.values()],
    async addSigningKey(key, newest, record) {
      if ([...keys.keys()].at(-1) !== newest) return false
      if (keys.has(key.kid)) throw new Error(`The signing key ${key.kid} exists already.`)
      // Copied before the audit record is written: a key that cannot be copied must not leave a record.
      const copy = copyFrozen(key)
      audit.write(record)
      keys.set(key.kid, copy)
      feed.publish({ kind: 'signingKeys' })
      return true
    },
    async resealSigningKey(kid, former, sealed) {
      const key = keys.get(kid)
      if (key?.sealedPrivateJwk !== former) return false
      keys.set(kid, copyFrozen({ ...key, sealedPrivateJwk: sealed }))
      return true
    },
    async removeSigningKey(kid, record) {
      if (!keys.has(kid)) return false
      audit.write(record)
      keys.delete(kid)
      feed.publish({ kind: 'signingKeys' })
      return true
    },
  }
}
