import type { Api, Registration } from '../contracts/api.js'
import { ApplicationError } from '../contracts/errors.js'
import type { ApplicationRecord } from '../contracts/store.js'
import { createApplicationId } from './application-id.js'
import type { ApplicationWriter } from './application-writer.js'
import { toApplication, type ApiGrants, type Applications } from './applications-api.js'
import { mintCredentials, type Credentials } from './credentials.js'
import { requireMailer } from './email-outbox.js'
import { readGrants } from './grants.js'
import { createQueuedEmail } from './queued-emails.js'
import { readContact, readName } from './validation.js'

/** `auth.applications.register()` with the id of the HTTP request, for the registration form. */
export type Register = (
  application: Parameters<Applications['register']>[0],
  requestId: string | undefined,
) => ReturnType<Applications['register']>

/** What registration needs to know of an API. */
interface RegistrableApi extends Api {
  readonly registration: Registration
  readonly registrationScopes: readonly string[]
}

interface RegistrationOptions {
  readonly apis: ReadonlyMap<string, RegistrableApi>
  readonly writer: ApplicationWriter
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Credentials>
  readonly hasMailer: boolean
  /** Called when an e-mail has become due. */
  readonly onEmailDue: () => void
  readonly now: () => number
}

/** The two calls that add an application: `register`, for its developers, and `create`, for an operator. */
export function createRegistration(
  options: RegistrationOptions,
): Pick<Applications, 'create'> & { readonly register: Register } {
  const { apis, writer, opened, hasMailer, onEmailDue, now } = options

  return {
    async register({ name, contact, apis: grants, by }, requestId) {
      requireMailer(hasMailer, 'register')
      const granted = readRegistrationGrants(apis, grants)
      const record: ApplicationRecord = {
        ...createRecord(granted, now()),
        name: readName(name),
        contact: readContact(contact),
        status: 'pending',
      }
      await opened()
      const held = Object.keys(granted).some((api) => apis.get(api)?.registration === 'manual')
      const email = createQueuedEmail(record.id, 'registration', now(), { held })
      const event = { type: 'application.registered', by, requestId } as const
      await writer.add(record, event, { details: { apis: granted }, emails: [{ save: email }] })
      if (!held) onEmailDue()
      return { application: toApplication(record, now()) }
    },
    async create({ name, contact, apis: grants, by }) {
      const granted = readGrants(apis, grants)
      const createdAt = now()
      const { key, secret } = mintCredentials(await opened(), 'registration', apis, granted, createdAt)
      const record: ApplicationRecord = {
        ...createRecord(granted, createdAt),
        name: readName(name),
        contact: contact === undefined ? undefined : readContact(contact),
        status: 'active',
        keys: key ? [key.record] : [],
        secrets: secret ? [secret.record] : [],
      }
      await writer.add(record, { type: 'application.registered', by }, { details: { apis: granted } })
      return {
        application: toApplication(record, createdAt),
        credentials: { clientId: key!.plain, ...(secret && { clientSecret: secret.plain }) },
      }
    },
  }
}

function createRecord(
  apis: ApplicationRecord['apis'],
  createdAt: number,
): Omit<ApplicationRecord, 'name' | 'contact' | 'status'> {
  return {
    id: createApplicationId(),
    apis,
    keys: [],
    secrets: [],
    createdAt,
    tokensRevokedAt: 0,
    version: 1,
  }
}

/** What a registration may have: no closed API, and only scopes in `registrationScopes`. */
function readRegistrationGrants(
  apis: ReadonlyMap<string, RegistrableApi>,
  grants: ApiGrants,
): ApplicationRecord['apis'] {
  const granted = readGrants(apis, grants, (api) => api.registrationScopes)
  for (const name of Object.keys(granted)) {
    if (apis.get(name)?.registration !== 'closed') continue
    throw new ApplicationError(
      'api_closed',
      `The API "${name}" takes no registrations: its operator creates applications with auth.applications.create().`,
    )
  }
  return granted
}
