import { randomBytes } from 'node:crypto'
import { createCredentials } from '../../src/core/applications/credentials/credentials.js'
import { startFlood, type FloodApplication, type FloodedPlatform } from './store-floods.js'
import { waitUntil } from '../support/wait-until.js'

/** What happened during a flood. */
export interface FloodOutcome {
  /** Milliseconds that each call of `suspend` took, sorted. */
  readonly suspensions: readonly number[]
  /** The number of answers to the flood, by status. */
  readonly statuses: Readonly<Record<string, number>>
}

/** One partner revokes access tokens on that many connections, and ignores `Retry-After`. */
export async function floodRevocations(
  platform: FloodedPlatform,
  { connections, suspensions }: { connections: number; suspensions: number },
): Promise<FloodOutcome> {
  const [partner] = await platform.createApplications(1)
  const tokens: string[] = []
  const requestTokens = async (): Promise<void> => {
    while (tokens.length < connections) tokens.push(await requestToken(platform.port, partner!))
  }
  await Promise.all(Array.from({ length: 20 }, requestTokens))
  const expectedStatuses = ['200', '429']
  return measureDuring(platform, 'revoke', { connections, ...partner, tokens }, suspensions, { expectedStatuses })
}

/** A stranger claims credentials with links that do not exist. */
export function floodClaims(
  platform: FloodedPlatform,
  { perSecond, suspensions }: { perSecond: number; suspensions: number },
): Promise<FloodOutcome> {
  return measureDuring(platform, 'claim', { perSecond }, suspensions)
}

/**
 * A stranger sends well-formed random API keys, all at once, while 11 partners call for the first time: from addresses of
 * their own, or all from the stranger's.
 */
export async function floodKeys(
  platform: FloodedPlatform,
  {
    keys: count,
    suspensions,
    newcomersFrom,
  }: { keys: number; suspensions: number; newcomersFrom: 'elsewhere' | 'the same address' },
): Promise<FloodOutcome & { readonly newcomers: readonly number[] }> {
  const unknown = createCredentials('epa', randomBytes(32))
  const keys = Array.from({ length: count }, () => unknown.mint('key', 1).plain)
  const newcomers = await platform.createApplications(11)
  const call = async ({ clientId }: FloodApplication, i: number): Promise<number> => {
    const address = newcomersFrom === 'elsewhere' ? `192.0.2.${i + 1}` : '127.0.0.1'
    const headers = { 'X-Api-Key': clientId, 'X-Forwarded-For': address }
    const { status } = await fetch(`http://127.0.0.1:${platform.port}/catalog/items`, { headers })
    return status
  }
  let answers: Promise<number[]> | undefined
  const onFlooding = (): void => {
    answers = Promise.all(newcomers.map(call))
  }
  const outcome = await measureDuring(platform, 'keys', { keys }, suspensions, { onFlooding })
  return { ...outcome, newcomers: await answers! }
}

/**
 * Strangers on 60 connections, each request from a new address with a new API key, so that no limit stops them. `partners` is how a
 * partner that the process knows was answered meanwhile, and partners that it does not know.
 */
export async function floodStrangers(
  platform: FloodedPlatform,
  { suspensions, keys }: { suspensions: number; keys: 'well-formed' | 'malformed' },
): Promise<FloodOutcome & { readonly partners: readonly number[] }> {
  const [known, ...newcomers] = await platform.createApplications(11)
  const call = async ({ clientId }: FloodApplication): Promise<number> => {
    const headers = { 'X-Api-Key': clientId }
    return (await fetch(`http://127.0.0.1:${platform.port}/catalog/items`, { headers })).status
  }
  const partners = [await call(known!)]
  const answers: Promise<number>[] = []
  const onFlooding = (): void => {
    answers.push(...newcomers.map(call), ...newcomers.map(() => call(known!)))
  }
  const outcome = await measureDuring(platform, 'strangers', { connections: 60, keys }, suspensions, { onFlooding })
  return { ...outcome, partners: [...partners, ...(await Promise.all(answers))] }
}

interface MeasureOptions {
  /** Is called when the first request of the flood has been answered. */
  readonly onFlooding?: () => void
  /** The flood lasts until each of these was answered: a few suspensions can end before it exceeds a limit. */
  readonly expectedStatuses?: readonly string[]
}

async function measureDuring(
  { port, measureSuspend }: FloodedPlatform,
  name: string,
  argument: object,
  suspensions: number,
  { onFlooding, expectedStatuses = [] }: MeasureOptions = {},
): Promise<FloodOutcome> {
  const flood = await startFlood(port, name, argument)
  onFlooding?.()
  try {
    const times = await measureSuspend(suspensions)
    let statuses: FloodOutcome['statuses'] = {}
    await waitUntil(async () => {
      statuses = await flood.count()
      return expectedStatuses.every((status) => status in statuses)
    })
    return { suspensions: times, statuses }
  } finally {
    await flood.end()
  }
}

async function requestToken(port: number, { clientId, clientSecret }: FloodApplication): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const answer = await fetch(`http://127.0.0.1:${port}/orders/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}
