import type { Api } from '../../../shared/contracts/api.js'
import { ApplicationError } from '../../../shared/contracts/errors.js'
import type { EventType } from '../../../shared/contracts/events.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { EmailChange } from '../../../shared/contracts/queued-email.js'
import type { NewAuditRecord } from '../../../shared/contracts/store-records.js'
import type { Store, ApplicationQuery } from '../../../shared/contracts/store.js'
import type { MaybePromise } from '../../../shared/lib/maybe-promise.js'
import type { Edit } from './application-writer.js'
import type { Decisions } from '../decisions/decisions.js'
import type { Application } from '../application.js'
import { toApplication } from './application-info.js'
import type { Applications } from '../applications-api.js'
import { isText } from '../call-arguments.js'
import { normalizeContact } from '../contacts/contact-lists.js'
import { replaceFirstContact } from '../contacts/contacts.js'
import { listChangedMembers, readExternalId, type ReadOperatorData } from './metadata.js'
import {
  createQueuedEmail,
  isFirstDelivery,
  listQueuedEmails,
  resumeEmails,
  suspendEmails,
} from '../queue/queued-emails.js'
import { changeLimits, describeLimits, readLimitChanges, type LimitChanges } from './application-limits.js'
import { readResourceServer, refuseWithoutSecret } from './resource-servers.js'
import { joinWithheld } from './withheld.js'
import { endTokens, eraseApplication, refuseDeleted, transition } from './status.js'
import {
  readApiName,
  readContact,
  readFlag,
  readLanguage,
  readNamePrefix,
  readName,
  readPageSize,
  readPlanFilter,
  readReason,
  readStatus,
  readTime,
  readNetworks,
} from './validation.js'
import type { CallParts } from '../call-parts.js'
import { findFirstExpiry, findWaitingSince, toAsciiLowerCase } from '../../../shared/contracts/application-order.js'

/** The calls that need the store alone: no API definitions, no pepper, no mailer. */
export type Registry = Pick<
  Applications,
  'get' | 'list' | 'approve' | 'deny' | 'update' | 'suspend' | 'resume' | 'delete' | 'revokeTokens'
>

interface RegistryOptions extends CallParts {
  /** Undefined without the platform's options: then `update` makes no application a resource server. */
  readonly apis?: ReadonlyMap<string, Api>
  readonly decisions: Decisions
  readonly readOperatorData: ReadOperatorData
  /** Writes the `lastUsedAt` times that this process has collected, so that answers include them; undefined if it collects none. */
  readonly flushLastUsed?: () => Promise<void>
}

export function createRegistry(options: RegistryOptions): Registry {
  const { apis, store, writer, decisions, readOperatorData, opened, flushLastUsed, sender, now } = options

  async function change(
    id: string,
    type: EventType,
    by: string | undefined,
    edit: (current: ApplicationRecord) => MaybePromise<Edit<unknown>>,
  ): Promise<Application> {
    await opened()
    const { record } = await writer.change(id, { type, by }, edit)
    return toApplication(record, now())
  }

  return {
    async get(id) {
      if (!isText(id)) return undefined
      await opened()
      await flushLastUsed?.()
      const record = await store.findApplication(id)
      return record && toApplication(record, now())
    },
    async list({ after, limit, api, status, externalId, name, contact, plan, expiringBefore, waiting } = {}) {
      const pageSize = readPageSize(limit)
      const filter = {
        api,
        status: readStatus(status),
        externalId: externalId === undefined ? undefined : readExternalId(externalId),
        name: readNamePrefix(name),
        contact: contact === undefined ? undefined : normalizeContact(readContact(contact)),
        plan: readPlanFilter(plan),
        expiringBefore: readTime('expiringBefore', expiringBefore),
        waiting: readFlag('waiting', waiting) || undefined,
      }
      await opened()
      await flushLastUsed?.()
      // One record more than the page holds shows whether there is a next page.
      const position = parseListCursor(filter, after, now())
      if (!position) return { items: [] }
      const records = await store.listApplications({ ...filter, ...position, limit: pageSize + 1 })
      const items = records.slice(0, pageSize).map((record) => toApplication(record, now()))
      if (records.length <= pageSize) return { items }
      return { items, next: formatListCursor(filter, position.expiringAfter ?? 0, records[pageSize - 1]!) }
    },
    async approve(id, { api, by } = {}) {
      return toApplication(await decisions.approve(id, { api: readApiName(api) }, { by }), now())
    },
    async deny(id, { api, reason, by } = {}) {
      const actor = { by, reason: readReason(reason) }
      return toApplication(await decisions.deny(id, { api: readApiName(api) }, actor), now())
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
        if (changed.contact === undefined || changed.contact === current.contact) return { changed, details }
        const replaced = await replaceFirstContact(store, current, changed.contact, now())
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
  if (!emails) throw new ApplicationError('invalid_state', 'The store has no part `emails`, so it can notify nobody.')
  if (contact !== undefined)
    return { save: createQueuedEmail(id, 'suspended', now, { ...(reason !== undefined && { details: { reason } }) }) }
  throw new ApplicationError('invalid_state', `Application ${id} has no contact to notify.`)
}

type Search = Pick<ApplicationQuery, 'name' | 'expiringBefore' | 'waiting'>
type Position = Pick<ApplicationQuery, 'after' | 'afterName' | 'afterExpiry' | 'expiringAfter' | 'afterWaiting'>

/**
 * The cursor behind `last`. In a search by expiry or name it has that too, so that the next page is found although the application
 * has been changed since. All pages of a search by expiry count from the time of the first one.
 */
function formatListCursor(search: Search, expiringAfter: number, last: ApplicationRecord): string {
  if (search.expiringBefore !== undefined)
    return `expiry.${expiringAfter}.${findFirstExpiry(last, expiringAfter)}.${last.id}`
  if (search.name === undefined) return search.waiting ? `waiting.${findWaitingSince(last)}.${last.id}` : last.id
  return `name.${Buffer.from(toAsciiLowerCase(last.name)).toString('base64url')}.${last.id}`
}

/** Undefined for a text that is no cursor of such a search, after which nothing is listed. */
function parseListCursor(search: Search, cursor: string | undefined, now: number): Position | undefined {
  if (cursor === undefined) return { after: undefined, expiringAfter: now }
  if (search.expiringBefore !== undefined) {
    const [, since, expiry, after] = /^expiry\.(\d{1,15})\.(\d{1,15})\.(.+)$/s.exec(cursor) ?? []
    return after === undefined ? undefined : { after, expiringAfter: Number(since), afterExpiry: Number(expiry) }
  }
  if (search.name === undefined && search.waiting) {
    const [, since, after] = /^waiting\.(\d{1,15})\.(.+)$/s.exec(cursor) ?? []
    return after === undefined ? undefined : { after, afterWaiting: Number(since) }
  }
  if (search.name === undefined) return { after: cursor }
  const [, name, after] = /^name\.([\w-]+)\.(.+)$/s.exec(cursor) ?? []
  return after === undefined ? undefined : { after, afterName: Buffer.from(name!, 'base64url').toString() }
}
