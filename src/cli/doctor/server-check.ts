import type { Check } from './finding.js'
import { note, problem } from './finding.js'
import { reasonOf, rootOf } from '../failure.js'
import { clocksApart } from './store-checks.js'

/** Milliseconds. */
const PATIENCE = 5000

/** Whether a server at `baseUrl` runs on this store, by what everybody may ask it for: its key set. */
export const serverCheck: Check = {
  name: 'the server at baseUrl',
  lacks: ({ place }) => (place.options ? undefined : '--config'),
  async look({ place: { options }, operations, production }) {
    const { baseUrl, clockTolerance } = options!
    // A baseUrl that is none is what the check of the options says.
    if (typeof baseUrl !== 'string' || !/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) return []
    const address = `${baseUrl.replace(/\/$/, '')}/.well-known/jwks.json`
    const asked = Date.now()
    const answer = await ask(address)
    const at = (asked + Date.now()) / 2
    if (answer instanceof Error) {
      const said = production ? problem : note
      return [
        said(
          `No server answers at ${address}: ${reasonOf(rootOf(answer))}.`,
          'Start one; or see to DNS, certificate, firewall and proxy. baseUrl is the address that callers use.',
        ),
      ]
    }
    const kids = keyIdsOf(answer)
    if (!kids) {
      return [
        problem(
          `${address} answers ${answer.status}, and not with a key set.`,
          'Mount auth.router where the path of baseUrl arrives, before what else answers there.',
        ),
      ]
    }
    const stored = (await operations?.signingKeys.list())?.items.map(({ kid }) => kid)
    return [
      ...clocksApart('the server at baseUrl', timeOf(answer.headers, at) - at, clockTolerance),
      ...(stored && !isSame(kids, stored) ? [otherKeys(address)] : []),
      ...(mayHaveProxy(baseUrl, answer.headers) ? [behindProxy(answer.headers)] : []),
    ]
  },
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

async function ask(address: string): Promise<Answer | Error> {
  try {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { 'Cache-Control': 'no-cache' },
      signal: AbortSignal.timeout(PATIENCE),
    })
    const body: unknown = await response.json().catch(() => undefined)
    return { status: response.status, headers: response.headers, body }
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function keyIdsOf({ status, body }: Answer): readonly string[] | undefined {
  const { keys } = (body ?? {}) as { keys?: unknown }
  if (status !== 200 || !Array.isArray(keys)) return undefined
  return keys.map((key: { kid?: unknown } | null) => String(key?.kid))
}

/** When the answer was made: a cache tells for how long it has kept it (RFC 9111 5.1). */
function timeOf(headers: Headers, now: number): number {
  const date = Date.parse(headers.get('date') ?? '')
  // Cut to the second: half of one on average.
  return Number.isNaN(date) ? now : date + 500 + Number(headers.get('age') ?? 0) * 1000
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each) => b.includes(each))
}

function otherKeys(address: string): ReturnType<typeof problem> {
  return problem(
    `${address} has other signing keys than the store.`,
    'That server runs on another store, or this is not its configuration. After a rotation, caches between may keep the former set for 5 minutes.',
  )
}

/** Node names no `Server`, and Express none. */
function mayHaveProxy(baseUrl: string, headers: Headers): boolean {
  return baseUrl.startsWith('https:') || PROXIES.some((name) => headers.has(name))
}

const PROXIES = ['via', 'server', 'x-cache', 'x-served-by', 'cf-ray', 'x-amz-cf-id', 'x-envoy-upstream-service-time']

function behindProxy(headers: Headers): ReturnType<typeof note> {
  const name = headers.get('server') ?? headers.get('via')
  return note(
    `The server seems to stand behind a proxy${name ? ` (${name})` : ''}. Whether "trust proxy" is set can't be seen from outside.`,
    "Without it all callers have the proxy's address, and share its limits. app.set('trust proxy', 1) for one proxy in front.",
  )
}
