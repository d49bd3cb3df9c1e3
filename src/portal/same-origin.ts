import type { IncomingMessage } from 'node:http'
import { OAuthError } from '../contracts/denial.js'
import { readHeader } from '../http/request.js'

/**
 * Throws for a form that a page of another origin has sent (cross-site request forgery). Browsers send `Sec-Fetch-Site` to
 * trustworthy origins (https and loopback), and `Origin` with every POST; a request with neither is refused.
 */
export function refuseOtherOrigins(req: IncomingMessage, origin: string): void {
  const site = readHeader(req, 'sec-fetch-site')
  // The browser compares, so that a proxy that changes the host does not matter.
  const isSame = site === undefined ? readHeader(req, 'origin') === origin : site === 'same-origin'
  if (!isSame) throw new OAuthError('access_denied', 'This form was not sent from a page of this site')
}
