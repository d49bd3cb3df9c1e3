import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../../index.js'
import { describeError, describeUnavailableStore, describeRootCause } from '../errors.js'
import { limitWait } from '../target.js'
import { note, problem, toResult, type CheckContext, type CheckResult } from './finding.js'
import { randomUUID } from 'node:crypto'
import { FORGED_ADDRESS, judgeForwarding, readForwarding, type Forwarding } from '../forwarding.js'
import { compareClocks } from './store-checks.js'

export async function checkDatabase({ target: { store, database, options } }: CheckContext) {
  const found = await diagnose(store!)
  const configured = options?.store
  if (!database || !configured || configured.kind === 'memory') return found
  // --db replaces this store, which may reach the same database another way, such as through a pooler.
  const more = await openAndDiagnose(configured)
  return [...found, ...more.filter(({ finding }) => found.every((each) => each.finding !== finding))]
}

async function diagnose(store: Store): Promise<CheckResult[]> {
  try {
    return ((await store.diagnose?.()) ?? []).map((each) => toResult('problem', each))
  } catch (error) {
    return [toResult('problem', describeUnavailableStore(error))]
  }
}

const STORE_TIMEOUT_MS = 10_000

async function openAndDiagnose(store: Store): Promise<CheckResult[]> {
  try {
    await limitWait(store.open({ migrate: false }), STORE_TIMEOUT_MS)
    return await limitWait(diagnose(store), STORE_TIMEOUT_MS)
  } catch (error) {
    const { problem: finding, fix } = describeUnavailableStore(error)
    return [note(`The store of the options, which --db replaces, cannot be used from here. ${finding}`, fix)]
  } finally {
    await store.close().catch(() => undefined)
  }
}

const REDIS_TIMEOUT_MS = 5000

export async function checkRedis({ target: { options } }: CheckContext) {
  const redis = options!.rateLimits?.redis as RedisClient | undefined
  if (typeof redis?.set !== 'function') return []
  let connectionError: unknown
  // Without a listener, ioredis prints its errors. They say more than a command that times out.
  redis.on?.('error', (error) => (connectionError = error))
  try {
    await limitWait(writeTo(redis), REDIS_TIMEOUT_MS)
    return []
  } catch (error) {
    return problem(
      `Redis cannot be used: ${describeError(connectionError ?? error)}`,
      'Check that it runs, its address and its password. Until it can be used, each process counts rate limits for itself.',
    )
  }
}

const REDIS_STATUS_INTERVAL_MS = 20

async function writeTo(redis: RedisClient): Promise<void> {
  // With `lazyConnect` it connects for the first command, which `enableOfflineQueue: false` would reject.
  if (redis.status === 'wait') await redis.connect?.()
  const deadline = performance.now() + REDIS_TIMEOUT_MS
  while (redis.status !== undefined && redis.status !== 'ready' && performance.now() < deadline) {
    await sleep(REDIS_STATUS_INTERVAL_MS)
  }
  await redis.set?.('platform_auth:doctor', '1', 'PX', 1000)
}

interface RedisClient {
  readonly status?: string
  connect?(): Promise<unknown>
  set?(key: string, value: string, unit: 'PX', milliseconds: number): Promise<unknown>
  on?(event: 'error', listener: (error: unknown) => void): unknown
}

/** Whether the server at `baseUrl` runs on this store: it serves the store's key set, which anybody may read. */
export async function checkServer({ target: { options }, admin, production }: CheckContext) {
  const { baseUrl, tokens } = options!
  // The check of the options reports an invalid baseUrl.
  if (typeof baseUrl !== 'string' || !/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) return []
  const url = `${baseUrl.replace(/\/$/, '')}/.well-known/jwks.json`
  const sentAt = Date.now()
  const response = await fetchKeySet(url)
  const now = (sentAt + Date.now()) / 2
  if (response instanceof Error)
    return (production ? problem : note)(
      `No server answers at ${url}: ${describeRootCause(response)}`,
      'Start one, or check DNS, certificate, firewall and proxy. baseUrl is the address that callers use.',
    )
  const kids = readKeyIds(response)
  if (!kids)
    return problem(
      `${url} answers ${response.status}, and not with a key set.`,
      'Mount auth.router where the path of baseUrl arrives, before anything else that answers there.',
    )
  // A guess: https usually ends at a proxy, and neither Node nor Express sends one of these headers.
  const mayHaveProxy = baseUrl.startsWith('https:') || PROXY_HEADERS.some((name) => response.headers.has(name))
  const stored = (await admin?.signingKeys.list())?.items
  const date = Date.parse(response.headers.get('date') ?? '')
  // With its age in caches (RFC 9111 5.1). `Date` is cut to the second, by half a second on average.
  const serverTime = Number.isNaN(date) ? now : date + 500 + Number(response.headers.get('age') ?? 0) * 1000
  const isOther = stored && (stored.length !== kids.length || !stored.every(({ kid }) => kids.includes(kid)))
  return [
    ...compareClocks('the server at baseUrl', serverTime - now, tokens?.clockTolerance),
    ...(isOther
      ? [
          problem(
            `${url} has other signing keys than the store.`,
            'That server runs on another store, or this is not its configuration. After a rotation, caches may keep the former key set for 5 minutes.',
          ),
        ]
      : []),
    ...(await checkForwarding(url, mayHaveProxy ? response.headers : undefined)),
  ]
}

const SERVER_TIMEOUT_MS = 5000

async function fetchKeySet(url: string, headers: Record<string, string> = {}) {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { 'Cache-Control': 'no-cache', ...headers },
      signal: AbortSignal.timeout(SERVER_TIMEOUT_MS),
    })
    const body: unknown = await response.json().catch(() => undefined)
    return { status: response.status, headers: response.headers, body }
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function readKeyIds({ status, body }: { status: number; body: unknown }): readonly string[] | undefined {
  const { keys } = (body ?? {}) as { keys?: unknown }
  if (status !== 200 || !Array.isArray(keys)) return undefined
  return keys.map((key: { kid?: unknown } | null) => String(key?.kid))
}

const PROXY_HEADERS = 'via server x-cache x-served-by cf-ray x-amz-cf-id x-envoy-upstream-service-time'.split(' ')

async function checkForwarding(url: string, proxy: Headers | undefined): Promise<CheckResult[]> {
  const plain = await askForForwarding(url)
  const forged = await askForForwarding(url, { 'X-Forwarded-For': FORGED_ADDRESS })
  if (!plain || !forged) return proxy ? [createProxyNote(proxy, false)] : []
  const result = judgeForwarding(plain, forged)
  if (result) return [problem(result.finding, result.fix)]
  return proxy && plain.received === 0 ? [createProxyNote(proxy, true)] : []
}

/** The query, which the server ignores, keeps caches from answering. */
async function askForForwarding(url: string, headers?: Record<string, string>): Promise<Forwarding | undefined> {
  const response = await fetchKeySet(`${url}?doctor=${randomUUID()}`, { 'Platform-Auth-Doctor': '1', ...headers })
  if (response instanceof Error) return undefined
  return readForwarding(response.headers.get('platform-auth-doctor'))
}

function createProxyNote(headers: Headers, isSilent: boolean): CheckResult {
  const name = headers.get('server') ?? headers.get('via')
  const start = `There seems to be a proxy in front of the server${name ? ` (${name})` : ''}`
  return isSilent
    ? note(
        `${start}, and it does not send X-Forwarded-For: all callers have its address, and share its rate limits.`,
        "Make it send the header, then: app.set('trust proxy', 1).",
      )
    : note(
        `${start}. The server does not say whether "trust proxy" is set: it is of another version, or finds addresses in its own way.`,
        "Without it all callers have the proxy's address, and share its rate limits. For one proxy: app.set('trust proxy', 1).",
      )
}
