import type { AdminApi } from '../../admin/index.js'
import type { Application, Store, CredentialInfo, PlatformAuthOptions } from '../../../index.js'
import { MAX_LISTED, formatCount, nameFirst, note, type CheckContext, findItems } from './finding.js'
import { hasOwnMember, ownMembers } from '../../../shared/lib/own-members.js'
import { PROGRAM } from '../errors.js'
import { formatTime } from '../format.js'
import { DAY_MS } from '../../../shared/lib/day.js'

/** Says which applications apply, and where they were looked for; undefined if none does. */
async function describeSome(admin: AdminApi, what: string, applies: (each: Application) => boolean, api?: string) {
  const { items, among } = await findItems((page) => admin.applications.list({ ...page, api }), applies)
  const count = formatCount(items, 'application has', 'applications have')
  return items.length === 0 ? undefined : `${count} ${what}${among}: ${nameFirst(items.map(({ id }) => id))}.`
}

export async function checkScopes({ target: { options }, admin }: CheckContext) {
  const findings = Object.entries(options!.apis).map(async ([api, { scopes = {}, defaultScopes = [] }]) => {
    const [scope] = Object.keys(ownMembers(scopes))
    if (scope === undefined || defaultScopes.length > 0) return []
    const hasNone = ({ apis }: Application): boolean => apis[api]?.scopes.length === 0
    const found = await describeSome(admin!, `the API "${api}" without any of its scopes`, hasNone, api)
    if (found === undefined) return []
    return note(
      `${found} Guards that require scopes answer 403.`,
      `${PROGRAM} apps allow ID ${api} --scope ${scope}. Or say with defaultScopes what such a grant means.`,
    )
  })
  return (await Promise.all(findings)).flat()
}

/** Names the applications that `prove` has left. They are known by their end, because anybody may choose their name. */
export async function checkProve({ target: { store } }: CheckContext) {
  const left = await listTemporary(store!)
  if (left.length === 0) return []
  const last = Math.max(...left.map(({ endsAt }) => endsAt ?? 0))
  const ids = left.map(({ id }) => id).join(', ')
  return note(
    `prove created what is still there: ${ids}. It runs now, or was killed. Everything of these applications ends by itself at ${formatTime(last)} at the latest; a server deletes them within an hour of their end.`,
    `If no prove runs now: ${PROGRAM} apps delete ID`,
  )
}

function listTemporary(store: Store) {
  const query = { after: undefined, limit: MAX_LISTED, api: undefined, status: undefined }
  return store.listApplications({ ...query, endingBefore: Number.MAX_SAFE_INTEGER })
}

const EXPIRING_WITHIN_DAYS = 30

export async function checkExpiry({ admin, target: { store } }: CheckContext) {
  const expiringBefore = new Date(Date.now() + EXPIRING_WITHIN_DAYS * DAY_MS)
  const found = await admin!.applications.list({ expiringBefore, limit: MAX_LISTED })
  const temporary = new Set((await listTemporary(store!)).map(({ id }) => id))
  const items = found.items.filter(({ id }) => !temporary.has(id))
  if (items.length === 0) return []
  const ends = items.flatMap(({ keys, secrets }) => [...keys, ...secrets].map(({ expiresAt }) => Number(expiresAt)))
  const first = Math.min(...ends.filter((end) => !Number.isNaN(end)))
  return note(
    `${formatCount(items, 'application has', 'applications have')} credentials that expire within ${EXPIRING_WITHIN_DAYS} days, the first at ${formatTime(first)}: ${nameFirst(items.map(({ id }) => id))}.`,
    `${PROGRAM} apps list --expiring ${EXPIRING_WITHIN_DAYS}d`,
  )
}

export async function checkKeySets({ target: { options }, admin }: CheckContext) {
  const takesKeys = Object.values(options!.apis).some(
    (api) => api.scheme === 'oauth2' && api.clientAuthentication?.includes('private_key_jwt'),
  )
  if (!takesKeys) return []
  const found = await describeSome(admin!, 'a key set whose address cannot be read', ({ secrets }) =>
    secrets.some(({ keySet }) => keySet && hasOwnMember(keySet, 'jwksUri') && keySet.unreadableSince !== undefined),
  )
  if (found === undefined) return []
  return note(
    `${found} What was read last is accepted for 24 hours.`,
    `${PROGRAM} apps show ID names the address. Its contacts are told after an hour.`,
  )
}

export async function checkCredentialAge({ target: { options }, admin }: CheckContext) {
  const { credentials, apis } = options!
  const ages = [credentials?.maxAge, ...Object.values(apis ?? {}).map(({ credentialMaxAge }) => credentialMaxAge)]
  if (!ages.some((age) => typeof age === 'number')) return []
  const what = 'credentials without an expiry, or with one beyond the maximum age'
  const found = await describeSome(admin!, what, (each) => outlivesMaximumAge(each, options!))
  if (found === undefined) return []
  return note(
    `${found} They were made before there was one.`,
    `${PROGRAM} apps show ID. Then rotate them, or set an expiry: apps update-credential ID CREDENTIAL --expires DATE`,
  )
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
