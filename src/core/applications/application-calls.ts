import type { Api } from '../../shared/contracts/api.js'
import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import type { Store } from '../../shared/contracts/store.js'
import type { Applications } from './applications-api.js'
import { createContacts } from './contacts/contacts.js'
import { createCredentialCreation } from './credentials/credential-creation.js'
import { createNamedCredentials } from './credentials/named-credentials.js'
import { createCredentialRotation } from './credentials/credential-rotation.js'
import type { Credentials } from './credentials/credentials.js'
import { createKeySetReplacement } from './credentials/key-sets.js'
import type { LastUsed } from './credentials/last-used.js'
import { createDecisions } from './decisions/decisions.js'
import type { EmailSender } from './call-parts.js'
import type { ApplicationWriter } from './records/application-writer.js'
import { createCreation } from './records/creation.js'
import { createGrants } from './records/grants.js'
import { createOperatorDataReader } from './records/metadata.js'
import { createRecovery } from './records/recovery.js'
import { createRegistry } from './records/registry.js'

/** What `auth.applications` does. It is loaded at the start of a platform, or with the first call if that comes earlier. */
export function createApplicationCalls(options: {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  readonly writer: ApplicationWriter
  readonly lastUsed: Pick<LastUsed, 'flush'>
  readonly metadataSchema: MetadataSchema | undefined
  readonly opened: () => Promise<Credentials>
  readonly sender: EmailSender
  readonly internalHosts: readonly string[]
  readonly now: () => number
}): Applications {
  const parts = { ...options, readOperatorData: createOperatorDataReader(options.metadataSchema) }
  return {
    ...createRegistry({ ...parts, decisions: createDecisions(parts), flushLastUsed: options.lastUsed.flush }),
    ...createCreation(parts),
    ...createGrants(parts),
    ...createContacts(parts),
    ...createCredentialCreation(parts),
    ...createNamedCredentials(parts),
    ...createKeySetReplacement(parts),
    ...createCredentialRotation(parts),
    ...createRecovery(parts),
  }
}
