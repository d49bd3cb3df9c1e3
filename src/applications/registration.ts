import type { ApiSettings } from '../options/settings.js'
import { ApplicationError } from '../contracts/errors.js'
import type { ApplicationRecord, Store } from '../contracts/store.js'
import { toApplication } from './application.js'
import type { Applications } from './applications-api.js'
import { readAccess, readContact, readName, type ApiGrants } from './validation.js'
import type { ApplicationWriter } from './application-writer.js'
import type { EmailOutbox } from './email-outbox.js'
import { newApplication } from './registry.js'

interface RegistrationOptions {
  readonly store: Store
  readonly apis: ReadonlyMap<string, ApiSettings>
  readonly writer: ApplicationWriter
  readonly outbox: EmailOutbox
  readonly opened: () => Promise<unknown>
  readonly now: () => number
}

/** `auth.applications.register()`, as doors call it: with the id of the request that it comes by. */
export type Register = (
  application: Parameters<Applications['register']>[0],
  requestId: string | undefined,
) => ReturnType<Applications['register']>

interface Registration extends Pick<Applications, 'approve'> {
  readonly register: Register
}

/** How applications come by themselves: stored with the email that brings their credentials, approved where that is asked. */
export function createRegistration(options: RegistrationOptions): Registration {
  const { store, apis, writer, outbox, opened, now } = options

  return {
    async register({ name, contact, apis: access, by }, requestId) {
      outbox.refuseWithoutMailer('register')
      const granted = readRegistrationAccess(apis, access)
      const record: ApplicationRecord = {
        ...newApplication(granted, now()),
        name: readName(name),
        contact: readContact(contact),
        status: 'pending',
      }
      await opened()
      const held = Object.keys(granted).some((api) => apis.get(api)?.registration === 'manual')
      const email = outbox.newEmail(record.id, 'registration', { held })
      await writer.add(
        record,
        { type: 'application.registered', by, requestId },
        { details: { apis: granted }, email: { save: email } },
      )
      if (!held) outbox.wake()
      return { application: toApplication(record, now()) }
    },
    async approve(id, { by } = {}) {
      await opened()
      const record = await writer.change(id, { type: 'application.approved', by }, async (current) => {
        const [held] = await store.listEmails({ applicationId: id, state: 'held', limit: 1 })
        if (current.status !== 'pending' || !held) {
          throw new ApplicationError(
            'invalid_state',
            `Application ${id} is ${current.status} and does not wait for approval.`,
          )
        }
        // The time until then is the provider's, and takes nothing from the 72 hours of trying.
        const due = {
          ...held,
          state: 'due',
          createdAt: now(),
          dueAt: now(),
          version: held.version + 1,
        } as const
        return { changed: {}, email: { save: due } }
      })
      outbox.wake()
      return toApplication(record!, now())
    },
  }
}

/** What a registration asks for, as far as the APIs let it: closed ones refused, scopes bounded. */
function readRegistrationAccess(apis: ReadonlyMap<string, ApiSettings>, access: ApiGrants): ApplicationRecord['apis'] {
  const asked = readAccess(apis, access, (api) => api.registrationScopes)
  for (const name of Object.keys(asked)) {
    if (apis.get(name)?.registration === 'closed') {
      throw new ApplicationError(
        'api_closed',
        `The API "${name}" takes no registrations: its operator makes its applications, by auth.applications.create().`,
      )
    }
  }
  return asked
}
