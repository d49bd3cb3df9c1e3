import { ServerResponse, type IncomingMessage } from 'node:http'
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

/** Node's own methods of a response, or the functions that have replaced them for all responses. */
const NODE = ServerResponse.prototype

/** Shared caches do not store answers to `Authorization` (RFC 9111 3.5), but they do not know the headers of keys. */
export function createCacheProtection(keyHeaders: string): (res: ServerResponse) => void {
  return function forbidSharedCaching(res) {
    const { setHeader } = res
    // With Node 20 and 22 every response in Express has hidden classes of its own, so that V8 searches all of its prototypes
    // for each method. A host that replaces getHeader or hasHeader also replaces setHeader.
    const { getHeader, hasHeader } = setHeader === NODE.setHeader ? NODE : res
    const vary = getHeader.call(res, 'Vary')
    setHeader.call(res, 'Vary', vary === undefined ? keyHeaders : `${String(vary)}, ${keyHeaders}`)
    if (!hasHeader.call(res, 'Cache-Control')) setHeader.call(res, 'Cache-Control', 'private')
  }
}
