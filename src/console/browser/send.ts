import { describeUnreachable } from './messages.js'
import { buildHeaders, buildUrl, type BodyInput, type CallInput } from '../../samples/request.js'

/**
 * fetch() that rejects with a message for the reader, unless it was cancelled. It sends no cookies: only the credential
 * that was typed in counts, and the browser opens no log-in dialog.
 */
export async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: 'omit' })
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    const page = { origin: location.origin, online: navigator.onLine }
    throw new Error(describeUnreachable(new URL(url, location.href).href, page), { cause })
  }
}

/** The request of a call. Browsers add the boundary of a multipart body themselves, and leave out some headers, such as Cookie. */
export function createRequest(
  input: CallInput,
  credential: readonly [string, string] | undefined,
): [url: string, init: RequestInit] {
  const headers = new Headers()
  for (const [name, value] of buildHeaders(input)) headers.append(name, toByteString(value))
  if (credential) headers.set(...credential)
  const { body } = input
  if (body && !(isMultipart(body) && 'fields' in body)) headers.set('Content-Type', body.mediaType)
  return [buildUrl(input), { method: input.method, headers, body: body ? createBody(body) : null, cache: 'no-store' }]
}

function createBody(body: BodyInput): BodyInit {
  if ('text' in body) return body.text
  if ('file' in body) return body.file as File
  const entries = body.fields.map(
    ({ name, value }) => [name, typeof value === 'string' ? value : (value as File)] as const,
  )
  if (isMultipart(body)) {
    const data = new FormData()
    for (const [name, value] of entries) data.append(name, value)
    return data
  }
  return new URLSearchParams(entries.map(([name, value]) => [name, typeof value === 'string' ? value : value.name]))
}

function isMultipart({ mediaType }: BodyInput): boolean {
  return mediaType.startsWith('multipart/')
}

/** Headers take bytes only: other characters are sent as UTF-8. */
function toByteString(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}
