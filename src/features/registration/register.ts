import { createRecord, describeRecord } from '../../core/applications/records/creation.js'
import type { ApiSettings } from '../../core/options/settings.js'
import type { ActorOptions, ApiGrants, KeySetSource, OperatorData } from '../../core/applications/call-options.js'
import type { Application } from '../../core/applications/application.js'
import type { Language } from '../../shared/contracts/email-content.js'
import type { Middleware } from '../../core/http/middleware.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { ApplicationError } from '../../shared/contracts/errors.js'
import type { RequestOrigin } from '../../shared/contracts/events.js'
import type { JsonObject, ApplicationRecord } from '../../shared/contracts/application-record.js'
import { toApplication } from '../../core/applications/records/application-info.js'
import { describeKeySet, readKeySetSource } from '../../core/applications/credentials/key-sets.js'
import { describeAsker, decideAccess } from '../../core/applications/decisions/decided-requests.js'
import {
  createApprovalRequests,
  withdrawApprovalRequests,
} from '../../core/applications/decisions/approval-requests.js'
import { readGrants, findGrant, listGrantedScopes } from '../../core/applications/records/grants.js'
import { createQueuedEmail, listQueuedEmails } from '../../core/applications/queue/queued-emails.js'
import {
  readLanguage,
  readRegistrationContact,
  readRegistrationName,
} from '../../core/applications/records/validation.js'
import type { RegistrationData } from './additions.js'
import { createKeySetError, findKeySetProblem } from './mistakes.js'
import type { Core } from '../../feature.js'
import type { ApplicationWriter, Edit } from '../../core/applications/records/application-writer.js'
import { refuseUnlessActive } from '../../core/applications/records/status.js'
import { isWithheld } from '../../core/applications/records/withheld.js'

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
    const keySet = source && readKeySetSource(source, { now: now(), internalHosts: clientAssertions.allow })
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
        isHeld,
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
function readRegistrationGrants(apis: ReadonlyMap<string, ApiSettings>, grants: ApiGrants) {
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

/** Bounds the e-mails about a request that its contact changes again and again: unsent ones are withdrawn. */
const CHANGED_REQUEST_DELAY_MS = 10 * 60 * 1000

/** `requestAccess`: access to a further API is granted at once, or the request waits for an operator's decision, as it always does for what an operator took away. */
export function createRequestAccess(
  { settings: { apis }, store, opened, wakeSender, now }: Core,
  operators: readonly string[],
  writer: Pick<ApplicationWriter, 'change'>,
): Registration['requestAccess'] {
  return async function requestAccess(id, { api: name, scopes, by }) {
    // Only scopes that a registration may have can be requested.
    const named = readRegistrationGrants(apis, { [name]: scopes === undefined ? {} : { scopes } })[name]!.scopes
    const isAlwaysManual = apis.get(name)?.registration === 'manual'
    await opened()
    const changed = await writer.change<never>(id, { type: 'application.accessRequested', by }, async (current) => {
      refuseUnlessActive(current, 'requestAccess')
      const grant = findGrant(current, { name })
      const granted = grant && listGrantedScopes(apis.get(name)!, grant.scopes)
      if (granted && named.every((scope) => granted.includes(scope))) return undefined
      // What is granted takes the place of the scopes of an empty grant, which stay.
      const requested = grant?.scopes.length === 0 ? [...new Set([...granted!, ...named])] : named
      if (!isAlwaysManual && !isWithheld(current, name, requested))
        return grantAccess(current, name, [...new Set([...(granted ?? []), ...requested])], now())
      if (isWaiting(current, name, requested)) return undefined
      const requestedAt = now()
      const subject = { applicationId: id, api: name, requestedAt }
      const others = current.accessRequests.filter((each) => each.api !== name)
      const delay = others.length < current.accessRequests.length ? CHANGED_REQUEST_DELAY_MS : 0
      const requests = createApprovalRequests(subject, { operators, address: undefined, now: requestedAt, delay })
      const withdrawn = withdrawApprovalRequests(await listQueuedEmails(store, id), name)
      return {
        changed: { accessRequests: [...others, { api: name, scopes: requested, requestedAt, by }] },
        details: { api: name, scopes: requested },
        emails: [...withdrawn, ...requests.map((email) => ({ save: email }))],
      }
    })
    if (changed && operators.length > 0) wakeSender()
    const record = changed?.record ?? (await store.findApplication(id))
    return toApplication(record!, now())
  }
}

/** Operators are asked once, however often a contact asks. */
function isWaiting({ accessRequests }: ApplicationRecord, api: string, scopes: readonly string[]): boolean {
  const request = accessRequests.find((each) => each.api === api)
  return request !== undefined && request.scopes.join(' ') === scopes.join(' ')
}

function grantAccess(current: ApplicationRecord, api: string, scopes: readonly string[], at: number): Edit<never> {
  return {
    changed: {
      apis: { ...current.apis, [api]: { scopes } },
      // Closes a request made while this API still needed approval.
      ...decideAccess(current, api, { outcome: 'approved', at, by: undefined }),
    },
    type: 'application.accessChanged',
    details: { allowed: api, scopes, requested: true },
  }
}
