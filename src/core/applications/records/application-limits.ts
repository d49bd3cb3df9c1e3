import { randomBytes } from 'node:crypto'
import { MAX_WINDOW_SECONDS } from '../../../shared/contracts/api.js'
import { ApplicationError, invalidArgument } from '../../../shared/contracts/errors.js'
import type { ApplicationLimit, ApplicationRecord } from '../../../shared/contracts/application-record.js'
import { isObject, ownMembers } from '../../../shared/lib/own-members.js'

/** The name under which a record has a limit for each API that has none of its own there. No API can have this name. */
const EVERY_API = '*'

/** The limit that an application has at an API in place of the API's; undefined if it has none now. */
export function findApplicationLimit(
  rateLimits: NonNullable<ApplicationRecord['rateLimits']>,
  api: string,
  now: number,
): ApplicationLimit | undefined {
  return findLive(rateLimits, api, now) ?? findLive(rateLimits, EVERY_API, now)
}

function findLive(rateLimits: NonNullable<ApplicationRecord['rateLimits']>, name: string, now: number) {
  const limit = Object.hasOwn(rateLimits, name) ? rateLimits[name]! : undefined
  return limit && (limit.until === undefined || now < limit.until) ? limit : undefined
}

export type LimitChanges = Readonly<Record<string, ApplicationLimit | null>>

export function readLimitChanges(rateLimits: unknown, now: number): LimitChanges {
  if (!isObject(rateLimits) || Array.isArray(rateLimits))
    throw invalidArgument('rateLimits must be an object such as { orders: { limit: 50, window: 1 } }.')
  return Object.fromEntries(
    Object.entries(rateLimits).map(([api, limit]) => [api, readApplicationLimit(`rateLimits.${api}`, limit, now)]),
  )
}

export function readApplicationLimit(name: string, given: unknown, now: number): ApplicationLimit | null {
  if (given === null) return null
  if (!isObject(given) || Object.keys(given).some((key) => !['limit', 'window', 'until'].includes(key)))
    throw invalidArgument(
      `${name} must be { limit: 50, window: 1 } (requests, seconds), with until (a Date) if it ends, or null.`,
    )
  const { limit, window, until } = ownMembers(given as { limit?: unknown; window?: unknown; until?: unknown })
  if (!isWholeNumber(limit) || !isWholeNumber(window) || window > MAX_WINDOW_SECONDS)
    throw invalidArgument(
      `${name} needs whole numbers of at least 1 as limit and window (seconds, at most ${MAX_WINDOW_SECONDS}).`,
    )
  const id = randomBytes(6).toString('base64url')
  if (until === undefined || until === null) return { limit, window, id }
  const end = until instanceof Date ? until.getTime() : Number.NaN
  if (end > now) return { limit, window, until: end, id }
  throw invalidArgument(`${name}.until must be a Date in the future.`)
}

/** The record's limits after a change. Throws with code `not_granted` for an API that the application may not use. */
export function changeLimits(record: ApplicationRecord, changes: LimitChanges): ApplicationRecord['rateLimits'] {
  for (const [api, limit] of Object.entries(changes)) {
    if (api === EVERY_API || limit === null || Object.hasOwn(record.apis, api)) continue
    throw new ApplicationError(
      'not_granted',
      `Application ${record.id} may not use "${api}": allow() lets it, with a rateLimit. "${EVERY_API}" stands for every API.`,
    )
  }
  return joinLimits(record, changes)
}

export function joinLimits({ rateLimits }: Pick<ApplicationRecord, 'rateLimits'>, changes: LimitChanges) {
  const joined = Object.entries({ ...rateLimits, ...changes }).filter(([, limit]) => limit !== null)
  return joined.length > 0 ? (Object.fromEntries(joined) as ApplicationRecord['rateLimits']) : undefined
}

export function describeLimits(changes: LimitChanges): Readonly<Record<string, object | null>> {
  return Object.fromEntries(Object.entries(changes).map(([api, limit]) => [api, describeLimit(limit)]))
}

export function describeLimit(limit: ApplicationLimit | null): object | null {
  if (!limit) return null
  const { id: _id, until, ...rest } = ownMembers(limit)
  return { ...rest, ...(until !== undefined && { until: new Date(until).toISOString() }) }
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}
