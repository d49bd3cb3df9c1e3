import type { CreateClaims } from '../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { copyJson } from '../../shared/lib/plain-json.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../../shared/lib/timeout.js'
import { stringifyClaims } from '../tokens/custom-claims.js'

/**
 * The JSON text of the claims that the host adds to an application's access tokens; undefined if there are none. Rejects with
 * an error that is answered with 500 `server_error`, whatever the host's function throws: its cause is logged.
 */
export async function readCustomClaims(
  api: string,
  createClaims: CreateClaims,
  { id, name, externalId, metadata }: ApplicationRecord,
): Promise<string | undefined> {
  const option = `apis.${api}.claims`
  try {
    // The host gets a copy: changes that it makes must not reach the cached record.
    const claims = (async () => createClaims({ id, name, externalId, metadata: copyJson(metadata) }))()
    return stringifyClaims(option, await withTimeout(claims, CALL_TIMEOUT_MS, () => createTimeoutError(option)))
  } catch (error) {
    throw new Error(`${option} failed for application ${id}.`, { cause: error })
  }
}

function createTimeoutError(option: string): Error {
  return new Error(`${option} did not answer within ${CALL_TIMEOUT_MS / 1000} seconds.`)
}
