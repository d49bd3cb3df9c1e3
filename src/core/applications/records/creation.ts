import type { Api } from '../../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { NewAuditRecord } from '../../../shared/contracts/events.js'
import { mintCredentials, type Credentials } from '../credentials/credentials.js'
import { createKeySetRecord, readKeySetSource, type KeySetReader } from '../credentials/key-sets.js'
import type { Applications } from '../applications-api.js'
import { createTemporaryId, readEnd } from '../../../shared/lib/application-id.js'
import { toApplication } from './application-info.js'
import { EMPTY_APPLICATION } from '../../../shared/lib/own-record.js'
import { readGrants, readResourceServer } from './grants.js'
import type { ReadOperatorData } from './metadata.js'
import { readContact, readLanguage, readName } from './validation.js'
import type { CallParts } from '../call-parts.js'

export function createCreation(
  options: Omit<CallParts<Credentials>, 'store'> &
    Pick<KeySetReader, 'internalHosts'> & {
      readonly apis: ReadonlyMap<string, Api>
      readonly readOperatorData: ReadOperatorData
    },
): Pick<Applications, 'create'> {
  const { apis, writer, readOperatorData, opened, internalHosts, now } = options

  return {
    async create(application) {
      const { name, contact, apis: grants, language, externalId, metadata, keySet, by } = application
      const resourceServer = readResourceServer(apis, application.resourceServer)
      // A resource server need not call any API.
      const granted = resourceServer && grants === undefined ? {} : readGrants(apis, grants)
      const operatorData = await readOperatorData({ externalId, metadata })
      const createdAt = now()
      const endsAt = readEnd(application)
      const reader = { now: createdAt, internalHosts, isByOperator: true }
      const given = keySet && createKeySetRecord(readKeySetSource(keySet, reader), createdAt)
      const { key, secret } = mintCredentials(
        await opened(),
        'registration',
        { apis: granted, resourceServer },
        { apis, hasKeySet: given !== undefined, now: createdAt },
      )
      const record: ApplicationRecord = {
        ...createRecord(writer.createId(), granted, createdAt),
        ...operatorData,
        resourceServer,
        ...(endsAt !== undefined && { id: createTemporaryId(), endsAt }),
        name: readName(name),
        contact: contact === undefined ? undefined : readContact(contact),
        isUnconfirmed: false,
        language: readLanguage(language),
        status: 'active',
        keys: key ? [key.record] : [],
        secrets: given ? [given] : secret ? [secret.record] : [],
      }
      const saved = await writer.add(
        record,
        { type: 'application.registered', by },
        { details: describeRecord(record) },
      )
      return {
        application: toApplication(saved, createdAt),
        credentials: { clientId: key!.plain, ...(secret && { clientSecret: secret.plain }) },
      }
    },
  }
}

export function createRecord(
  id: string,
  apis: ApplicationRecord['apis'],
  createdAt: number,
): Omit<ApplicationRecord, 'name' | 'contact' | 'isUnconfirmed' | 'status' | 'language'> {
  return { ...EMPTY_APPLICATION, id, apis, createdAt, tokensRevokedAt: 0, version: 1 }
}

/** Details for the audit log. Operator data is erased with the application, so only names are recorded. */
export function describeRecord(options: ApplicationRecord): NewAuditRecord['details'] {
  const { apis, externalId, metadata, acceptedTerms, resourceServer } = options
  return {
    apis,
    ...(externalId !== undefined && { externalId: true }),
    ...(resourceServer && { resourceServer }),
    ...(metadata && { metadata: Object.keys(metadata) }),
    ...(acceptedTerms && { acceptedTerms: { url: acceptedTerms.url, version: acceptedTerms.version } }),
  }
}
