import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { OnceRequest } from '../../core/applications/records/application-writer.js'
import type { PlatformParts } from '../../core/platform/core-auth.js'
import type { CoreAuth } from '../../index.js'
import { readHeader } from '../../shared/lib/request.js'
import type { Operation } from '../operations/operation.js'
import { Problem } from './problem.js'

/** What a request with a key that was used before has made then. */
export interface Made {
  readonly repeated: true
  readonly applicationId: string
  readonly credentialId?: string
}

/** A request with `Idempotency-Key`. */
export interface Once extends OnceRequest {
  /** Finds what an earlier request with the key has made; throws if that one had another input. */
  find(applicationId: string | undefined): Promise<Made | undefined>
}

/** Whether an operation takes `Idempotency-Key`. */
export function isRepeatable({ creates, name }: Operation): boolean {
  return creates && name.startsWith('applications.')
}

const REMEMBERED_MS = 25 * 3600 * 1000

interface OnceOptions {
  readonly auth: Pick<CoreAuth, 'audit'>
  readonly parts: Pick<PlatformParts['management'], 'findApplication'>
  readonly operation: Operation
  readonly input: object
  /** The application that calls. */
  readonly callerId: string
}

/**
 * Reads `Idempotency-Key`. There is no record of it beside what it made: an application's id is derived from the key, so that the store
 * refuses a second one; the audit record of a credential names the key, and is saved with it on the version that was read. So nothing can be
 * made without being remembered, whatever ends in between.
 */
export function readOnce(
  req: IncomingMessage,
  { auth, parts, operation, input, callerId }: OnceOptions,
): Once | undefined {
  const key = readHeader(req, 'idempotency-key')
  if (key === undefined || !operation.creates) return undefined
  if (!isRepeatable(operation)) throw new Problem('invalid_request', 'This operation takes no Idempotency-Key.')
  if (typeof key !== 'string' || !/^[\x21-\x7E]{1,255}$/.test(key))
    throw new Problem('invalid_request', 'An Idempotency-Key is 1 to 255 visible ASCII characters, such as a UUID.')
  const digest = hash(callerId, operation.name, key)
  const id = `${digest}.${hash(JSON.stringify(input))}`

  function toMade(request: unknown, made: Omit<Made, 'repeated'>): Made {
    if (request === undefined || request === id) return { repeated: true, ...made }
    throw new Problem('idempotency_key_reused', 'The Idempotency-Key was used for a request with another input.')
  }

  async function findChange(applicationId: string): Promise<Made | undefined> {
    const from = new Date(Date.now() - REMEMBERED_MS)
    for (let after: string | undefined; ;) {
      const { items, next } = await auth.audit.list({ applicationId, from, order: 'newest', limit: 1000, after })
      for (const { details } of items) {
        const { request, credentialId, deliver } = details as Readonly<Record<string, string | undefined>>
        if (request?.startsWith(`${digest}.`) !== true) continue
        return toMade(request, {
          applicationId,
          ...(credentialId !== undefined && deliver === undefined && { credentialId }),
        })
      }
      if (next === undefined) return undefined
      after = next
    }
  }

  const applicationId = `app_${createHash('sha256').update(`application ${digest}`).digest('hex').slice(0, 32)}`
  return {
    id,
    applicationId,
    async find(given) {
      if (given !== undefined) return findChange(given)
      if (!(await parts.findApplication(applicationId))) return undefined
      const { items } = await auth.audit.list({ applicationId, limit: 1 })
      return toMade(items[0]?.details['request'], { applicationId })
    },
  }
}

function hash(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}
