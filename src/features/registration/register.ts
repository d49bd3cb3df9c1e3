import { createRecord, describeRecord } from '../../core/applications/records/creation.js'
import type { ApiSettings } from '../../core/options/settings.js'
import type { ActorOptions, ApiGrants, KeySetSource, OperatorData } from '../../core/applications/call-options.js'
import type { Application } from '../../core/applications/application.js'
import type { Language } from '../../shared/contracts/email-content.js'
import type { Middleware } from '../../core/http/middleware.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { ApplicationError } from '../../shared/contracts/errors.js'
import type { RequestOrigin } from '../../shared/contracts/events.js'
import type { JsonObject } from '../../shared/contracts/application-record.js'
import { toApplication } from '../../core/applications/records/application-info.js'
import { describeKeySet, readKeySetSource } from '../../core/applications/credentials/key-sets.js'
import { describeAsker } from '../../core/applications/decisions/decided-requests.js'
import { createApprovalRequests } from '../../core/applications/decisions/approval-requests.js'
import { readGrants } from '../../core/applications/records/grants.js'
import { createQueuedEmail } from '../../core/applications/queue/queued-emails.js'
import {
  readLanguage,
  readRegistrationContact,
  readRegistrationName,
} from '../../core/applications/records/validation.js'
import type { RegistrationData } from './additions.js'
import { createKeySetError, findKeySetProblem } from './mistakes.js'
import type { Core } from '../../feature.js'

/** `auth.registration`: how applications are registered by their developers. */
export interface Registration<ApiNames extends string = string, Input = object, Metadata = Record<string, unknown>> {
  /**
   * Resolves once the application and its queued e-mail are stored, without waiting for the mail
   * server. Credentials are made when the e-mail is sent, and are never resolved here.
   */
  register(
    application: {
      readonly name: string
      readonly contact: string
      readonly apis: ApiGrants<ApiNames>
      readonly language?: Language | undefined
      /** Public keys in place of a secret, needed where an API takes nothing else. */
      readonly keySet?: KeySetSource | undefined
      /** The version of the terms that the contact has accepted, if it has: that of the option `terms`. */
      readonly terms?: string | undefined
    } & OperatorData<Input> &
      ActorOptions,
  ): Promise<{ application: Application<Metadata> }>
  /**
   * Requests access as a contact does at the portal: adds an API with `registration: 'automatic'` at once, and stores a request for
   * one with `manual`, or for access that `disallow` or `allow` took away, until `approve` or `deny` decides it. At most
   * `registrationScopes` can be requested; all of them if `scopes` is left out. Scopes that the application has there already stay.
   * Rejects with code `api_closed` for an API that takes no registrations, and with `invalid_state` for an application that is not
   * active.
   */
  requestAccess(
    id: string,
    request: { readonly api: ApiNames; readonly scopes?: readonly string[] } & ActorOptions,
  ): Promise<Application<Metadata>>
  /**
   * The registration form and JSON at `/`, and the pages at `/decide` on which operators decide. The console serves it at
   * `/register`; without the console mount it at `{developersUrl}/register`.
   */
  readonly router: Middleware
}

/** Validates a registration without storing it, so that mistakes count against no limit. Rejects with `ApplicationError`. */
export type PrepareRegistration = ReturnType<typeof createPrepareRegistration>
export type PreparedRegistration = Awaited<ReturnType<PrepareRegistration>>

export function createPrepareRegistration(core: Core, operators: readonly string[], writer = core.writer) {
  const { opened, wakeSender, now } = core
  const { apis, clientAssertions } = core.settings
  const plan = core.find('plans')?.defaultPlan

  return async function prepareRegistration(given: Parameters<Registration['register']>[0]) {
    const { name: givenName, contact: givenContact, apis: grants, language: givenLanguage } = given
    const { keySet: source, by } = ownMembers(given)
    const granted = readRegistrationGrants(apis, grants)
    const name = readRegistrationName(givenName)
    const contact = readRegistrationContact(givenContact)
    const language = readLanguage(givenLanguage)
    const problem = findKeySetProblem([...apis.values()], Object.keys(granted), source !== undefined)
    if (problem) throw createKeySetError(problem)
    const keySet = source && (await readKeySetSource(source, { now: now(), internalHosts: clientAssertions.allow }))
    const isHeld = Object.keys(granted).some((api) => apis.get(api)?.registration === 'manual')

    /** `data`: of strangers, only what the provider asks for. */
    async function save(origin: RequestOrigin | undefined, data?: RegistrationData) {
      await opened()
      const record = {
        ...createRecord(writer.createId(), granted, now()),
        ...data,
        name,
        contact,
        language,
        plan,
        isUnconfirmed: true,
        status: 'pending',
      } as const
      const email = createQueuedEmail(record.id, 'registration', now(), {
        held: isHeld,
        ...((isHeld || keySet) && {
          // No credential before the e-mail is sent: the applicant knows its private keys already.
          details: {
            ...(isHeld && describeAsker(by, origin?.address)),
            ...(keySet && { keySet: keySet as unknown as JsonObject }),
          },
        }),
      })
      const event = { type: 'application.registered', by, origin } as const
      const subject = { applicationId: record.id, api: undefined, requestedAt: record.createdAt }
      const requests = isHeld
        ? createApprovalRequests(subject, { operators, address: origin?.address, now: now() })
        : []
      const emails = [email, ...requests].map((each) => ({ save: each }))
      const details = { ...describeRecord(record), ...(keySet && { keySet: describeKeySet(keySet) }) }
      await writer.add(record, event, { details, emails })
      if (!isHeld || requests.length > 0) wakeSender()
      return { application: toApplication(record, now()) }
    }

    return { name, contact, apis: granted, isHeld, save }
  }
}

/** The access that a registration may have: only open APIs, and only scopes in `registrationScopes`. */
export function readRegistrationGrants(apis: ReadonlyMap<string, ApiSettings>, grants: ApiGrants) {
  const names = Array.isArray(grants) ? grants : Object.keys(Object(grants))
  const closed = names.find((name) => apis.get(name)?.registration === 'closed')
  if (closed !== undefined)
    throw new ApplicationError(
      'api_closed',
      `The API "${closed}" takes no registrations: its operator creates applications with auth.applications.create().`,
    )
  // Strangers read the messages, which list APIs.
  const open = new Map([...apis].filter(([, { registration }]) => registration !== 'closed'))
  return readGrants(open, grants, (api) => api.registrationScopes)
}
