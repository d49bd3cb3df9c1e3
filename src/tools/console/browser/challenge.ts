import { readRetryAfter, type Refusal } from './messages.js'

/** Bodies of refusals are small. */
const MAX_REFUSAL_BYTES = 10_000

/** The guard's answer to a refused call: its challenge, which another origin must expose (CORS), and its JSON. */
export function readRefusal(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  bytes: Uint8Array,
): Refusal & { readonly scopes?: string[] | undefined } {
  const challenge = headers.get('WWW-Authenticate') ?? ''
  const body = status < 400 || bytes.length > MAX_REFUSAL_BYTES ? undefined : readJson(bytes)
  return {
    status,
    error: readParameter(challenge, 'error') ?? readText(body?.['error']),
    description: readText(body?.['error_description']),
    scopes: readParameter(challenge, 'scope')?.split(' '),
    retryAfter: readRetryAfter(headers.get('Retry-After'), Date.now()),
  }
}

function readParameter(challenge: string, name: 'error' | 'scope'): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1]
}

function readJson(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes))) as Record<string, unknown>
  } catch {
    return undefined
  }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
