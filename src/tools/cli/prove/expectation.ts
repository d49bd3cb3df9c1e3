import type { ProbeAnswer } from './exchange.js'

export interface Expectation {
  /** The condition in words, after "expected". */
  readonly text: string
  isMet(answer: ProbeAnswer): boolean
  /** Whether it is about the words or headers of a refusal, which the option `onDenied` may replace. */
  readonly isReplaceable?: boolean
}

export function all(...expectations: readonly Expectation[]): Expectation {
  return {
    text: expectations.map(({ text }) => text).join(', '),
    isMet: (answer) => expectations.every(({ isMet }) => isMet(answer)),
    isReplaceable: expectations.some(({ isReplaceable }) => isReplaceable),
  }
}

export function status(expected: number): Expectation {
  return { text: String(expected), isMet: (answer) => answer.status === expected }
}

export function refusal(expected: number, error: string): Expectation {
  return {
    text: `${expected} with the JSON error "${error}"`,
    isMet: ({ status, json }) =>
      // Management sends the code as a problem (RFC 9457).
      status === expected &&
      (json?.['error'] ?? json?.['code']) === error &&
      typeof (json?.['error_description'] ?? json?.['detail']) === 'string',
    isReplaceable: true,
  }
}

/** The answer has one line of the header with exactly this value. */
export function header(name: string, value: string): Expectation {
  return { text: `${name}: ${value}`, isMet: ({ listHeader }) => listHeader(name).join('\n') === value }
}

export function noHeader(name: string): Expectation {
  return { text: `no ${name}`, isMet: ({ listHeader }) => listHeader(name).length === 0 }
}

/** The header's list of values has this one, such as `no-store` in `Cache-Control`. */
export function headerWith(name: string, value: string): Expectation {
  const list = ({ header }: ProbeAnswer): string[] => (header(name) ?? '').toLowerCase().split(/\s*,\s*/)
  return that(`${name} with ${value}`, (answer) => list(answer).includes(value.toLowerCase()))
}

export const NO_STORE = headerWith('Cache-Control', 'no-store')

/** The answer has a challenge that begins so, on a line of its own or in a list. */
export function challenge(begin: string): Expectation {
  return {
    text: `WWW-Authenticate: ${begin}`,
    isMet: ({ header }) => (header('www-authenticate') ?? '').includes(begin),
    isReplaceable: true,
  }
}

export function that(text: string, isMet: (answer: ProbeAnswer) => boolean): Expectation {
  return { text, isMet }
}

export const NO_BODY = that('no body', ({ body }) => body === '')

export function isActive(active: boolean): Expectation {
  return that(`200 with "active":${active}`, ({ status, json }) => status === 200 && json?.['active'] === active)
}

/** A request that the guard let pass. Below a guarded prefix that was searched there need not be a route: it may answer 404. */
export function createAllowed(isSearched: boolean): Expectation {
  return that(
    `the route's own answer (2xx${isSearched ? ', or 404' : ''})`,
    ({ status }) => (status >= 200 && status < 300) || (isSearched && status === 404),
  )
}

export const TOKEN: Expectation = {
  text: '200 with an access token',
  isMet: ({ status, json }) =>
    status === 200 &&
    typeof json?.['access_token'] === 'string' &&
    json['token_type'] === 'bearer' &&
    typeof json['expires_in'] === 'number',
}

/** A check that could not be made; the message is the reason. */
export class SkippedCheck extends Error {
  override readonly name = 'SkippedCheck'
}

export function skip(reason: string): never {
  throw new SkippedCheck(reason)
}
