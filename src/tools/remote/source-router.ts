import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLive } from '../../core/applications/credentials/credentials.js'
import { isApplicationId } from '../../shared/lib/application-id.js'
import { findGrant, isUsableAt } from '../../core/applications/records/grants.js'
import { createRouter, limitAuthenticationTime } from '../../core/http/endpoints.js'
import { readJson } from '../../core/http/json-body.js'
import { sendDenial, sendJson, toDenial } from '../../core/http/respond.js'
import type { PlatformParts } from '../../core/platform/core-auth.js'
import { OAuthError, type Api, type CoreAuth, type Limit, type Middleware } from '../../index.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { Change } from '../../shared/contracts/store.js'
import { boolean, group, limit, textList } from '../../shared/lib/option-rules.js'
import { readPlatform } from '../../shared/lib/option-checks.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { readHeader } from '../../shared/lib/request.js'
import { createSharedKeys, PROOF_HEADER, SOURCE_PATH, VERSIONS, type SharedKeys } from './answer-proof.js'
import { describeApi } from './platform-settings.js'
import { readNumber, readOptional, readText, WrongValue, type Members } from './read-answer.js'
import { createReportAnswer } from './report-answer.js'
import { shareApplication } from './shared-application.js'

interface Request {
  readonly given: Members
  readonly server: ApplicationRecord
  readonly apis: readonly Api[]
  readonly names: ReadonlySet<string>
  readonly nameOf: SharedKeys['nameOf']
  readonly signal: AbortSignal
}

type SourceAnswer = (request: Request) => Promise<Members>

const MAX_HELD_MS = 2000
/** Each takes a few kilobytes. Beyond it an answer is not held. */
const MAX_HELD_PER_SERVER = 200
const MAX_LISTED_TOKENS = 10_000
/** Some 1000 a second, for all processes of a resource server: look-ups, polls, reports. */
const REQUESTS = { limit: 10_000, window: 10 }
/** Of `requests`, so many may be reports: each leaves its id in the store for a day. */
const SHARE_OF_REPORTS = 0.1
/** A list has up to 10,000 tokens, each with an HMAC: some 50 ms. A process asks when it starts, and when the feed has lost changes. */
const LISTS = { limit: 100, window: 60 }
/** Other texts, which a database may not take, name no token and no place in the feed. */
const TOKEN_ID = /^[\w-]{32}$/
const CURSOR = /^[\w.:-]{1,128}$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

const readOptions = group('credentialSource', {
  externalId: boolean(false),
  metadata: textList,
  requests: limit(REQUESTS),
})

/**
 * Middleware that answers the processes of `createRemoteAuth()`: to each application that is a resource server, what its guards need to know
 * of the applications that may use its APIs, and no hash, contact or private key. Mount it where `auth.router` is. `externalId` and
 * `metadata` name what handlers there also get of an application: its external id, and members of its metadata. `requests` limits the requests
 * of each resource server, 10,000 in 10 seconds if left out: above it, it gets 429, and its callers that it does not know 503. Throws
 * `ConfigurationError` for a wrong option.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { credentialSource } from 'express-platform-auth/remote'
 *
 * const auth = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis: { orders: { scheme: 'oauth2' } } })
 * const app = express()
 * app.use(auth.router)
 * app.use(credentialSource(auth, { metadata: ['region'] }))
 * ```
 */
export function credentialSource(
  auth: CoreAuth,
  options: {
    readonly externalId?: boolean
    readonly metadata?: readonly string[]
    readonly requests?: Limit | false
  } = {},
): Middleware {
  const platform = readPlatform<PlatformParts>(auth, 'core', 'credentialSource(auth)')
  const { core, guards, authenticateResourceServer } = platform
  const { externalId, metadata, requests } = readOptions(options)
  const findWindows = core.find('plans')?.findWindows
  const { rateLimits, paceStarts } = core
  const answers = createAnswers(platform, { externalId, metadata, findWindows })
  const limitRequests = rateLimits.create('source', requests, { setBy: 'credentialSource: requests' })
  const reports = requests && { ...requests, limit: Math.ceil(requests.limit * SHARE_OF_REPORTS) }
  const limitReports = rateLimits.create('sourceReports', reports, { setBy: 'credentialSource: requests' })
  const limitLists = rateLimits.create('sourceLists', LISTS)

  async function answer(req: IncomingMessage, res: ServerResponse, call: string): Promise<void> {
    const closing = new AbortController()
    res.once('close', () => closing.abort())
    const { application, apis } = await limitAuthenticationTime(authenticateResourceServer(req, new Map()))
    await limitRequests?.(application.id)
    if (call === 'report') await limitReports?.(application.id)
    if (call === 'revoked-tokens') await limitLists?.(application.id)
    const authorization = readHeader(req, 'authorization')
    if (authorization === undefined) throw new OAuthError('invalid_request', 'Authenticate by HTTP Basic')
    const { nonce, ...given } = await readJson(req)
    if (typeof nonce !== 'string' || !/^[\w-]{22}$/.test(nonce))
      throw new OAuthError('invalid_request', 'The nonce is missing')
    const { nameOf, prove } = createSharedKeys(authorization)
    const names = new Set(apis.map(({ name }) => name))
    const request = { given: ownMembers(given), server: application, apis, names, nameOf, signal: closing.signal }
    const found = await answers[call]!(request).catch((error: unknown) => {
      if (!(error instanceof WrongValue)) throw error
      throw new OAuthError('invalid_request', 'The request is none of createRemoteAuth()', { cause: error })
    })
    if (closing.signal.aborted) return
    const document = { ...found, serves: [...names], versions: VERSIONS, time: core.now() }
    const proof = prove({ nonce, call, body: JSON.stringify(document) })
    sendJson(res, 200, document, { 'Cache-Control': 'no-store', [PROOF_HEADER]: proof })
  }

  return createRouter({
    find(method, path) {
      const call = path.startsWith(SOURCE_PATH) ? path.slice(SOURCE_PATH.length) : ''
      const isCall = method === 'POST' && Object.hasOwn(answers, call)
      return isCall ? paceStarts((req, res) => answer(req, res, call)) : undefined
    },
    refuse(_endpoint, error, req, res) {
      const denied = toDenial(error)
      if (denied.status === 500)
        guards.warn(`credentialSource(): ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`)
      sendDenial(req, res, denied)
    },
  })
}

/** The answers, by the names of the calls. Each is read from the store: it is as new as what any process of the platform has answered before. */
function createAnswers(
  platform: PlatformParts,
  shared: Parameters<typeof shareApplication>[2],
): Readonly<Record<string, SourceAnswer>> {
  const { core, source } = platform
  const { limitLookups, now } = core
  const share = (record: ApplicationRecord | undefined, names: ReadonlySet<string>): Members | null =>
    (record && shareApplication(record, names, shared)) ?? null

  return {
    settings: async ({ apis }) => ({
      baseUrl: core.settings.baseUrl,
      acceptsImported: source.hasOtherHashes,
      usage: core.find('usage')?.counts,
      apis: Object.fromEntries(apis.map((api) => [api.name, describeApi(api)])),
    }),
    'signing-keys': async ({ server }) => ({ keys: await limitLookups(server.id, source.listVerificationKeys) }),
    async application({ given, server, names }) {
      const id = readText(given['id'])
      if (!isApplicationId(id)) return { application: null }
      return { application: share(await limitLookups(server.id, () => source.findApplication(id)), names) }
    },
    'api-key': createKeyAnswer(platform, share),
    async 'revoked-tokens'({ given, server, nameOf }) {
      const limit = Math.min(MAX_LISTED_TOKENS, Math.max(1, readNumber(given['limit'])))
      const tokens = await limitLookups(server.id, () => source.listRevokedAccessTokens(now() - 3_600_000, limit))
      return { tokens: tokens.map(({ id, expiresAt }) => ({ name: nameOf('token', id), expiresAt })) }
    },
    async 'revoked-token'({ given, server }) {
      const id = readText(given['id'])
      if (!TOKEN_ID.test(id)) return { isRevoked: false }
      return { isRevoked: await limitLookups(server.id, () => source.isAccessTokenRevoked(id)) }
    },
    changes: createChangesAnswer(platform),
    report: createReportAnswer(platform),
    async quota({ given, server, names }) {
      const [id, day] = [readText(given['id']), readText(given['day'])]
      if (!isApplicationId(id) || !DAY.test(day)) throw new OAuthError('invalid_request', 'There is no such day')
      const record = await limitLookups(server.id, () => source.findApplication(id))
      if (!shared.findWindows || share(record, names) === null) return { counts: [] }
      const first = `${day.slice(0, 'YYYY-MM-'.length)}01`
      return { counts: await limitLookups(server.id, () => core.store.quotas.list(id, first, day)) }
    },
  }
}

/** The application of a presented key. A pending one becomes active, as by a guard: its key has arrived. */
function createKeyAnswer(
  { source, activate, core: { credentials, limitLookups, now } }: PlatformParts,
  share: (record: ApplicationRecord | undefined, names: ReadonlySet<string>) => Members | null,
): SourceAnswer {
  return async ({ given, server, apis, names }) => {
    const key = readText(given['key'])
    const hash = credentials().hashKey(key)
    if (hash === undefined) return { application: null }
    const find = () => limitLookups(server.id, () => source.findApplicationByKey(hash, key))
    let record = await find()
    let credential = record?.keys.find((each) => each.hash === hash)
    if (!record || !credential) return { application: null }
    const isUsed = apis.some((api) => findGrant(record!, api) && isUsableAt(credential!, api))
    if (record.status === 'pending' && isUsed && isLive(credential, now())) {
      await activate(record.id, undefined)
      record = await find()
      credential = record?.keys.find((each) => each.hash === hash)
    }
    const application = credential ? share(record, names) : null
    return application === null ? { application } : { application, credentialId: credential!.id }
  }
}

/** What has changed since a cursor; held until there is something, if the request says how long. */
function createChangesAnswer({ source, nextChange, core: { limitLookups } }: PlatformParts): SourceAnswer {
  const held = new Map<string, number>()

  return async ({ given, server, nameOf, signal }) => {
    const cursor = readOptional(given['cursor'], readText)
    if (cursor !== undefined && !CURSOR.test(cursor)) throw new OAuthError('invalid_request', 'The cursor is none')
    const read = () => limitLookups(server.id, () => source.changesSince(cursor))
    const wait = Math.min(MAX_HELD_MS, readOptional(given['wait'], readNumber) ?? 0)
    const count = held.get(server.id) ?? 0
    const mayHold = cursor !== undefined && wait > 0 && count < MAX_HELD_PER_SERVER
    // Before the feed is read: a change that is committed after the read ends the wait.
    const waiting = new AbortController()
    const stop = (): void => waiting.abort()
    signal.addEventListener('abort', stop)
    const change = mayHold ? nextChange(wait, waiting.signal) : undefined
    try {
      if (change) held.set(server.id, count + 1)
      let page = await read()
      if (change && page.changes.length === 0) {
        await change
        page = await read()
      }
      // Another list of its APIs: it may know what it must not know any more.
      const isOther = page.changes.some((change) => change.kind === 'application' && change.id === server.id)
      const changes: readonly Change[] = isOther ? [{ kind: 'everything' }] : page.changes
      return { cursor: page.cursor, changes: changes.flatMap((each) => nameChange(each, nameOf)) }
    } finally {
      stop()
      const left = held.get(server.id)! - 1
      if (change && left > 0) held.set(server.id, left)
      else if (change) held.delete(server.id)
    }
  }
}

function nameChange(change: Change, nameOf: SharedKeys['nameOf']): readonly Members[] {
  if (change.kind === 'application') return [{ kind: change.kind, name: nameOf('application', change.id) }]
  if (change.kind === 'accessTokenRevoked')
    return [{ kind: change.kind, name: nameOf('token', change.id), expiresAt: change.expiresAt }]
  return change.kind === 'signingKeys' || change.kind === 'everything' ? [{ kind: change.kind }] : []
}
