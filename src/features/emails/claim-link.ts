import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomBytes } from 'node:crypto'
import { type ClaimedCredentials, CLAIM_SECURITY_POLICY, renderClaimed, renderClaimPage } from './claim-page.js'
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
import type { Core } from '../../feature.js'
import { isFull, replaceCredential } from '../../core/applications/credentials/credential-lists.js'
import { createRegisteredKeySet } from '../../core/applications/credentials/key-sets.js'
import { mintCredentials, type Credentials } from '../../core/applications/credentials/credentials.js'
import { describeCredential } from '../../core/applications/credentials/named-credentials.js'
import { findDelivered, isDelivery, isFirstDelivery } from '../../core/applications/queue/queued-emails.js'
import type { Api } from '../../shared/contracts/api.js'
import type { RequestOrigin } from '../../shared/contracts/events.js'
import type { CredentialRecord } from '../../shared/contracts/application-record.js'
import { listSavedEnds, listUsableAt } from './content.js'

export function createClaimRouter(core: Core, claim: ReturnType<typeof createClaim>, links: PageLinks): Middleware {
  const { limitFailures, limitChanges, available, paceStarts, logRefusal } = core
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
    // The page's own script asks for the part of the page that shows the credentials; programs get JSON.
    if (readHeader(req, 'accept') !== 'text/html')
      return sendJson(res, 200, toClaimDocument(claimed), { 'Cache-Control': 'no-store' })
    const language = choosePageLanguage(req, res, claimed.application.language)
    sendPage(req, res, 200, renderClaimed(claimed, links, language), policy)
  }

  return createRouter({
    find: (method, path) => routes.get(`${method} ${path}`),
    checkPost: (req) => refuseCrossSiteForm(req, origin),
    refuse: (_endpoint, error, req, res) => sendDenial(req, res, logDenial(logRefusal, 'claim link', error)),
  })
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

/** Makes the credentials of a claim link and deletes the link, in one commit; undefined if the link is not valid. */
export function createClaim({ store, writer, opened, now }: Core, apis: ReadonlyMap<string, Api>) {
  async function findEmail(hash: string) {
    const email = await store.emails.findByClaimLink(hash)
    return email?.claimLinks.some((link) => link.hash === hash && link.expiresAt > now()) ? email : undefined
  }

  /** If there is no room for both, the former one ends at once: the new one is about to be shown. */
  function replace(records: readonly CredentialRecord[], added: CredentialRecord, overlap: number) {
    return replaceCredential(records, added, now(), isFull(records, now()) ? 0 : overlap)
  }

  return async function claim(token: string, origin: RequestOrigin | undefined) {
    const credentials = await opened()
    const hash = credentials.hash(token)
    const email = await findEmail(hash)
    if (!email) return undefined

    const type = isFirstDelivery(email) ? 'application.activated' : 'application.credentialRotated'
    const claimed = await writer.change(email.applicationId, { type, origin }, async (current) => {
      // The application is read again: another request with the same link may have been faster.
      const unclaimed = await findEmail(hash)
      if (!unclaimed || current.status === 'deleted' || current.status === 'suspended') return undefined
      const claimedAt = now()
      const delivered = findDelivered(current, unclaimed, { findLatestExpiry: writer.findLatestExpiry, now: claimedAt })
      if (!delivered) return undefined
      const { purpose, overlap } = unclaimed
      if (!isDelivery(purpose)) return undefined
      const { kind, terms } = delivered
      const keySet = createRegisteredKeySet(unclaimed, claimedAt, terms)
      const { key, secret } = mintCredentials(credentials, purpose, current, {
        apis,
        terms,
        hasKeySet: keySet !== undefined,
        now: claimedAt,
      })
      const added = secret?.record ?? keySet
      const replacing = purpose === 'registration' ? undefined : (key ?? secret)
      return {
        changed: {
          ...(current.status === 'pending' && { status: 'active' }),
          isUnconfirmed: false,
          ...(key && { keys: replace(current.keys, key.record, overlap) }),
          ...(added && { secrets: replace(current.secrets, added, overlap) }),
        },
        details: { claimed: true, ...(replacing && describeCredential(kind, replacing.record)) },
        emails: [{ remove: unclaimed }],
        result: {
          key,
          secret,
          provesKey: keySet !== undefined,
          usableAt: listUsableAt(purpose, terms.apis ?? current.apis, apis),
        },
      }
    })
    if (!claimed?.result) return undefined
    const { key, secret, provesKey, usableAt } = claimed.result
    return {
      provesKey,
      application: claimed.record,
      usableAt,
      credentials: { ...(key && { clientId: key.plain }), ...(secret && { clientSecret: secret.plain }) },
      expiresAt: listSavedEnds(claimed.record, claimed.result),
    }
  }
}

export function createClaimToken(credentials: Credentials): { plain: string; hash: string } {
  const plain = randomBytes(32).toString('base64url')
  return { plain, hash: credentials.hash(plain) }
}
