import { describeUnreachable } from './messages.js'
import type { SampleBody } from '../../../shared/samples/prepare.js'
import { isMultipart } from '../../../shared/samples/serialize.js'
import { createMultipart } from '../../../shared/samples/multipart.js'
import { buildHeaders, buildUrl, type CallInput } from '../../../shared/samples/request.js'

/** fetch() without cookies and log-in dialog, which rejects with a message for the reader unless cancelled. */
export async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: 'omit' })
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    const page = { origin: location.origin, online: navigator.onLine }
    throw new Error(describeUnreachable(new URL(url, location.href).href, page), { cause })
  }
}

/** The request of a call. Browsers leave out some headers, such as Cookie. */
export function createRequest(
  input: CallInput,
  credential: readonly [string, string] | undefined,
): [url: string, init: RequestInit] {
  const headers = new Headers()
  // Headers take bytes only: other characters are sent as UTF-8.
  for (const [name, value] of buildHeaders(input))
    headers.append(name, String.fromCharCode(...new TextEncoder().encode(value)))
  if (credential) headers.set(...credential)
  const { content = null, mediaType } = input.body ? createContent(input.body) : {}
  if (mediaType !== undefined) headers.set('Content-Type', mediaType)
  return [buildUrl(input), { method: input.method, headers, body: content, cache: 'no-store' }]
}

function createContent(body: SampleBody): { readonly content: BodyInit; readonly mediaType: string } {
  const { mediaType } = body
  if ('text' in body) return { mediaType, content: body.text }
  if ('file' in body) return { mediaType, content: body.file as File }
  if (!isMultipart(mediaType))
    return {
      mediaType,
      content: new URLSearchParams(body.fields.map((field) => [field.name, 'value' in field ? field.value : ''])),
    }
  // FormData gives a part with a media type the name of a file. Nobody can put this boundary into a file beforehand.
  const boundary = `form-part-${crypto.getRandomValues(new Uint32Array(4)).join('')}`
  const { contentType, parts } = createMultipart(body, boundary)
  return {
    mediaType: contentType,
    content: new Blob(parts.map((part) => (typeof part === 'string' ? part : (part as File)))),
  }
}
