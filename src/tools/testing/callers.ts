import type { ApisOptions, PlatformAuth, ScopeOf } from '../../index.js'
import { readJwtPart } from '../../shared/lib/jwt.js'
import { inThePast, inThePresent } from './clock.js'
import {
  ACTOR,
  createApplication,
  findApi,
  formatHeaders,
  readOptions,
  requestAccessToken,
  type AccessTokenOptions,
  type AnyPlatform,
} from './credentials.js'

/** An application with a credential for one API. */
export interface Caller {
  /** The credential for `fetch(url, { headers })` and supertest's `.set(headers)`. */
  readonly headers: Readonly<Record<string, string>>
  /** The access token, or the API key. */
  readonly credential: string
  readonly applicationId: string
}

/** Callers of one API. The API accepts the credential of the first one only. */
export interface Callers {
  readonly allowed: Caller
  /** Its application is suspended. */
  readonly suspended: Caller
  /** Its access token or key has expired. */
  readonly expired: Caller
  /** Its access token was revoked; its key was replaced. */
  readonly revoked: Caller
}

/**
 * One caller that an API accepts, and three that it refuses: suspended, expired and revoked. Each is an application of its
 * own. While the expired one is made, which takes some milliseconds, `Date.now()` and fake clocks are behind.
 *
 * @example
 * ```ts
 * import { callersFor, createTestPlatform, fetchFrom } from 'express-platform-auth/testing'
 * import express from 'express'
 *
 * const { auth } = createTestPlatform({ apis: { orders: { scheme: 'oauth2' } } })
 * const app = express().get('/orders/items', auth.requireBearer('orders'), (req, res) => void res.json([]))
 * const { suspended } = await callersFor(auth, 'orders')
 * const { status } = await fetchFrom(app)('/orders/items', { headers: suspended.headers }) // 401
 * ```
 */
export async function callersFor<const Apis extends ApisOptions, Name extends keyof Apis & string>(
  auth: PlatformAuth<Apis>,
  api: Name,
  options: Pick<AccessTokenOptions<ScopeOf<Apis, Name>>, 'scopes'> = {},
): Promise<Callers> {
  const platform: PlatformAuth = auth
  const isToken = findApi(platform, api).scheme === 'oauth2'
  readOptions(options, ['scopes'])
  const create = (): Promise<Caller> => createCaller(platform, api, options)
  // The expired credential is made first, because the clocks are behind for every call meanwhile.
  const expired = await (isToken ? createExpiredToken(platform, api, create) : createExpiredKey(platform, api, create))
  const [allowed, suspended, revoked] = await Promise.all([create(), create(), create()])
  await platform.applications.suspend(suspended.applicationId, { by: ACTOR })
  if (isToken) await platform.applications.revokeTokens(revoked.applicationId, { by: ACTOR })
  else await platform.applications.rotateKey(revoked.applicationId, { overlap: 0, by: ACTOR })
  return { allowed, suspended, expired, revoked }
}

export async function createCaller(auth: AnyPlatform, api: string, options: AccessTokenOptions = {}): Promise<Caller> {
  const client = await createApplication(auth, api, options)
  const isToken = findApi(auth, api).scheme === 'oauth2'
  const credential = isToken ? await requestAccessToken(auth, api, client) : client.clientId
  return toCaller(auth, api, client.application.id, credential)
}

function toCaller(auth: AnyPlatform, api: string, applicationId: string, credential: string): Caller {
  return { credential, applicationId, headers: formatHeaders(auth, api, credential) }
}

async function createExpiredToken(auth: PlatformAuth, api: string, create: () => Promise<Caller>): Promise<Caller> {
  const { credential } = await create()
  const { exp, iat } = readJwtPart(credential, 'claims') as { readonly exp: number; readonly iat: number }
  const caller = await inThePast(exp - iat + CLOCK_MARGIN, create)
  await checkExpired(() => auth.verifyAccessToken(api, caller.credential))
  return caller
}

async function createExpiredKey(auth: PlatformAuth, api: string, create: () => Promise<Caller>): Promise<Caller> {
  const { applicationId } = await create()
  const { credentials } = await inThePast(CLOCK_MARGIN, async () => {
    // The platform says what time it is: its clock may be another one than Date.now().
    const { createdAt } = (await create().then((each) => auth.applications.get(each.applicationId)))!
    const expiresAt = new Date(createdAt.getTime() + 60_000)
    return auth.applications.addKey(applicationId, { name: 'Expired', expiresAt, by: ACTOR })
  })
  await checkExpired(() => auth.verifyApiKey(api, credentials.clientId))
  return toCaller(auth, api, applicationId, credentials.clientId)
}

/** The seconds by which the clocks are behind: more than any `clockTolerance` that makes sense. */
const CLOCK_MARGIN = 3600

/** A service that asks its platform (`express-platform-auth/remote`) has the platform's time from its answers: the first try may bring it. */
async function checkExpired(verify: () => Promise<unknown>): Promise<void> {
  const isRefused = (): Promise<boolean> =>
    inThePresent(() =>
      verify().then(
        () => false,
        () => true,
      ),
    )
  if ((await isRefused()) || (await isRefused())) return
  throw new Error(
    "The platform's option `now` is a clock that cannot be set back, so no credential could be made that has expired. Use createTestPlatform(), `now: fakeClock().now`, or leave it out.",
  )
}
