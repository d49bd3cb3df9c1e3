import { ServerResponse, type IncomingMessage } from 'node:http'
import { isWellFormedKey } from '../applications/credentials/credentials.js'
import { isBasic, readBasic } from '../http/client-credentials.js'
import { hasDuplicateHeader, readHeader } from '../../shared/lib/request.js'
import { DUPLICATE_CREDENTIAL, NO_CREDENTIAL } from './guard-config.js'

/** The key of a request, or the reason why there is none. */
export function createKeyCredentialReader(keyHeaders: readonly string[], isKey = isNoToken) {
  const readKeyHeader = createKeyHeaderReader(keyHeaders, isKey)
  return function readKeyCredential(req: IncomingMessage) {
    const apiKey = readKeyHeader(req)
    return apiKey === false ? DUPLICATE_CREDENTIAL : (apiKey ?? NO_CREDENTIAL)
  }
}

/** Reads the key from the one header of a request that has it; false if there are two keys, or two lines of a header. */
export function createKeyHeaderReader(keyHeaders: readonly string[], isKey = isNoToken) {
  const [name = '', otherName] = keyHeaders.map((header) => header.toLowerCase())
  const readOther: (req: Pick<IncomingMessage, 'headers'>) => string | string[] | undefined =
    otherName === 'authorization'
      ? ({ headers }) => readAuthorizationKey(readHeader({ headers }, 'authorization'), isKey)
      : (req) => readHeader(req, otherName!)

  return function readKeyHeader(req: Pick<IncomingMessage, 'headers' | 'rawHeaders'>) {
    if (hasDuplicateHeader(req, name)) return false
    let apiKey = readHeader(req, name)
    if (otherName !== undefined) {
      const other = readOther(req)
      // The same key in both is one credential: clients with a default header send it so.
      const isOther = other !== undefined && apiKey !== undefined && (other !== apiKey || other === '')
      if (isOther || hasDuplicateHeader(req, otherName)) return false
      apiKey ??= other
    }
    return typeof apiKey === 'string' && apiKey !== '' ? apiKey : undefined
  }
}

/** Behind `Bearer`, if `isKey` says so, or the user of Basic without a password. Undefined for what is another's. */
export function readAuthorizationKey(authorization: string | undefined, isKey: (text: string) => boolean) {
  if (isBasic(authorization)) {
    const readings = readBasic(authorization)?.filter(({ id, secret }) => id !== '' && secret === '') ?? []
    return (readings.find(({ id }) => isWellFormedKey(id)) ?? readings[0])?.id
  }
  const text = authorization && BEARER_TEXT.exec(authorization)?.[1]
  return text && isKey(text) ? text : undefined
}

const BEARER_TEXT = /^bearer[ \t]+([\x21-\x7E]+)$/i
/** The form of a JWT (RFC 7515 7.1, RFC 7516 7.1): base64url with two dots or more, which begins with an encoded `{`. */
const TOKEN_FORM = /^e[w-z0-3][A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.[A-Za-z0-9_.-]*$/

/** Whether a text is no access token. An imported key may have the form of one, and is then refused here. */
export function isNoToken(text: string): boolean {
  return !TOKEN_FORM.test(text)
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
