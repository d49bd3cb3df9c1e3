import type { IncomingMessage } from 'node:http'
import { OAuthError } from '../../shared/contracts/denial.js'
import { readHeader } from '../../shared/lib/request.js'

/** Cross-site request forgery. Browsers send one of the two headers with every POST: without both it is refused. */
export function refuseOtherOrigins(req: IncomingMessage, origin: string): void {
  const site = readHeader(req, 'sec-fetch-site')
  // The browser compares, so that a proxy that changes the host does not matter.
  const isSame = site === undefined ? readHeader(req, 'origin') === origin : site === 'same-origin'
  if (!isSame) throw createRefusal()
}

/** Lets programs pass, which send neither header. Without `origin` only `Sec-Fetch-Site` is asked. */
export function refuseCrossSiteForm(req: IncomingMessage, origin: string | undefined): void {
  const site = readHeader(req, 'sec-fetch-site')
  const sent = readHeader(req, 'origin')
  const isOther = site === undefined ? sent !== undefined && origin !== undefined && sent !== origin : !OWN.has(site)
  if (isOther) throw createRefusal()
}

/** For pages whose address the host has not said. A form with neither `Sec-Fetch-Site` nor `Origin` is of another. */
export function isFormOfHost(req: IncomingMessage): boolean {
  const site = readHeader(req, 'sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  // A page of another site cannot set the header that names the host where a proxy has replaced it.
  const hosts = [readHeader(req, 'host'), readHeader(req, 'x-forwarded-host')].flatMap((each) =>
    String(each ?? '').split(/\s*,\s*/),
  )
  const sentBy = URL.parse(readHeader(req, 'origin') ?? '')?.host
  return Boolean(sentBy) && hosts.includes(sentBy!)
}

/** `none`: the user has sent it, not a page. */
const OWN: ReadonlySet<unknown> = new Set(['same-origin', 'none'])

function createRefusal(): OAuthError {
  return new OAuthError('access_denied', 'This form was not sent from a page of this site')
}
