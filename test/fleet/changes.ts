import { setTimeout as sleep } from 'node:timers/promises'
import { decodeProtectedHeader } from 'jose'
import type { Application, IssuedCredentials } from '../../src/index.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import type { Member } from './fleet.js'

/** An application with an access token, both cached by every member. */
export interface CachedApplication {
  readonly id: string
  readonly credentials: IssuedCredentials
  readonly accessToken: string
}

export async function createCachedApplication(maker: Member, members: readonly Member[]): Promise<CachedApplication> {
  const { value } = await maker.operate<{ application: Application; credentials: IssuedCredentials }>(
    'applications',
    'create',
    { name: 'Shop', apis: ['orders', 'catalog'] },
  )
  const { application, credentials } = value
  const accessToken = await requestToken(maker, credentials)
  const statuses = await Promise.all(
    members.flatMap((member) => [member.bearer(accessToken, '/orders/changes'), member.key(credentials.clientId)]),
  )
  if (statuses.some((status) => status !== 200)) throw new Error(`A new application is answered ${statuses.join()}.`)
  return { id: application.id, credentials, accessToken }
}

export async function requestToken(member: Member, credentials: Partial<IssuedCredentials>): Promise<string> {
  const { status, accessToken } = await member.token(credentials)
  if (accessToken === undefined) throw new Error(`The token endpoint of ${member.name} answered ${status}.`)
  return accessToken
}

export const readKid = (accessToken: string): string => decodeProtectedHeader(accessToken).kid!

/** A kind of change: how it is made, and how answers of a member show that it follows the change. */
interface Kind {
  /** The kind of change that every member must follow first. */
  readonly after?: string
  /** The statuses afterwards of the access token, the key and a token request. */
  readonly statuses: readonly [bearer: number, key: number, token: number]
  /** Resolves the time at which it was acknowledged. */
  make(maker: Member, application: CachedApplication): Promise<number>
  /**
   * Shown by a guard or the key set, if possible: those answer from memory, while a token request reads the change feed.
   */
  holds(member: Member, application: CachedApplication): Promise<boolean>
}

const operate = async (maker: Member, call: string, ...args: readonly unknown[]): Promise<number> =>
  (await maker.operate('applications', call, ...args)).at

export const KINDS: Readonly<Record<string, Kind>> = {
  suspend: {
    statuses: [401, 403, 401],
    make: (maker, { id }) => operate(maker, 'suspend', id),
    holds: async (member, { accessToken }) => (await member.bearer(accessToken)) === 401,
  },
  resume: {
    after: 'suspend',
    statuses: [200, 200, 200],
    make: (maker, { id }) => operate(maker, 'resume', id),
    holds: async (member, { credentials }) => (await member.key(credentials.clientId)) === 200,
  },
  delete: {
    statuses: [401, 401, 401],
    make: (maker, { id }) => operate(maker, 'delete', id),
    holds: async (member, { credentials }) => (await member.key(credentials.clientId)) === 401,
  },
  revokeTokens: {
    statuses: [401, 200, 200],
    make: (maker, { id }) => operate(maker, 'revokeTokens', id),
    holds: async (member, { accessToken }) => (await member.bearer(accessToken)) === 401,
  },
  revokeOneToken: {
    statuses: [401, 200, 200],
    async make(maker, { credentials, accessToken }) {
      const status = await maker.revoke(credentials, accessToken)
      if (status !== 200) throw new Error(`The revocation was answered ${status}.`)
      return performance.timeOrigin + performance.now()
    },
    holds: async (member, { accessToken }) => (await member.bearer(accessToken)) === 401,
  },
  rotateKey: {
    statuses: [200, 401, 401],
    make: (maker, { id }) => operate(maker, 'rotateKey', id, { overlap: 0 }),
    holds: async (member, { credentials }) => (await member.key(credentials.clientId)) === 401,
  },
  rotateSecret: {
    statuses: [200, 200, 401],
    make: (maker, { id }) => operate(maker, 'rotateSecret', id, { overlap: 0 }),
    holds: async (member, { credentials }) => (await member.token(credentials)).status === 401,
  },
  disallow: {
    statuses: [200, 403, 200],
    make: (maker, { id }) => operate(maker, 'disallow', id, 'catalog'),
    holds: async (member, { credentials }) => (await member.key(credentials.clientId)) === 403,
  },
  allow: {
    statuses: [200, 200, 200],
    make: (maker, { id }) => operate(maker, 'allow', id, 'orders', { scopes: ['orders:read'] }),
    holds: async (member, { accessToken }) => (await member.bearer(accessToken, '/orders/changes')) === 403,
  },
  newSigningKey: {
    statuses: [200, 200, 200],
    async make(maker, application) {
      const { at } = await maker.operate('signingKeys', 'rotate', { immediately: true })
      newKids.set(application, readKid(await requestToken(maker, application.credentials)))
      return at
    },
    holds: async (member, application) => (await member.kids()).includes(newKids.get(application)!),
  },
  revokeSigningKey: {
    statuses: [401, 200, 200],
    make: async (maker, { accessToken }) => (await maker.operate('signingKeys', 'revoke', readKid(accessToken))).at,
    holds: async (member, { accessToken }) => (await member.bearer(accessToken)) === 401,
  },
}

/** The `kid` that `newSigningKey` made for an application. */
const newKids = new WeakMap<CachedApplication, string>()

/** A token request is the last: it reads the change feed. */
export async function listStatuses(member: Member, known: CachedApplication): Promise<readonly number[]> {
  const { accessToken, credentials } = known
  const fromMemory = [await member.bearer(accessToken), await member.key(credentials.clientId)]
  return [...fromMemory, (await member.token(credentials)).status]
}

/** Makes a change, and resolves after how many milliseconds each member followed it. */
export async function measureDelays(
  name: string,
  maker: Member,
  members: readonly Member[],
  application: CachedApplication,
): Promise<number[]> {
  const kind = KINDS[name]!
  if (kind.after !== undefined) await measureDelays(kind.after, maker, members, application)
  const at = await kind.make(maker, application)
  return Promise.all(
    members.map((member) => measureDelay(() => kind.holds(member, application), at, `${name}, ${member.name}`)),
  )
}

export async function measureDelay(
  holds: () => Promise<boolean>,
  at: number,
  what: string,
  timeout = 60_000,
): Promise<number> {
  for (;;) {
    const held = await holds()
    const delay = performance.timeOrigin + performance.now() - at
    if (held) return Math.max(0, delay)
    if (delay > timeout) throw new Error(`Not followed within ${timeout} ms: ${what}.`)
    // More frequent requests would slow down the processes that are measured.
    await sleep(IS_LONG_LANE ? 10 : 30)
  }
}
