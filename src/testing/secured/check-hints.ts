import { isClosed } from './check-answer.js'
import type { Check } from './check-context.js'
import { readHints } from './hints.js'
import { describeOutcome } from './problem.js'
import type { Outcome, Prober } from './prober.js'

/** A function is tried at this many routes: an app has the same one before many. */
const MAX_ROUTES_PER_FUNCTION = 5

/**
 * Requests without a credential that have the values with which functions before the guard compare requests: headers, query,
 * host, address, parameters.
 */
export async function checkHints(check: Check, { entered }: Outcome): Promise<void> {
  if (entered.length === 0 || (await isOpenFor(check, COMMON))) return
  for (const { handle } of entered) {
    const count = check.uses.get(handle) ?? 0
    check.uses.set(handle, count + 1)
    if (count < MAX_ROUTES_PER_FUNCTION && (await isOpenFor(check, listRequests(check, readHints(handle))))) return
  }
}

async function isOpenFor(
  { prober, method, target, endpoint, complain }: Check,
  requests: readonly HintedRequest[],
): Promise<boolean> {
  for (const request of requests) {
    const outcome = await prober.probe(method, request.target ?? target, request.headers, request)
    const { answer, reached } = outcome
    if (isClosed(outcome, method) || (!reached && (answer?.status ?? 500) >= 400)) continue
    if (reached && reached !== endpoint.route) continue
    if (!reached && (await isPageForAll(prober, method, request, outcome))) continue
    complain(
      'open',
      `A request without a credential, but with ${request.name}, was not refused: ${describeOutcome(outcome)}.`,
      'Everybody can send what the function before the guard looks at. Put the guard before it, or list the route in "public" with the reason.',
    )
    return true
  }
  return false
}

/** Whether a path of no API has the same answer: a website's page for every path, which browsers get. */
async function isPageForAll(
  prober: Prober,
  method: string,
  request: HintedRequest,
  { answer }: Outcome,
): Promise<boolean> {
  const other = (await prober.probe(method, '/express-platform-auth-unknown-path', request.headers, request)).answer
  return other?.status === answer?.status && other?.body.equals(answer?.body ?? Buffer.alloc(0)) === true
}

interface HintedRequest {
  /** A description for people: "the header x-internal: 1". */
  readonly name: string
  readonly target?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly address?: string
  readonly body?: string
}

/** Requests of callers that apps trust: browsers, load balancers and their health checks, neighbours. */
const COMMON: readonly HintedRequest[] = [
  {
    name: 'what a browser sends',
    headers: {
      Accept: 'text/html',
      'X-Requested-With': 'XMLHttpRequest',
      Origin: 'http://localhost',
      Referer: 'http://localhost/',
      Cookie: 'session=1',
      'User-Agent': 'Mozilla/5.0',
    },
  },
  {
    name: 'what a proxy or a health check of this machine sends',
    address: '127.0.0.1',
    headers: {
      'User-Agent': 'kube-probe/1.30 GoogleHC/1.0 ELB-HealthChecker/2.0',
      'X-Forwarded-For': '127.0.0.1',
      'X-Forwarded-Proto': 'https',
      'X-Real-IP': '127.0.0.1',
    },
  },
  {
    name: 'a form with files',
    headers: { Accept: 'text/event-stream', 'Content-Type': 'multipart/form-data; boundary=x' },
  },
]

function listRequests(
  { endpoint, target, method }: Check,
  { names, values }: ReturnType<typeof readHints>,
): HintedRequest[] {
  const requests: HintedRequest[] = []
  const hasBody = method !== 'GET' && method !== 'HEAD'
  for (const value of names.length === 0 ? [] : ['1', 'true', ...values]) {
    const headers = Object.fromEntries(names.map((name) => [name, value]))
    const query = names.map((name) => `${name}=${encodeURIComponent(value)}`)
    const Cookie = names.map((name) => `${name}=${value}`).join('; ')
    const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, value === 'true' || value])))
    if (hasBody) requests.push({ name: `the body ${body}`, headers: { 'Content-Type': 'application/json' }, body })
    requests.push({ name: `"${value}" in the headers ${names.join(', ')}`, headers: { ...headers, Cookie } })
    requests.push({
      name: `the query ${query.join('&')}`,
      target: `${target}${target.includes('?') ? '&' : '?'}${query.join('&')}`,
    })
  }
  for (const value of values) {
    if (/^[\w-]+(?:\.[\w-]+)+(?::\d+)?$/.test(value))
      requests.push({ name: `the host ${value}`, headers: { Host: value } })
    if (/^[\da-f.:]*[.:][\da-f.:]*$/i.test(value))
      requests.push({ name: `the address ${value}`, address: value, headers: { 'X-Forwarded-For': value } })
    if (/^(?:\/(?:[\w.-]+|:\w+))+$/.test(endpoint.path) && endpoint.path.includes(':'))
      requests.push({ name: `"${value}" as parameter`, target: endpoint.path.replaceAll(/:\w+/g, value) })
  }
  return requests
}
