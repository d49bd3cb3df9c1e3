import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasDuplicateHeader, readHeader } from '../http/request.js'

/** Reads the key from the one header of a request that has it; false if there are two. */
export function createKeyHeaderReader(
  keyHeaders: readonly string[],
): (req: Pick<IncomingMessage, 'headers' | 'rawHeaders'>) => string | false | undefined {
  const [name = '', otherName] = keyHeaders.map((header) => header.toLowerCase())

  return function readKeyHeader(req) {
    if (hasDuplicateHeader(req, name)) return false
    let apiKey = readHeader(req, name)
    if (otherName !== undefined) {
      const other = readHeader(req, otherName)
      if (other !== undefined && (apiKey !== undefined || hasDuplicateHeader(req, otherName))) return false
      apiKey ??= other
    }
    return typeof apiKey === 'string' && apiKey !== '' ? apiKey : undefined
  }
}

/** Shared caches do not store answers to `Authorization` (RFC 9111 3.5), but they do not know the headers of keys. */
export function createCacheProtection(keyHeaders: string): (res: ServerResponse) => void {
  return function forbidSharedCaching(res) {
    const vary = res.getHeader('Vary')
    res.setHeader('Vary', vary === undefined ? keyHeaders : `${String(vary)}, ${keyHeaders}`)
    if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'private')
  }
}
