import type { Application, CredentialInfo, PlatformAuthOptions } from '../../../index.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import { formatTime } from '../format.js'
import { PROGRAM } from '../program.js'
import { findApplications } from './application-list.js'
import { describeCount, MAX_LISTED, nameFirst, note, requireConfig, requireStore } from './finding.js'
import type { Check, CheckResults } from './finding.js'
import { listTemporary } from './prove-check.js'

const EXPIRING_WITHIN_DAYS = 30

/** Lists credentials that are about to expire. Another check names the applications of `prove`. */
export const expiringCredentialsCheck: Check = {
  name: 'expiring credentials',
  async run({ admin, target: { store } }) {
    const expiringBefore = new Date(Date.now() + EXPIRING_WITHIN_DAYS * DAY_MS)
    const found = await admin!.applications.list({ expiringBefore, limit: MAX_LISTED })
    const temporary = new Set((await listTemporary(store!)).map(({ id }) => id))
    const items = found.items.filter(({ id }) => !temporary.has(id))
    if (items.length === 0) return []
    const ends = items.flatMap(({ keys, secrets }) => [...keys, ...secrets].map(({ expiresAt }) => Number(expiresAt)))
    const first = Math.min(...ends.filter((end) => !Number.isNaN(end)))
    return note(
      `${describeCount(items, 'application has', 'applications have')} credentials that expire within ${EXPIRING_WITHIN_DAYS} days, the first at ${formatTime(first)}: ${nameFirst(items.map(({ id }) => id))}.`,
      `${PROGRAM} apps list --expiring ${EXPIRING_WITHIN_DAYS}d`,
    )
  },
}

/** Lists credentials that are older than the maximum age allows, because they were made before it was set. */
export const credentialAgeCheck: Check = {
  name: 'age of credentials',
  findMissing: (context) => requireConfig(context) ?? requireStore(context),
  async run({ target: { options }, admin }) {
    if (!hasMaximumAge(options!)) return []
    const { applications, among } = await findApplications(admin!, undefined, (application) =>
      outlivesMaximumAge(application, options!),
    )
    return reportTooOld(applications, among)
  },
}

function reportTooOld(applications: readonly Application[], among: string): CheckResults {
  if (applications.length === 0) return []
  return note(
    `${describeCount(applications, 'application has', 'applications have')} credentials without an expiry, or with one beyond the maximum age${among}: ${nameFirst(applications.map(({ id }) => id))}. They were made before there was one.`,
    `${PROGRAM} apps show ID. Then rotate them, or set an expiry: apps update-credential ID CREDENTIAL --expires DATE`,
  )
}

function hasMaximumAge({ credentials, apis }: PlatformAuthOptions): boolean {
  const ages = Object.values(apis ?? {}).map((api) => ownMembers(api).credentialMaxAge)
  return [ownMembers(credentials ?? {}).maxAge, ...ages].some((age) => typeof age === 'number')
}

function outlivesMaximumAge({ apis, keys, secrets }: Application, options: PlatformAuthOptions): boolean {
  const outlives = (
    scheme: 'apiKey' | 'oauth2',
    { createdAt, expiresAt, apis: restriction = apis }: CredentialInfo,
  ): boolean => {
    const usable = Object.entries(options.apis).filter(
      ([name, api]) => api.scheme === scheme && Object.hasOwn(apis, name) && Object.hasOwn(restriction, name),
    )
    const ages = [options.credentials?.maxAge, ...usable.map(([, { credentialMaxAge }]) => credentialMaxAge)]
    const days = Math.min(...ages.map((age) => age ?? Infinity))
    return (expiresAt?.getTime() ?? Infinity) > createdAt.getTime() + days * DAY_MS
  }
  return keys.some((key) => outlives('apiKey', key)) || secrets.some((secret) => outlives('oauth2', secret))
}
