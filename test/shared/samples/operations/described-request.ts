import type { IncomingHttpHeaders } from 'node:http'
import type { OperationCase, Part } from './operation-case.js'

/** A request as the server got it. */
export interface EchoedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A request as the table writes it: forms and parts parsed, and of the headers those that the table names. */
export function describeRequest(request: EchoedRequest, expected: OperationCase['expected']): object {
  const { method, url, headers, body } = request
  const { 'content-type': type = '' } = headers
  const names = Object.keys(expected.headers ?? {})
  return {
    method,
    url: normalizeUrl(url),
    headers: Object.fromEntries(names.map((name) => [name, headers[name]])),
    ...(body.length > 0 && {
      type: type.replace(/;\s*boundary=.*/, ''),
      body: describeBody(type, body, expected.body),
    }),
  }
}

/** Mono writes apostrophes and colons as they are. */
export function normalizeUrl(url: string): string {
  return url.replaceAll("'", '%27').replaceAll(':', '%3A')
}

function describeBody(type: string, body: Buffer, expected: unknown): unknown {
  const text = body.toString()
  if (type.startsWith('multipart/')) return readParts(text, /boundary="?([^";]+)/.exec(type)![1]!)
  if (!Array.isArray(expected)) return text
  const order = new Map([...new Set(expected.map(([name]) => name as string))].map((name, index) => [name, index]))
  // Go sorts the names of a form.
  return [...new URLSearchParams(text)].toSorted(([a], [b]) => (order.get(a) ?? -1) - (order.get(b) ?? -1))
}

/** The parts of `multipart/...` with their headers besides Content-Disposition. */
function readParts(text: string, boundary: string): Part[] {
  const [, ...parts] = `\r\n${text}`.split(`\r\n--${boundary}`)
  return parts.slice(0, -1).map((part) => {
    const end = part.indexOf('\r\n\r\n')
    const lines = part.slice(2, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const { 'content-disposition': disposition = '', ...others } = headers
    const [, file] = /filename="([^"]*)"/.exec(disposition) ?? []
    return {
      name: /[^e]name="([^"]*)"/.exec(disposition)![1]!,
      content: part.slice(end + 4),
      ...(file !== undefined && { file }),
      ...(Object.keys(others).length > 0 && { headers: others }),
    }
  })
}
