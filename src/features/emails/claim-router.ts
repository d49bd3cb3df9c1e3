import type { IncomingMessage, ServerResponse } from 'node:http'
import { OAuthError } from '../../shared/contracts/denial.js'
import { readJson } from '../../core/http/json-body.js'
import type { Endpoint, Middleware } from '../../core/http/middleware.js'
import { notePresentedSecrets, readOrigin } from '../../core/http/origin.js'
import { formatFailureKey, readClientAddress, readHeader } from '../../shared/lib/request.js'
import { sendDenial, sendJson, sendPage } from '../../core/http/respond.js'
import { createRouter, logDenial } from '../../core/http/endpoints.js'
import { refuseCrossSiteForm } from '../../core/http/same-origin.js'
import { choosePageLanguage } from '../../shared/web/page-language.js'
import type { PageLinks } from '../../shared/web/public-page.js'
import type { ClaimCredentials, ClaimedCredentials } from './claim-link.js'
import { CLAIM_SECURITY_POLICY, renderClaimed, renderClaimPage } from './claim-page.js'
import type { Core } from '../../feature.js'

/** `auth.emails.router`: shows the credentials of a claim link, once. */
export function createClaimRouter(
  options: Pick<Core, 'limitFailures' | 'limitChanges' | 'available' | 'paceStarts' | 'logRefusal'> & {
    readonly claim: ClaimCredentials
    readonly links: PageLinks
  },
): Middleware {
  const { claim, links, limitFailures, limitChanges, available, paceStarts, logRefusal } = options
  const { brand, developersUrl } = links
  const origin = developersUrl === undefined ? undefined : new URL(developersUrl).origin
  const policy = brand.extendPolicy(CLAIM_SECURITY_POLICY)
  const routes = new Map<string, Endpoint>([
    ['GET /claim', (req, res) => sendPage(req, res, 200, renderClaimPage(links, choosePageLanguage(req, res)), policy)],
    ['POST /claim', paceStarts(claimCredentials)],
  ])

  async function claimCredentials(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { token } = await readJson(req)
    if (typeof token !== 'string' || token === '') throw new OAuthError('invalid_request', 'The link is not complete')
    notePresentedSecrets(req, [token])
    await available()
    const claimed = await limitChanges(readClientAddress(req), () => claim(token, readOrigin(req)))
    if (!claimed) {
      // Bad links are counted after the look-up: a valid one always works, whatever else its address sends.
      await limitFailures?.(formatFailureKey(req, undefined))
      throw new OAuthError('invalid_request', 'The link has been used, has expired, or was replaced by a newer e-mail')
    }
    res.appendHeader('Vary', 'Accept')
    if (!acceptsHtml(req)) return sendJson(res, 200, toClaimDocument(claimed), { 'Cache-Control': 'no-store' })
    const language = choosePageLanguage(req, res, claimed.application.language)
    sendPage(req, res, 200, renderClaimed(claimed, developersUrl, language), policy)
  }

  return createRouter({
    find: (method, path) => routes.get(`${method} ${path}`),
    checkPost: (req) => refuseCrossSiteForm(req, origin),
    refuse: (_endpoint, error, req, res) => sendDenial(req, res, logDenial(logRefusal, 'claim link', error)),
  })
}

/** The page's own script asks for the part of the page that shows the credentials; programs get JSON. */
function acceptsHtml(req: IncomingMessage): boolean {
  return readHeader(req, 'accept') === 'text/html'
}

function toClaimDocument({ application, credentials, expiresAt }: ClaimedCredentials): object {
  return {
    application: application.name,
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    // Not `client_secret_expires_at`: that is a number of seconds (RFC 7591 3.2.1).
    key_expires_at: expiresAt.clientId,
    secret_expires_at: expiresAt.clientSecret,
  }
}
