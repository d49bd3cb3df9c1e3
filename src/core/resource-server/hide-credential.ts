import type { IncomingMessage } from 'node:http'
import { readKeyPrefix } from '../applications/credentials/credentials.js'
import { isApplicationId } from '../../shared/lib/application-id.js'
import { isBasic, readBasic } from '../http/client-credentials.js'
import { holdsKeyOrSecret } from '../../shared/lib/credential-text.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { IsOfOtherIssuer } from './other-issuers.js'
import { findBearer } from '../http/bearer.js'
import { notePresentedHeaders } from '../http/origin.js'
import { hasDuplicateHeader, readHeader } from '../../shared/lib/request.js'
import { createKeyHeaderReader, isNoToken, readAuthorizationKey } from './key-headers.js'

/** Nothing behind the guard sees the token; further guards and `authOf()` still know the caller. */
export function hideToken(req: IncomingMessage): void {
  if (hasDuplicateHeader(req, 'authorization') || findBearer(readHeader(req, 'authorization')) !== undefined)
    hideHeaders(req, ['authorization'])
}

const HIDDEN_CLIENTS = new WeakMap<IncomingMessage, string | undefined>()

export function createKeyHiding(keyHeaders: readonly string[]) {
  const readKeyHeader = createKeyHeaderReader(keyHeaders)
  const names = keyHeaders.map((name) => name.toLowerCase())

  /** The first characters of a request's key for events, also after it was removed. */
  function readKeyClient(req: IncomingMessage): string | undefined {
    const key = readKeyHeader(req)
    return key ? readKeyPrefix(key) : HIDDEN_CLIENTS.get(req)
  }

  function hasKey(req: IncomingMessage, name: string): boolean {
    if (name !== 'authorization' || hasDuplicateHeader(req, name)) return true
    return readAuthorizationKey(readHeader(req, name), isNoToken) !== undefined
  }

  return {
    readKeyClient,
    hideKey(req: IncomingMessage): void {
      HIDDEN_CLIENTS.set(req, readKeyClient(req))
      const hidden = names.filter((name) => hasKey(req, name))
      hideHeaders(req, hidden)
    },
  }
}

/** Removes each of the headers that has a credential of this platform, of whatever kind, although the guard reads another kind there. */
export function createOwnCredentialHiding(options: {
  readonly isOfOtherIssuer: IsOfOtherIssuer
  /** Whether it is a key of an application. Rejects if the store cannot answer. */
  readonly isKnownKey: (text: string, req: IncomingMessage) => MaybePromise<boolean>
}) {
  const { isOfOtherIssuer, isKnownKey } = options
  function isOwnByForm(text: string): boolean {
    return holdsKeyOrSecret(text) || (!isNoToken(text) && !isOfOtherIssuer(text))
  }

  /** Before the platform is ready, no key can be checked. */
  function checkSafely(text: string, req: IncomingMessage): MaybePromise<boolean> {
    try {
      return isKnownKey(text, req)
    } catch {
      return true
    }
  }

  return function hideOwnCredentials(headers: readonly string[], req: IncomingMessage): MaybePromise<void> {
    const unknown: Promise<void>[] = []
    for (const name of headers.map((header) => header.toLowerCase())) {
      const texts = listTexts(readHeader(req, name))
      if (texts.some((text) => isApplicationId(text) || isOwnByForm(text))) {
        hideHeaders(req, [name])
        continue
      }
      for (const text of texts.slice(0, MAX_LOOKED_UP)) {
        const isKnown = checkSafely(text, req)
        if (isKnown === true) hideHeaders(req, [name])
        // What cannot be checked may be a good one.
        else if (isKnown !== false)
          unknown.push(
            isKnown.then(
              (found) => (found ? hideHeaders(req, [name]) : undefined),
              () => hideHeaders(req, [name]),
            ),
          )
      }
    }
    return unknown.length > 0 ? Promise.all(unknown).then(() => undefined) : undefined
  }
}

/** A header of many words costs no more look-ups. */
const MAX_LOOKED_UP = 10

/** The words of a header, and what Basic has in each reading. */
function listTexts(value: string | string[] | undefined): readonly string[] {
  if (typeof value !== 'string' || value === '') return []
  const pairs = isBasic(value) ? (readBasic(value) ?? []) : []
  const texts = [...pairs.flatMap(({ id, secret }) => [id, secret]), ...value.split(/[\s,;]+/)]
  return [...new Set(texts)].filter((text) => text !== '')
}

function hideHeaders(req: IncomingMessage, names: readonly string[]): void {
  // Request ids in later events are compared with what was presented.
  notePresentedHeaders(req, names)
  // Node makes both of the raw headers when they are first read, and would read behind their end later.
  const { headers = {}, headersDistinct = {}, rawHeaders = [] } = req as Partial<IncomingMessage>
  for (const name of names) for (const each of [headers, headersDistinct]) Reflect.deleteProperty(each, name)
  if (!Object.isSealed(rawHeaders))
    for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
      if (names.includes(rawHeaders[at]!.toLowerCase())) rawHeaders.splice(at, 2)
  refuseKept(req, names)
}

/** A host may have replaced what it reads headers by: then the credential would stay for what is behind. */
function refuseKept({ headers, headersDistinct, rawHeaders }: Partial<IncomingMessage>, names: readonly string[]) {
  const isKept = (name: string): boolean =>
    [headers, headersDistinct].some((each) => each && Object.hasOwn(each, name)) ||
    rawHeaders?.some((text, at) => at % 2 === 0 && text.toLowerCase() === name) === true
  const kept = names.find(isKept)
  if (kept !== undefined)
    throw new ConfigurationError({
      option: 'hideCredential',
      problem: `could not remove the header ${kept}: the host has frozen the request's headers, or made each reading of them a copy`,
      fix: 'Copy the headers instead, and leave those of the request to the guard.',
    })
}
