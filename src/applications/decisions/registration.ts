import type { Api, Registration } from '../../contracts/api.js'
import { ApplicationError } from '../../contracts/errors.js'
import type { RequestOrigin } from '../../contracts/events.js'
import type { ApplicationRecord } from '../../contracts/application-record.js'
import type { NewAuditRecord } from '../../contracts/store-records.js'
import { readEnd } from '../../lib/temporary.js'
import { createApplicationId } from '../records/application-id.js'
import { createApprovalRequests } from './approval-requests.js'
import type { ApplicationWriter } from '../records/application-writer.js'
import { toApplication } from '../records/application-info.js'
import type { ApiGrants } from '../call-options.js'
import type { Applications } from '../applications-api.js'
import { mintCredentials, type Credentials } from '../credentials/credentials.js'
import { describeAsker } from './decided-requests.js'
import { requireMailer } from '../queue/email-outbox.js'
import { readGrants } from '../records/grants.js'
import type { OperatorDataRecord, ReadOperatorData } from '../records/metadata.js'
import { createQueuedEmail } from '../queue/queued-emails.js'
import {
  readContact,
  readLanguage,
  readName,
  readRegistrationContact,
  readRegistrationName,
} from '../records/validation.js'

/** Validates a registration without storing it, so that mistakes count against no limit. Throws `ApplicationError`. */
export type PrepareRegistration = (application: Parameters<Applications['register']>[0]) => PreparedRegistration

/** A valid registration. */
export interface PreparedRegistration extends Pick<ApplicationRecord, 'name' | 'apis'> {
  readonly contact: string
  /** `operatorData` is for operators only: what strangers send is never passed here. */
  save(origin: RequestOrigin | undefined, operatorData?: OperatorDataRecord): ReturnType<Applications['register']>
}

/** An API with the access that strangers may request there. */
export interface RegistrableApi extends Api {
  readonly registration: Registration
  readonly registrationScopes: readonly string[]
}

interface RegistrationOptions {
  readonly apis: ReadonlyMap<string, RegistrableApi>
  readonly writer: ApplicationWriter
  readonly readOperatorData: ReadOperatorData
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Credentials>
  readonly hasMailer: boolean
  /** The operators who are asked to decide about registrations. */
  readonly operators: readonly string[]
  /** Called when an e-mail has become due. */
  readonly onEmailDue: () => void
  readonly now: () => number
}

/** The two calls that add an application: `register`, for its developers, and `create`, for an operator. */
export function createRegistration(
  options: RegistrationOptions,
): Pick<Applications, 'create'> & { readonly prepareRegistration: PrepareRegistration } {
  const { apis, writer, readOperatorData, opened, hasMailer, operators, onEmailDue, now } = options

  return {
    prepareRegistration({ name: givenName, contact: givenContact, apis: grants, language: givenLanguage, by }) {
      requireMailer(hasMailer, 'register')
      const granted = readRegistrationGrants(apis, grants)
      const name = readRegistrationName(givenName)
      const contact = readRegistrationContact(givenContact)
      const language = readLanguage(givenLanguage)

      async function save(
        origin: RequestOrigin | undefined,
        operatorData?: OperatorDataRecord,
      ): ReturnType<Applications['register']> {
        await opened()
        const record = {
          ...createRecord(granted, now()),
          ...operatorData,
          name,
          contact,
          language,
          isUnconfirmed: true,
          status: 'pending',
        } as const
        const held = Object.keys(granted).some((api) => apis.get(api)?.registration === 'manual')
        const email = createQueuedEmail(record.id, 'registration', now(), {
          held,
          ...(held && { details: describeAsker(by, origin?.address) }),
        })
        const event = { type: 'application.registered', by, origin } as const
        const subject = { applicationId: record.id, api: undefined, requestedAt: record.createdAt }
        const requests = held
          ? createApprovalRequests(subject, { operators, address: origin?.address, now: now() })
          : []
        const emails = [email, ...requests].map((each) => ({ save: each }))
        await writer.add(record, event, { details: describeRecord(record), emails })
        if (!held || requests.length > 0) onEmailDue()
        return { application: toApplication(record, now()) }
      }

      return { name, contact, apis: granted, save }
    },
    async create(application) {
      const { name, contact, apis: grants, language, externalId, metadata, by } = application
      const granted = readGrants(apis, grants)
      const operatorData = await readOperatorData({ externalId, metadata })
      const createdAt = now()
      const { key, secret } = mintCredentials(await opened(), 'registration', apis, granted, createdAt)
      const record: ApplicationRecord = {
        ...createRecord(granted, createdAt),
        ...operatorData,
        name: readName(name),
        contact: contact === undefined ? undefined : readContact(contact),
        isUnconfirmed: false,
        language: readLanguage(language),
        endsAt: readEnd(application),
        status: 'active',
        keys: key ? [key.record] : [],
        secrets: secret ? [secret.record] : [],
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

function createRecord(
  apis: ApplicationRecord['apis'],
  createdAt: number,
): Omit<ApplicationRecord, 'name' | 'contact' | 'isUnconfirmed' | 'status' | 'language'> {
  return {
    id: createApplicationId(),
    otherContacts: [],
    invitations: [],
    apis,
    accessRequests: [],
    decided: [],
    withheld: undefined,
    keys: [],
    secrets: [],
    metadata: undefined,
    externalId: undefined,
    endsAt: undefined,
    createdAt,
    tokensRevokedAt: 0,
    version: 1,
  }
}

/** Details for the audit log. Operator data is erased with the application, so only names are recorded. */
function describeRecord({ apis, externalId, metadata }: ApplicationRecord): NewAuditRecord['details'] {
  return {
    apis,
    ...(externalId !== undefined && { externalId: true }),
    ...(metadata && { metadata: Object.keys(metadata) }),
  }
}

/** The access that a registration may have: only open APIs, and only scopes in `registrationScopes`. */
function readRegistrationGrants(
  apis: ReadonlyMap<string, RegistrableApi>,
  grants: ApiGrants,
): ApplicationRecord['apis'] {
  const names = Array.isArray(grants) ? grants : Object.keys(Object(grants))
  const closed = names.find((name) => apis.get(name)?.registration === 'closed')
  if (closed !== undefined) throw createClosedError(closed)
  // Strangers read the messages, which list APIs.
  const open = new Map([...apis].filter(([, { registration }]) => registration !== 'closed'))
  return readGrants(open, grants, (api) => api.registrationScopes)
}

export function createClosedError(api: string): ApplicationError {
  return new ApplicationError(
    'api_closed',
    `The API "${api}" takes no registrations: its operator creates applications with auth.applications.create().`,
  )
}
