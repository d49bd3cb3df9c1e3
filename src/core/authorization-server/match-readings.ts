import type { IncomingMessage } from 'node:http'
import type { ApplicationCache } from '../applications/records/application-cache.js'
import { isApplicationId } from '../../shared/lib/application-id.js'
import { isLive, type Credentials } from '../applications/credentials/credentials.js'
import type { ImportedCredentials } from '../../shared/contracts/imports.js'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import { NoTurnError } from '../../shared/contracts/errors.js'
import type { ClientCredentials } from '../http/client-credentials.js'
import { readClientAddress } from '../../shared/lib/request.js'

/** The application whose id or key was presented, whatever its status. */
export interface FoundClient {
  readonly application: ApplicationRecord
  /** The identifier that the client presented, for events: its public id, or the first characters of its key. */
  readonly client: string
  /** The hash of the key that was presented; undefined if it was the application's id. */
  readonly hash?: string
  readonly expiredKey?: CredentialRecord | undefined
}

export interface ComparedReading {
  readonly id: string
  readonly secret: string
  readonly found: FoundClient | undefined
  matched: CredentialRecord | undefined
}

/** Finds the clients that the readings of a request name, and compares the secrets, up to the first reading that passes. */
export function createReadingMatcher(options: {
  readonly applicationCache: ApplicationCache
  readonly credentials: () => Credentials
  readonly importedCredentials: Omit<ImportedCredentials, 'listKeyHashes' | 'adoptKey'> | undefined
  readonly now: () => number
  /** Called for readings whose slow hashes were not computed in time. */
  readonly onNoTurn: (
    readings: number,
    req: IncomingMessage,
    client: { readonly client: string; readonly applicationId: string },
  ) => Promise<void>
}) {
  const { applicationCache, credentials, importedCredentials, now, onNoTurn } = options
  /** Slow hashes are computed only where no quick comparison decides. */
  async function matchReadings(readings: readonly ClientCredentials[], req: IncomingMessage) {
    const compared: ComparedReading[] = []
    for (const { id, secret } of readings) {
      const found = await findClient(id, req)
      const application = found?.application
      // The secret of an unknown client is compared too, so that the time taken does not show which clients exist.
      const matched =
        credentials().match(secret, application?.secrets ?? [], now()) ??
        importedCredentials?.matchDigest(secret, application)
      compared.push({ id, secret, found, matched })
      if (mayPass(compared.at(-1)!)) break
    }
    await matchSlowHashes(compared, req)
    return compared
  }

  /** All readings for one application wait for one turn. An earlier reading counts before a later one of another application. */
  async function matchSlowHashes(compared: readonly ComparedReading[], req: IncomingMessage): Promise<void> {
    const passing = compared.find(mayPass)?.found?.application.id
    const open = compared.filter(({ found, matched }) => found && !matched && found.application.id !== passing)
    for (const id of new Set(open.map(({ found }) => found!.application.id))) {
      const ofApplication = open.filter(({ found }) => found!.application.id === id)
      const secrets = [...new Set(ofApplication.map(({ secret }) => secret))]
      const match = await matchSlowHash(secrets, ofApplication[0]!.found!, req)
      for (const each of ofApplication) if (each.secret === match?.secret) each.matched = match.record
    }
  }

  /** Readings that waited in vain count as failures: an address that floods an application never gets another answer. */
  async function matchSlowHash(secrets: readonly string[], { application, client }: FoundClient, req: IncomingMessage) {
    if (!importedCredentials?.hasSlowHash(application)) return undefined
    try {
      return await importedCredentials.matchSlowHash(secrets, application, readClientAddress(req))
    } catch (error) {
      if (error instanceof NoTurnError) await onNoTurn(secrets.length, req, { client, applicationId: application.id })
      throw error
    }
  }

  /** The application with that public id, whatever its status. An application without credentials counts as unknown. */
  async function findById(id: string, req: IncomingMessage): Promise<FoundClient | undefined> {
    const application = await applicationCache.findById(id, req)
    return application && application.keys.length + application.secrets.length > 0
      ? { application, client: id }
      : undefined
  }

  async function findByKey(presented: string, req: IncomingMessage): Promise<FoundClient | undefined> {
    const hash = credentials().hashKey(presented)
    if (hash === undefined) return undefined
    const application = await applicationCache.findByKeyHash(hash, presented, req)
    const key = application?.keys.find((record) => record.hash === hash)
    if (!application || !key) return undefined
    return { application, hash, client: key.prefix, expiredKey: isLive(key, now()) ? undefined : key }
  }

  function findClient(id: string, req: IncomingMessage): Promise<FoundClient | undefined> {
    return isApplicationId(id) ? findById(id, req) : findByKey(id, req)
  }

  return { matchReadings, findClient }
}

export function mayPass({ found, matched }: Pick<ComparedReading, 'found' | 'matched'>): boolean {
  return matched !== undefined && !found?.expiredKey && MAY_AUTHENTICATE.includes(found!.application.status)
}

/** The right secret of a pending application proves that its e-mail has arrived. */
const MAY_AUTHENTICATE: readonly ApplicationRecord['status'][] = ['active', 'pending']
