import type { IncomingMessage } from 'node:http'
import { readKeyPrefix } from '../applications/credentials/credentials.js'
import { findBearer } from '../http/bearer.js'
import { notePresentedHeaders } from '../http/origin.js'
import { hasDuplicateHeader, readHeader } from '../http/request.js'
import { createKeyHeaderReader, isNoToken, readAuthorizationKey } from './key-headers.js'

/**
 * Removes the access token from a request, so that nothing behind the guard sees it. What identifies the caller is not in the
 * request: a further guard and `authOf()` still know it. A header of another scheme than Bearer is not the API's.
 */
export function hideToken(req: IncomingMessage): void {
  if (isTwice(req) || findBearer(readHeader(req, 'authorization')) !== undefined) hideHeaders(req, ['authorization'])
}

interface KeyHiding {
  /** Removes the key from a request. */
  readonly hideKey: (req: IncomingMessage) => void
  /** The first characters of a request's key for events, also after it was removed. */
  readonly readKeyClient: (req: IncomingMessage) => string | undefined
}

const HIDDEN_CLIENTS = new WeakMap<IncomingMessage, string | undefined>()

export function createKeyHiding(keyHeaders: readonly string[]): KeyHiding {
  const readKeyHeader = createKeyHeaderReader(keyHeaders)
  const names = keyHeaders.map((name) => name.toLowerCase())

  function readKeyClient(req: IncomingMessage): string | undefined {
    const key = readKeyHeader(req)
    return key ? readKeyPrefix(key) : HIDDEN_CLIENTS.get(req)
  }

  function hasKey(req: IncomingMessage, name: string): boolean {
    if (name !== 'authorization' || isTwice(req)) return true
    return readAuthorizationKey(readHeader(req, name), isNoToken) !== undefined
  }

  return {
    readKeyClient,
    hideKey(req) {
      HIDDEN_CLIENTS.set(req, readKeyClient(req))
      const hidden = names.filter((name) => hasKey(req, name))
      hideHeaders(req, hidden)
    },
  }
}

function isTwice(req: IncomingMessage): boolean {
  return hasDuplicateHeader(req, 'authorization')
}

function hideHeaders(req: IncomingMessage, names: readonly string[]): void {
  // Request ids in later events are compared with what was presented.
  notePresentedHeaders(req, names)
  // Node makes both of the raw headers when they are first read, and would read behind their end later.
  const { headers = {}, headersDistinct = {}, rawHeaders = [] } = req as Partial<IncomingMessage>
  for (const name of names) {
    delete headers[name]
    delete headersDistinct[name]
  }
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
    if (names.includes(rawHeaders[at]!.toLowerCase())) rawHeaders.splice(at, 2)
}
