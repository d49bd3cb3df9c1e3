import type { Api } from '../../../shared/contracts/api.js'
import { invalidArgument, invalidState } from '../../../shared/contracts/errors.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { EmailChange } from '../../../shared/contracts/queued-email.js'
import type { NewAuditRecord } from '../../../shared/contracts/events.js'
import type { Store } from '../../../shared/contracts/store.js'
import type { Decisions } from '../decisions/decisions.js'
import { toApplication } from './application-info.js'
import { createList } from './application-list.js'
import type { Applications } from '../applications-api.js'
import { isText } from '../call-arguments.js'
import { replaceFirstContact } from '../contacts/contacts.js'
import { listChangedMembers, type ReadOperatorData } from './metadata.js'
import {
  createQueuedEmail,
  isFirstDelivery,
  listQueuedEmails,
  resumeEmails,
  suspendEmails,
} from '../queue/queued-emails.js'
import { changeLimits, describeLimits, readLimitChanges, type LimitChanges } from './application-limits.js'
import { readResourceServer, refuseWithoutSecret } from './grants.js'
import { joinWithheld } from './withheld.js'
import { endTokens, eraseApplication, refuseDeleted, transition } from './status.js'
import { readContact, readFlag, readLanguage, readName, readReason, readNetworks } from './validation.js'
import { createChange, type CallParts } from '../call-parts.js'

/** The calls that need the store alone: no API definitions, no pepper, no mailer. */
export type Registry = Pick<
  Applications,
  'get' | 'list' | 'approve' | 'deny' | 'update' | 'suspend' | 'resume' | 'delete' | 'revokeTokens'
>

export function createRegistry(
  options: CallParts & {
    /** Undefined without the platform's options: then `update` makes no application a resource server. */
    readonly apis?: ReadonlyMap<string, Api>
    readonly decisions: Decisions
    readonly readOperatorData: ReadOperatorData
    /** Writes the `lastUsedAt` times that this process has collected, so that answers include them; undefined if it collects none. */
    readonly flushLastUsed?: () => Promise<void>
  },
): Registry {
  const { apis, store, decisions, readOperatorData, opened, flushLastUsed, sender, now } = options

  const change = createChange(options)

  return {
    async get(id) {
      if (!isText(id)) return undefined
      await opened()
      await flushLastUsed?.()
      const record = await store.findApplication(id)
      return record && toApplication(record, now())
    },
    list: createList(options),
    async approve(id, { api, scopes, note, by } = {}) {
      const granted = { scopes, note: readReason(note, 'note') }
      if (api === undefined && scopes !== undefined)
        throw invalidArgument('scopes needs api. What a registration asks for is narrowed by allow() before.')
      return toApplication(await decisions.approve(id, { api }, { by }, granted), now())
    },
    async deny(id, { api, reason, by } = {}) {
      const actor = { by, reason: readReason(reason) }
      return toApplication(await decisions.deny(id, { api }, actor), now())
    },
    async update(id, { name, contact, language, externalId, metadata, networks, rateLimits, resourceServer, by }) {
      const limits = rateLimits === undefined ? undefined : readLimitChanges(rateLimits, now())
      const given = {
        ...(name !== undefined && { name: readName(name) }),
        ...(contact !== undefined && { contact: readContact(contact) }),
        ...(language !== undefined && { language: readLanguage(language) }),
        ...(await readOperatorData({ externalId, metadata })),
        ...(networks !== undefined && { networks: readNetworks(networks) }),
        ...(resourceServer !== undefined && { resourceServer: readResourceServer(apis, resourceServer) }),
      }
      const application = await change(id, 'application.updated', by, async (current) => {
        refuseDeleted(current, 'update')
        if (given.resourceServer) refuseWithoutSecret(current, now())
        const changed = {
          ...given,
          // Those of a contact are judged with every other change of contacts, and bound nobody.
          ...(networks !== undefined && {
            withheld: joinWithheld({ apis: {}, ...current.withheld, networks: given.networks }),
          }),
          ...(limits && { rateLimits: changeLimits(current, limits) }),
        }
        const details = describeChanges(current, given, limits)
        const first = contact === undefined ? undefined : given.contact
        if (first === undefined || first === current.contact) return { changed, details }
        const replaced = await replaceFirstContact(store, current, first, now())
        return { ...replaced, changed: { ...replaced.changed, ...changed }, details }
      })
      sender?.wake()
      return application
    },
    async suspend(id, { by, revokeTokens, reason: givenReason, notify } = {}) {
      const endsTokens = readFlag('revokeTokens', revokeTokens)
      const notifies = readFlag('notify', notify)
      const reason = readReason(givenReason)
      const application = await change(id, 'application.suspended', by, async (current) => ({
        changed: { status: transition(current, 'suspend'), ...(endsTokens && endTokens(current, now())) },
        details: { ...(reason !== undefined && { reason }), ...(notifies && { notified: true }) },
        emails: [
          ...suspendEmails(await listQueuedEmails(store, id), now()),
          ...(notifies ? [queueSuspension(store, current, reason, now())] : []),
        ],
      }))
      sender?.wake()
      return application
    },
    async resume(id, { by } = {}) {
      const application = await change(id, 'application.resumed', by, async (current) => {
        const status = transition(current, 'resume')
        const emails = await listQueuedEmails(store, id)
        // Its first credentials were never delivered, so it was suspended while it was pending.
        const isPending = emails.some(isFirstDelivery)
        const notices = emails.filter(({ purpose }) => purpose === 'suspended').map((email) => ({ remove: email }))
        return {
          changed: { status: isPending ? 'pending' : status },
          emails: [...resumeEmails(emails, now()), ...notices],
        }
      })
      sender?.wake()
      return application
    },
    delete: (id, { by } = {}) =>
      change(id, 'application.deleted', by, (current) => ({
        changed: eraseApplication(current, { outcome: 'deleted', at: now(), by }),
        emails: ['removeAll'],
      })),
    revokeTokens: (id, { by } = {}) =>
      change(id, 'application.tokensRevoked', by, (current) => {
        refuseDeleted(current, 'revokeTokens')
        return { changed: endTokens(current, now()) }
      }),
  }
}

/** Details of the audit record: names, and of what decides who may call the values too. */
function describeChanges(
  current: ApplicationRecord,
  given: Partial<ApplicationRecord>,
  limits: LimitChanges | undefined,
): NewAuditRecord['details'] {
  return {
    changed: [...Object.keys(given), ...(limits ? ['rateLimits'] : [])],
    ...(Object.hasOwn(given, 'networks') && { networks: given.networks ?? null }),
    ...(Object.hasOwn(given, 'resourceServer') && { resourceServer: given.resourceServer ?? null }),
    ...(limits && { rateLimits: describeLimits(limits) }),
    ...(Object.hasOwn(given, 'metadata') && { metadata: listChangedMembers(current.metadata, given.metadata) }),
  }
}

function queueSuspension(
  { emails }: Store,
  { id, contact }: ApplicationRecord,
  reason: string | undefined,
  now: number,
): EmailChange {
  if (!emails) throw invalidState('The store has no part `emails`, so it can notify nobody.')
  if (contact !== undefined)
    return { save: createQueuedEmail(id, 'suspended', now, { ...(reason !== undefined && { details: { reason } }) }) }
  throw invalidState(`Application ${id} has no contact to notify.`)
}
