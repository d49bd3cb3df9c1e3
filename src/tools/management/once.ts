import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { OnceRequest } from '../../core/applications/records/application-writer.js'
import type { CoreAuth } from '../../index.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { ownMembers, readPages } from '../../shared/lib/own-members.js'
import { readHeader } from '../../shared/lib/request.js'
import type { Operation } from '../operations/operation.js'
import { Problem } from './problem.js'

/** What a request with a key that was used before has made then. */
export interface Made {
  readonly repeated: true
  readonly applicationId?: string
  readonly credentialId?: string
  readonly kid?: string
}

export interface Once extends OnceRequest {
  find(applicationId: string | undefined): Promise<Made | undefined>
  check(): Promise<void>
}

export class Repeat extends Error {
  readonly made: Made

  constructor(made: Made) {
    super('The request was made before.')
    this.made = made
  }
}

const REMEMBERED_MS = 25 * 3600 * 1000

export type FindApplication = (id: string) => Promise<ApplicationRecord | undefined>

/**
 * Reads `Idempotency-Key`. There is no record of it beside what it made: an application's id is derived from the key, so that the store
 * refuses a second one; the audit record of a credential or of a signing key names the key, and is saved with it on the version that was read. So nothing can be
 * made without being remembered, whatever ends in between.
 */
export function readOnce(
  req: IncomingMessage,
  options: {
    readonly auth: Pick<CoreAuth, 'audit'>
    readonly findApplication: FindApplication
    readonly operation: Operation
    readonly input: object
    readonly callerId: string
  },
): Once | undefined {
  const { auth, findApplication, operation, input, callerId } = options
  const key = readHeader(req, 'idempotency-key')
  // A repeat of what makes nothing leaves it as it is.
  if (key === undefined || !operation.creates) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7E]{1,255}$/.test(key))
    throw new Problem('invalid_request', 'An Idempotency-Key is 1 to 255 visible ASCII characters, such as a UUID.')
  const digest = hash(callerId, operation.name, key)
  const id = `${digest}.${hash(toText(input))}`

  function toMade(request: unknown, made: Omit<Made, 'repeated'>): Made {
    if (request === undefined || request === id) return { repeated: true, ...made }
    throw new Problem('idempotency_key_reused', 'The Idempotency-Key was used for a request with another input.')
  }

  async function findChange(query: { readonly applicationId?: string; readonly type?: 'signingKey.rotated' }) {
    const from = new Date(Date.now() - REMEMBERED_MS)
    const pages = readPages((after) => auth.audit.list({ ...query, from, order: 'newest', limit: 1000, after }))
    for await (const items of pages)
      for (const { details, applicationId } of items) {
        const { request, credentialId, deliver, kid } = ownMembers(
          details as Readonly<Record<string, string | undefined>>,
        )
        if (request?.startsWith(`${digest}.`) !== true) continue
        return toMade(request, {
          ...(applicationId !== undefined && { applicationId }),
          ...(credentialId !== undefined && deliver === undefined && { credentialId }),
          ...(kid !== undefined && { kid }),
        })
      }
    return undefined
  }

  const applicationId = `app_${createHash('sha256').update(`application ${digest}`).digest('hex').slice(0, 32)}`
  const findKey = (): Promise<Made | undefined> => findChange({ type: 'signingKey.rotated' })
  return {
    id,
    applicationId,
    async find(given) {
      if (given !== undefined) return findChange({ applicationId: given })
      if (operation.changes === 'signingKeys') return findKey()
      if (!(await findApplication(applicationId))) return undefined
      const { items } = await auth.audit.list({ applicationId, limit: 1 })
      return toMade(ownMembers(items[0]?.details ?? {})['request'], { applicationId })
    },
    async check() {
      const made = await findKey()
      if (made) throw new Repeat(made)
    },
  }
}

function hash(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}

function toText(input: object): string {
  try {
    return JSON.stringify(input)
  } catch {
    throw new Problem('invalid_argument', 'The input is nested too deeply.')
  }
}
