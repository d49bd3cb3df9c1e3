import { randomBytes } from 'node:crypto'
import type { Api } from '../api.js'
import { ApplicationError } from '../errors.js'
import type { Emit, EventType } from '../events.js'
import type { ApplicationRecord, ApplicationStatus, AuditEntry, CredentialRecord, Store } from '../store.js'
import { toApplication, type Application } from './application.js'
import {
  readAccess,
  readContact,
  readName,
  readOverlap,
  readPageSize,
  readScopes,
  readStatus,
  type AccessArgument,
} from './arguments.js'
import { isLive, type CredentialKind, type Credentials } from './credentials.js'
import type { Directory } from './directory.js'
import { move, refuseDeleted } from './moves.js'

/** Who makes a change, for the audit. */
export interface By {
  /** A person, a job or a ticket: whatever you will look for later. */
  readonly by?: string
}

/** An application's credentials in clear: shown once, and never again. */
export interface IssuedCredentials {
  /** The key: `client_id`, and the value of `X-Api-Key`. */
  readonly clientId: string
  /** Undefined where the application uses no oauth2 API. */
  readonly clientSecret?: string
}

/** How a rotation goes. */
export interface RotateOptions extends By {
  /** Seconds that the old value goes on working; 86,400 if left out, 0 to end it at once. */
  readonly overlap?: number
}

/**
 * `auth.applications`: who may call the platform's APIs. Every change is stored with its audit record before the call
 * resolves, and holds for the next request. An unknown id rejects with code `application_not_found`, a call that the
 * application's state does not allow with `invalid_move`; 503 and `store_unavailable` where the store can't answer.
 */
export interface Applications<ApiNames extends string = string> {
  /** Makes an active application and resolves its credentials, this once. Sends nothing. */
  create(
    application: { readonly name: string; readonly contact?: string; readonly apis: AccessArgument<ApiNames> } & By,
  ): Promise<{ application: Application; credentials: IssuedCredentials }>
  /** The application, a deleted one included, or undefined. */
  get(id: string): Promise<Application | undefined>
  /** Oldest first, 100 at a time unless `limit` says otherwise; `next` is the `after` of the page that follows. */
  list(query?: {
    readonly after?: string
    readonly limit?: number
    readonly api?: ApiNames
    readonly status?: ApplicationStatus
  }): Promise<{ applications: Application[]; next?: string }>
  update(id: string, changes: { readonly name?: string; readonly contact?: string } & By): Promise<Application>
  /** From the next request on its credentials and access tokens are refused, until `resume`. */
  suspend(id: string, options?: By): Promise<Application>
  resume(id: string, options?: By): Promise<Application>
  /** For ever: name, contact and hashes are erased, id and audit stay. */
  delete(id: string, options?: By): Promise<Application>
  /** Replaces what the application may do at an API; all its scopes when left out. */
  allow(id: string, api: ApiNames, options?: { readonly scopes?: readonly string[] } & By): Promise<Application>
  disallow(id: string, api: ApiNames, options?: By): Promise<Application>
  /** A new secret, resolved this once; the first one where there was none. At most two are live. */
  rotateSecret(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application; credentials: { clientSecret: string } }>
  /** A new key, resolved this once. At most two are live, and either goes with any live secret. */
  rotateKey(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application; credentials: { clientId: string } }>
  /** Every access token issued up to now is refused; those issued after it resolved are good. */
  revokeTokens(id: string, options?: By): Promise<Application>
}

interface RegistryOptions {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  /** Resolves once the store has been opened, with the means to make credentials. */
  readonly opened: () => Promise<Credentials>
  readonly directory: Directory
  readonly emit: Emit
  readonly now: () => number
}

/** What a change makes of a record, and what the audit says of it. */
interface Edit {
  readonly changed: Partial<ApplicationRecord>
  readonly details?: AuditEntry['details']
}

export function createRegistry({ store, apis, opened, directory, emit, now }: RegistryOptions): Applications {
  /** Saves a record unless somebody else was quicker, and tells everybody. */
  async function save(
    record: ApplicationRecord,
    type: EventType,
    by: string | undefined,
    details: AuditEntry['details'] = {},
  ): Promise<boolean> {
    const saved = await store.saveApplication(record, { at: now(), type, by, applicationId: record.id, details })
    if (!saved) return false
    directory.forget(record.id)
    emit(type, { applicationId: record.id })
    return true
  }

  /** Reads, edits, saves; and once more where somebody else saved in between. */
  async function change(
    id: string,
    type: EventType,
    by: string | undefined,
    edit: (current: ApplicationRecord) => Edit,
  ): Promise<ApplicationRecord> {
    await opened()
    for (let tries = 0; tries < 50; tries++) {
      const current = await store.findApplication(id)
      if (!current) throw new ApplicationError('application_not_found', `There is no application "${id}".`)
      const { changed, details } = edit(current)
      const record = { ...current, ...changed, version: current.version + 1 }
      if (await save(record, type, by, details)) return record
    }
    throw conflict(id)
  }

  async function changeAndShow(...args: Parameters<typeof change>): Promise<Application> {
    return toApplication(await change(...args), now())
  }

  async function rotate(
    id: string,
    kind: CredentialKind,
    { overlap, by }: RotateOptions,
  ): Promise<{ application: Application; plain: string }> {
    const seconds = readOverlap(overlap)
    const at = now()
    const { plain, record: fresh } = (await opened()).mint(kind, at)
    const application = await changeAndShow(id, 'application.credentialRotated', by, (current) => {
      refuseDeleted(current, kind === 'key' ? 'rotateKey' : 'rotateSecret')
      const list = kind === 'key' ? 'keys' : 'secrets'
      return {
        changed: { [list]: [fresh, ...ending(current[list], at, at + seconds * 1000)] },
        details: { credential: kind, prefix: fresh.prefix, overlap: seconds },
      }
    })
    return { application, plain }
  }

  return {
    async create({ name, contact, apis: access, by }) {
      const granted = readAccess(apis, access)
      const at = now()
      const maker = await opened()
      const key = maker.mint('key', at)
      const needsSecret = Object.keys(granted).some((api) => apis.get(api)?.scheme === 'oauth2')
      const secret = needsSecret ? maker.mint('secret', at) : undefined
      const record: ApplicationRecord = {
        id: `app_${randomBytes(16).toString('hex')}`,
        name: readName(name),
        contact: contact === undefined ? undefined : readContact(contact),
        status: 'active',
        apis: granted,
        keys: [key.record],
        secrets: secret ? [secret.record] : [],
        createdAt: at,
        tokensRevokedAt: 0,
        version: 1,
      }
      if (!(await save(record, 'application.registered', by, { apis: granted }))) throw conflict(record.id)
      return {
        application: toApplication(record, at),
        credentials: { clientId: key.plain, ...(secret && { clientSecret: secret.plain }) },
      }
    },
    async get(id) {
      await opened()
      const record = await store.findApplication(id)
      return record && toApplication(record, now())
    },
    async list({ after, limit, api, status } = {}) {
      const size = readPageSize(limit)
      await opened()
      const records = await store.listApplications({ after, limit: size + 1, api, status: readStatus(status) })
      const applications = records.slice(0, size).map((record) => toApplication(record, now()))
      const last = applications.at(-1)
      return records.length > size && last ? { applications, next: last.id } : { applications }
    },
    async update(id, { name, contact, by }) {
      const changed = {
        ...(name !== undefined && { name: readName(name) }),
        ...(contact !== undefined && { contact: readContact(contact) }),
      }
      return changeAndShow(id, 'application.updated', by, (current) => {
        refuseDeleted(current, 'update')
        return { changed, details: { changed: Object.keys(changed) } }
      })
    },
    suspend: (id, { by } = {}) =>
      changeAndShow(id, 'application.suspended', by, (current) => ({ changed: { status: move(current, 'suspend') } })),
    resume: (id, { by } = {}) =>
      changeAndShow(id, 'application.resumed', by, (current) => ({ changed: { status: move(current, 'resume') } })),
    delete: (id, { by } = {}) =>
      changeAndShow(id, 'application.deleted', by, (current) => ({
        changed: { status: move(current, 'delete'), ...ERASED },
      })),
    async allow(id, api, { scopes, by } = {}) {
      const granted = readScopes(apis, api, scopes)
      return changeAndShow(id, 'application.accessChanged', by, (current) => {
        refuseDeleted(current, 'allow')
        return {
          changed: { apis: { ...current.apis, [api]: { scopes: granted } } },
          details: { allowed: api, scopes: granted },
        }
      })
    },
    disallow: (id, api, { by } = {}) =>
      changeAndShow(id, 'application.accessChanged', by, (current) => {
        refuseDeleted(current, 'disallow')
        if (!Object.hasOwn(current.apis, api)) readScopes(apis, api, undefined)
        const { [api]: _, ...rest } = current.apis
        return { changed: { apis: rest }, details: { disallowed: api } }
      }),
    async rotateSecret(id, options = {}) {
      const { application, plain } = await rotate(id, 'secret', options)
      return { application, credentials: { clientSecret: plain } }
    },
    async rotateKey(id, options = {}) {
      const { application, plain } = await rotate(id, 'key', options)
      return { application, credentials: { clientId: plain } }
    },
    revokeTokens: (id, { by } = {}) =>
      changeAndShow(id, 'application.tokensRevoked', by, (current) => {
        refuseDeleted(current, 'revokeTokens')
        // Later than the last one, whatever the clock says.
        return { changed: { tokensRevokedAt: Math.max(now(), current.tokensRevokedAt + 1) } }
      }),
  }
}

const ERASED = { name: '', contact: undefined, keys: [], secrets: [] } satisfies Partial<ApplicationRecord>

function conflict(id: string): ApplicationError {
  return new ApplicationError('conflict', `Application ${id} is being changed by others without a pause. Try again.`)
}

/** What is left of older credentials once a new one is there: the newest live one, until the overlap ends. */
function ending(records: readonly CredentialRecord[], now: number, end: number): CredentialRecord[] {
  const [latest] = records.filter((record) => isLive(record, now))
  if (!latest || end <= now) return []
  return [{ ...latest, expiresAt: Math.min(latest.expiresAt ?? Infinity, end) }]
}
