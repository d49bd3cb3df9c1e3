import { randomBytes } from 'node:crypto'
import type { Api } from '../contracts/api.js'
import type { EventType } from '../contracts/events.js'
import type { ApplicationRecord, Store } from '../contracts/store.js'
import { toApplication, type Application } from './application.js'
import type { Applications } from './applications-api.js'
import { readAccess, readContact, readName, readPageSize, readScopes, readStatus } from './validation.js'
import type { ApplicationWriter, Edit } from './application-writer.js'
import type { Credentials } from './credentials.js'
import { issueFor } from './issue.js'
import { move, refuseDeleted } from './status.js'

interface RegistryOptions {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  readonly writer: ApplicationWriter
  /** Resolves once the store has been opened. */
  readonly opened: () => Promise<unknown>
  /** The means to make credentials; resolves once the store has been opened. */
  readonly mint: () => Promise<Credentials>
  /** Writes when credentials were last used, as far as this process knows: whoever looks should see it. */
  readonly writeUsage: () => Promise<void>
  readonly now: () => number
}

/** The operator's calls; registration.ts and credential-rotation.ts have the others. */
export type Registry = Omit<Applications, 'register' | 'approve' | 'rotateKey' | 'rotateSecret'>

export function createRegistry(options: RegistryOptions): Registry {
  const { store, apis, writer, opened, mint, writeUsage, now } = options

  async function change(
    id: string,
    type: EventType,
    by: string | undefined,
    edit: (current: ApplicationRecord) => Edit,
  ): Promise<Application> {
    await opened()
    const record = await writer.change(id, { type, by }, edit)
    return toApplication(record!, now())
  }

  return {
    async create({ name, contact, apis: access, by }) {
      const granted = readAccess(apis, access)
      const at = now()
      const { key, secret } = issueFor('registration', await mint(), apis, granted, at)
      const record: ApplicationRecord = {
        ...newApplication(granted, at),
        name: readName(name),
        contact: contact === undefined ? undefined : readContact(contact),
        status: 'active',
        keys: key ? [key.record] : [],
        secrets: secret ? [secret.record] : [],
      }
      await writer.add(record, { type: 'application.registered', by }, { details: { apis: granted } })
      return {
        application: toApplication(record, at),
        credentials: { clientId: key!.plain, ...(secret && { clientSecret: secret.plain }) },
      }
    },
    async get(id) {
      await opened()
      await writeUsage()
      const record = await store.findApplication(id)
      return record && toApplication(record, now())
    },
    async list({ after, limit, api, status } = {}) {
      const size = readPageSize(limit)
      await opened()
      await writeUsage()
      const records = await store.listApplications({
        after,
        limit: size + 1,
        api,
        status: readStatus(status),
      })
      const items = records.slice(0, size).map((record) => toApplication(record, now()))
      const last = items.at(-1)
      return records.length > size && last ? { items, next: last.id } : { items }
    },
    async update(id, { name, contact, by }) {
      const changed = {
        ...(name !== undefined && { name: readName(name) }),
        ...(contact !== undefined && { contact: readContact(contact) }),
      }
      return change(id, 'application.updated', by, (current) => {
        refuseDeleted(current, 'update')
        return { changed, details: { changed: Object.keys(changed) } }
      })
    },
    suspend: (id, { by } = {}) =>
      change(id, 'application.suspended', by, (current) => ({
        changed: { status: move(current, 'suspend') },
      })),
    resume: (id, { by } = {}) =>
      change(id, 'application.resumed', by, (current) => ({
        changed: { status: move(current, 'resume') },
      })),
    delete: (id, { by } = {}) =>
      change(id, 'application.deleted', by, (current) => ({
        changed: { status: move(current, 'delete'), ...ERASED },
        email: 'removeAll',
      })),
    async allow(id, api, { scopes, by } = {}) {
      const granted = readScopes(apis, api, scopes)
      return change(id, 'application.accessChanged', by, (current) => {
        refuseDeleted(current, 'allow')
        return {
          changed: { apis: { ...current.apis, [api]: { scopes: granted } } },
          details: { allowed: api, scopes: granted },
        }
      })
    },
    disallow: (id, api, { by } = {}) =>
      change(id, 'application.accessChanged', by, (current) => {
        refuseDeleted(current, 'disallow')
        if (!Object.hasOwn(current.apis, api)) readScopes(apis, api, undefined)
        const { [api]: _, ...rest } = current.apis
        return { changed: { apis: rest }, details: { disallowed: api } }
      }),
    revokeTokens: (id, { by } = {}) =>
      change(id, 'application.tokensRevoked', by, (current) => {
        refuseDeleted(current, 'revokeTokens')
        // Later than the last one, whatever the clock says.
        return { changed: { tokensRevokedAt: Math.max(now(), current.tokensRevokedAt + 1) } }
      }),
  }
}

/** What deleting leaves nothing of. */
export const ERASED = {
  name: '',
  contact: undefined,
  keys: [],
  secrets: [],
} satisfies Partial<ApplicationRecord>

/** An application as it begins; what it is called and may prove itself with is for the caller to say. */
export function newApplication(
  apis: ApplicationRecord['apis'],
  createdAt: number,
): Omit<ApplicationRecord, 'name' | 'contact' | 'status'> {
  return {
    id: `app_${randomBytes(16).toString('hex')}`,
    apis,
    keys: [],
    secrets: [],
    createdAt,
    tokensRevokedAt: 0,
    version: 1,
  }
}
