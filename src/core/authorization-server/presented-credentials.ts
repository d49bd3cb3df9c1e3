import type { IncomingMessage } from 'node:http'
import { OAuthError } from '../../shared/contracts/denial.js'
import { isBasic, isEmptyBasic, listReadings, readBasic, type ClientCredentials } from '../http/basic.js'
import type { Form } from '../http/form.js'
import { hasDuplicateHeader, readHeader } from '../../shared/lib/request.js'

/** The credentials that the client presents, in each reading; the literal one comes first. Empty if there are none. */
export function readPresentedCredentials(req: IncomingMessage, form: Form): readonly ClientCredentials[] {
  const authorization = readHeader(req, 'authorization')
  const id = form.get('client_id')
  const secret = form.get('client_secret')
  if (hasDuplicateHeader(req, 'authorization'))
    throw new OAuthError('invalid_request', 'There are two Authorization headers')
  if (!isBasic(authorization) || (secret !== undefined && isEmptyBasic(authorization)))
    return id !== undefined && secret !== undefined ? listReadings({ id, secret }) : []

  // RFC 6749 2.3: a client must not use more than one authentication method in a request.
  if (secret !== undefined)
    throw new OAuthError(
      'invalid_request',
      'Client credentials came in the Authorization header (Basic) and in the body; send them once, and no other Basic header',
    )
  const readings = readBasic(authorization)
  if (!readings)
    throw new OAuthError('invalid_request', "The Basic credentials in the Authorization header can't be decoded")
  if (id !== undefined && !readings.some((reading) => reading.id === id || reading.id === id.trim())) {
    throw new OAuthError('invalid_request', 'The client_id in the body is not the one in the Authorization header')
  }
  return readings
}
