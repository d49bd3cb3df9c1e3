import type { Change, NewAuditRecord } from '../../shared/contracts/store-records.js'
import type { SecretName } from '../../shared/contracts/store.js'

export function createMemorySecrets(options: {
  readonly audit: { write(record: NewAuditRecord): void }
  readonly feed: { publish(change: Change): void }
}) {
  const { audit, feed } = options
  const secrets = new Map<SecretName, string>()

  function establish(name: SecretName, sealed: string): string {
    if (!secrets.has(name)) secrets.set(name, sealed)
    return secrets.get(name)!
  }

  function replace(name: SecretName, former: string, sealed: string, record: NewAuditRecord | undefined): boolean {
    if (secrets.get(name) !== former) return false
    if (record) audit.write(record)
    secrets.set(name, sealed)
    if (record) feed.publish({ kind: 'sessionSecret' })
    return true
  }

  return { establish, replace }
}
