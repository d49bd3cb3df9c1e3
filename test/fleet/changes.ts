import { setTimeout as sleep } from 'node:timers/promises'
import { decodeProtectedHeader } from 'jose'
import type { Application, IssuedCredentials } from '../../src/index.js'
import type { Member } from './fleet.js'

/** An application with an access token, both of which every member has answered to. */
export interface Known {
  readonly id: string
  readonly credentials: IssuedCredentials
  readonly accessToken: string
}

export async function aKnownApplication(maker: Member, members: readonly Member[]): Promise<Known> {
  const { value } = await maker.operate<{ application: Application; credentials: IssuedCredentials }>(
    'applications',
    'create',
    { name: 'Shop', apis: ['orders', 'catalog'] },
  )
  const { application, credentials } = value
  const accessToken = await goodToken(maker, credentials)
  const statuses = await Promise.all(
    members.flatMap((member) => [member.bearer(accessToken, '/orders/changes'), member.key(credentials.clientId)]),
  )
  if (statuses.some((status) => status !== 200)) throw new Error(`A new application is answered ${statuses.join()}.`)
  return { id: application.id, credentials, accessToken }
}

export async function goodToken(member: Member, credentials: Partial<IssuedCredentials>): Promise<string> {
  const { status, accessToken } = await member.token(credentials)
  if (accessToken === undefined) throw new Error(`The token endpoint of ${member.name} answered ${status}.`)
  return accessToken
}

export const kidOf = (accessToken: string): string => decodeProtectedHeader(accessToken).kid!

/** A kind of change: how it is made, and how a member's doors show that it holds there. */
interface Kind {
  /** What every member must have felt before. */
  readonly after?: string
  /** Resolves the instant at which it was acknowledged. */
  make(maker: Member, known: Known): Promise<number>
  /**
   * At a guard or the key set, which go by memory, wherever they show it: a token request asks the store whether there
   * is news, and would bring them.
   */
  holds(member: Member, known: Known): Promise<boolean>
}

const operated = async (maker: Member, call: string, ...args: readonly unknown[]): Promise<number> =>
  (await maker.operate('applications', call, ...args)).at

export const KINDS: Readonly<Record<string, Kind>> = {
  suspend: {
    make: (maker, { id }) => operated(maker, 'suspend', id),
    holds: async (member, { accessToken }) => (await member.bearer(accessToken)) === 401,
  },
  resume: {
    after: 'suspend',
    make: (maker, { id }) => operated(maker, 'resume', id),
    holds: async (member, { credentials }) => (await member.key(credentials.clientId)) === 200,
  },
  delete: {
    make: (maker, { id }) => operated(maker, 'delete', id),
    holds: async (member, { credentials }) => (await member.key(credentials.clientId)) === 401,
  },
  revokeTokens: {
    make: (maker, { id }) => operated(maker, 'revokeTokens', id),
    holds: async (member, { accessToken }) => (await member.bearer(accessToken)) === 401,
  },
  revokeOneToken: {
    async make(maker, { credentials, accessToken }) {
      const status = await maker.revoke(credentials, accessToken)
      if (status !== 200) throw new Error(`The revocation was answered ${status}.`)
      return performance.timeOrigin + performance.now()
    },
    holds: async (member, { accessToken }) => (await member.bearer(accessToken)) === 401,
  },
  rotateKey: {
    make: (maker, { id }) => operated(maker, 'rotateKey', id, { overlap: 0 }),
    holds: async (member, { credentials }) => (await member.key(credentials.clientId)) === 401,
  },
  rotateSecret: {
    make: (maker, { id }) => operated(maker, 'rotateSecret', id, { overlap: 0 }),
    holds: async (member, { credentials }) => (await member.token(credentials)).status === 401,
  },
  disallow: {
    make: (maker, { id }) => operated(maker, 'disallow', id, 'catalog'),
    holds: async (member, { credentials }) => (await member.key(credentials.clientId)) === 403,
  },
  allow: {
    make: (maker, { id }) => operated(maker, 'allow', id, 'orders', { scopes: ['orders:read'] }),
    holds: async (member, { accessToken }) => (await member.bearer(accessToken, '/orders/changes')) === 403,
  },
  newSigningKey: {
    async make(maker, known) {
      const { at } = await maker.operate('signingKeys', 'rotate', { immediately: true })
      next.set(known, kidOf(await goodToken(maker, known.credentials)))
      return at
    },
    holds: async (member, known) => (await member.kids()).includes(next.get(known)!),
  },
  revokeSigningKey: {
    make: async (maker, { accessToken }) => (await maker.operate('signingKeys', 'revoke', kidOf(accessToken))).at,
    holds: async (member, { accessToken }) => (await member.bearer(accessToken)) === 401,
  },
}

/** The signing key made for an application's sake. */
const next = new WeakMap<Known, string>()

/** Makes such a change, and resolves how long it takes, in milliseconds, until each member has shown that it holds. */
export async function delaysOf(
  name: string,
  maker: Member,
  members: readonly Member[],
  known: Known,
): Promise<number[]> {
  const kind = KINDS[name]!
  if (kind.after !== undefined) await delaysOf(kind.after, maker, members, known)
  const at = await kind.make(maker, known)
  return Promise.all(
    members.map((member) => delayUntil(() => kind.holds(member, known), at, `${name}, ${member.name}`)),
  )
}

export async function delayUntil(
  holds: () => Promise<boolean>,
  at: number,
  what: string,
  patience = 3000,
): Promise<number> {
  for (;;) {
    const held = await holds()
    const delay = performance.timeOrigin + performance.now() - at
    if (held) return Math.max(0, delay)
    if (delay > patience) throw new Error(`Not felt within ${patience} ms: ${what}.`)
    // What is asked more often than needed keeps those busy that are to hear of it.
    await sleep(4)
  }
}
