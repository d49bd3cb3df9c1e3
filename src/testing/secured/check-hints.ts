import { isClosed } from './check-answer.js'
import type { Check } from './check-context.js'
import { readHints } from './hints.js'
import { describeOutcome } from './problem.js'
import type { Outcome } from './prober.js'

/** A function of the app is the same before many routes. */
const MAX_ROUTES_PER_FUNCTION = 5

/** Requests without a credential that have what functions before the guard compare requests with: headers, query, host, address, parameters. */
export async function checkHints(check: Check, { entered }: Outcome): Promise<void> {
  const { prober, method, target, endpoint, report, uses } = check
  for (const { handle } of entered) {
    const count = uses.get(handle) ?? 0
    if (count >= MAX_ROUTES_PER_FUNCTION) continue
    uses.set(handle, count + 1)
    for (const request of listRequests(check, readHints(handle))) {
      const outcome = await prober.probe(method, request.target ?? target, request.headers, request.address)
      const { answer, reached } = outcome
      if (isClosed(outcome, method) || (!reached && (answer?.status ?? 500) >= 400)) continue
      if (reached && reached !== endpoint.route) continue
      report('open', endpoint, method, `A request without a credential, but with ${request.name}, was not refused: ${describeOutcome(outcome)}.`,
        'Everybody can send what the function before the guard looks at. Put the guard before it, or list the route in "public" with the reason.') // prettier-ignore
      return
    }
  }
}

interface HintedRequest {
  /** For people: "the header x-internal: 1". */
  readonly name: string
  readonly target?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly address?: string
}

function listRequests({ endpoint, target }: Check, { names, values }: ReturnType<typeof readHints>): HintedRequest[] {
  const requests: HintedRequest[] = []
  for (const value of names.length === 0 ? [] : ['1', 'true', ...values]) {
    const headers = Object.fromEntries(names.map((name) => [name, value]))
    const query = names.map((name) => `${name}=${encodeURIComponent(value)}`)
    const Cookie = names.map((name) => `${name}=${value}`).join('; ')
    requests.push({ name: `"${value}" in the headers ${names.join(', ')}`, headers: { ...headers, Cookie } })
    requests.push({
      name: `the query ${query.join('&')}`,
      target: `${target}${target.includes('?') ? '&' : '?'}${query.join('&')}`,
    })
  }
  for (const value of values) {
    if (/^[\w-]+(?:\.[\w-]+)+(?::\d+)?$/.test(value))
      requests.push({ name: `the host ${value}`, headers: { Host: value } })
    if (/^[\da-f.:]*[.:][\da-f.:]*$/i.test(value)) requests.push({ name: `the address ${value}`, address: value, headers: { 'X-Forwarded-For': value } }) // prettier-ignore
    if (/^(?:\/(?:[\w.-]+|:\w+))+$/.test(endpoint.path) && endpoint.path.includes(':'))
      requests.push({ name: `"${value}" as parameter`, target: endpoint.path.replaceAll(/:\w+/g, value) })
  }
  return requests
}
