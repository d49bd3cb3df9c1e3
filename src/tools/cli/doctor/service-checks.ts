import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../../index.js'
import { describeError, describeUnavailableStore } from '../errors.js'
import { limitWait } from '../target.js'
import { note, problem, toFinding, type CheckContext, type CheckResult, type CheckResults } from './finding.js'

export async function checkDatabase({ target: { store, database, options } }: CheckContext): Promise<CheckResults> {
  const found = await diagnose(store!)
  const configured = options?.store
  if (!database || !configured || configured.kind === 'memory') return found
  // --db replaces this store, which may reach the same database another way, such as through a pooler.
  const more = await openAndDiagnose(configured)
  return [...found, ...more.filter(({ finding }) => found.every((each) => each.finding !== finding))]
}

async function diagnose(store: Store): Promise<CheckResult[]> {
  try {
    return ((await store.diagnose?.()) ?? []).map((each) => toFinding('problem', each))
  } catch (error) {
    const { problem: finding, fix } = describeUnavailableStore(error)
    return [problem(finding, fix)]
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

export async function checkRedis({ target: { options } }: CheckContext): Promise<CheckResults> {
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
