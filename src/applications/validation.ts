import type { Api } from '../contracts/api.js'
import { ApplicationError } from '../contracts/errors.js'
import { isObject } from '../lib/is-object.js'
import type { ApplicationRecord, ApplicationStatus } from '../contracts/store.js'

/** A list of API names, each with all the scopes that it has now, or name -> the scopes granted there. */
export type ApiGrants<Name extends string = string> = readonly Name[] | { readonly [Each in Name]?: Grant }

type Access = ApplicationRecord['apis']
type Apis<Each extends Api = Api> = ReadonlyMap<string, Each>
/** Which of an API's scopes may be granted. */
type Grantable<Each extends Api> = (api: Each) => readonly string[]
const allScopes = (api: Api): readonly string[] => Object.keys(api.scopes)
interface Grant {
  readonly scopes?: readonly string[]
}

/** What an application may use, spelt out; throws with code `unknown_api` or `unknown_scope`. */
export function readAccess<Each extends Api>(
  apis: Apis<Each>,
  access: ApiGrants,
  grantable: Grantable<Each> = allScopes,
): Access {
  if (typeof access !== 'object' || access === null || (Array.isArray(access) && !access.every(isString))) {
    throw new ApplicationError(
      'invalid_argument',
      'apis must be a list of names, or an object such as { orders: { scopes: [...] } }.',
    )
  }
  const entries: (readonly [string, unknown])[] = Array.isArray(access)
    ? (access as readonly string[]).map((name) => [name, {}])
    : Object.entries(access)
  if (entries.length === 0) throw new ApplicationError('invalid_argument', 'apis is empty. Name at least one API.')
  return Object.fromEntries(
    entries.map(([name, grant]) => [name, { scopes: readScopes(apis, name, readGrant(name, grant), grantable) }]),
  )
}

/** Anything but a grant would mean all scopes: a typing error must not give away what nobody granted. */
function readGrant(name: string, grant: unknown): Grant['scopes'] {
  if (isObject(grant) && Object.keys(grant).every((key) => key === 'scopes')) return (grant as Grant).scopes
  throw new ApplicationError(
    'invalid_argument',
    `apis.${name} must be { scopes: [...] }, or {} for all the scopes that it has.`,
  )
}

/** The scopes granted at an API: all that may be where none are named, in its own order. */
export function readScopes<Each extends Api>(
  apis: Apis<Each>,
  name: string,
  scopes: readonly string[] | undefined,
  grantable: Grantable<Each> = allScopes,
): readonly string[] {
  const api = apis.get(name)
  if (!api)
    throw new ApplicationError(
      'unknown_api',
      `There is no API "${name}".${apis.size > 0 ? ` There are: ${[...apis.keys()].join(', ')}.` : ''}`,
    )
  const all = grantable(api)
  if (scopes === undefined) return all
  if (!Array.isArray(scopes) || !scopes.every(isString))
    throw new ApplicationError('invalid_argument', `scopes of "${name}" must be a list of names.`)
  const unknown = scopes.find((scope) => !all.includes(scope))
  if (unknown !== undefined) {
    throw new ApplicationError(
      'unknown_scope',
      `The API "${name}" has no scope "${unknown}" to grant. ${all.length > 0 ? `There are: ${all.join(', ')}.` : 'It has none.'}`,
    )
  }
  return all.filter((scope) => scopes.includes(scope))
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** Up to 100 visible characters: it stands in emails, lists and logs. */
export function readName(name: unknown): string {
  const trimmed = typeof name === 'string' ? name.trim() : ''
  if (trimmed === '' || trimmed.length > 100 || /[\p{C}\p{Zl}\p{Zp}]/u.test(trimmed)) {
    throw new ApplicationError(
      'invalid_argument',
      'name must be 1 to 100 characters, without line breaks and control characters.',
    )
  }
  return trimmed
}

/** RFC 5321 4.1.2: a dot-atom at a host name, and nothing that a mail program could read as two addresses. */
const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

/** One plain ASCII address of up to 254 octets. */
export function readContact(contact: unknown): string {
  if (typeof contact === 'string' && contact.length <= 254 && ADDRESS.test(contact) && contact.indexOf('@') <= 64)
    return contact
  throw new ApplicationError('invalid_argument', 'contact must be one plain e-mail address, such as dev@example.com.')
}

/** Seconds that an old credential goes on working; a day unless given. */
export function readOverlap(overlap: unknown = 86_400): number {
  if (Number.isSafeInteger(overlap) && (overlap as number) >= 0) return overlap as number
  throw new ApplicationError('invalid_argument', 'overlap must be a whole number of seconds, 0 or more.')
}

/** How many to list: 100 unless given, 1000 at most. */
export function readPageSize(limit: unknown = 100): number {
  if (Number.isSafeInteger(limit) && (limit as number) >= 1 && (limit as number) <= 1000) return limit as number
  throw new ApplicationError('invalid_argument', 'limit must be a whole number from 1 to 1000.')
}

const STATUSES: readonly unknown[] = ['pending', 'active', 'suspended', 'deleted'] satisfies ApplicationStatus[]

export function readStatus(status: ApplicationStatus | undefined): ApplicationStatus | undefined {
  if (status === undefined || STATUSES.includes(status)) return status
  throw new ApplicationError('invalid_argument', `status must be one of ${STATUSES.join(', ')}.`)
}
