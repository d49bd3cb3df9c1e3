import { requireAccessToken, skip, type Check, type CheckContext, type CheckOutcome } from './check.js'
import { bearer, formCredentials, GRANT, postForm } from './drafts.js'
import type { Answer, RequestDraft } from './exchange.js'
import { ALLOWED, TOKEN } from './expectation.js'
import { repeat } from './instances.js'
import type { TemporaryApplication } from './temporary-applications.js'

const WITHIN_A_SECOND =
  'Instances learn of changes from the store: start every one on the same store. postgresStore needs a connection that LISTEN works on, not a pooler in transaction mode (listen: false otherwise). No cache may answer in front: nginx: no proxy_cache for guarded paths and /{api}/token, a CDN: obey Cache-Control.'
const EXPECTED = 'refused by every instance a second later'
const ACCEPTED_AGAIN = 'accepted by every instance a second later'

/** A change, and the request that every instance must refuse a second later. */
interface Change {
  readonly row: string
  readonly sends: string
  /** Prepared before the change. */
  readonly draft: (context: CheckContext) => RequestDraft | Promise<RequestDraft>
  readonly change: (context: CheckContext) => Promise<unknown>
}

/** Ends the caller's access tokens in each way, for each oauth2 API with a guarded route. */
export const TOKEN_REVOCATION_CHECKS: readonly Check[] = [
  refuses({
    row: 'I8',
    sends: 'revocation of an access token, then requests with it on new connections',
    draft: withToken,
    async change({ api, site }) {
      const token = await site.getAccessToken(api, site.caller)
      await site.send(postForm({ api }, 'revoke', [['token', token ?? ''], ...formCredentials(site.caller)]))
      site.forgetAccessTokens()
    },
  }),
  refuses({
    row: 'G7',
    sends: 'applications.revokeTokens(), then requests with an earlier access token on new connections',
    draft: withToken,
    async change({ site }) {
      await site.platform.applications.revokeTokens(site.caller.id, { by: site.by })
      site.forgetAccessTokens()
    },
  }),
  refuses({
    row: 'G7',
    sends: 'applications.disallow(), then requests with an access token on new connections',
    draft: withToken,
    change: ({ api, site }) => site.platform.applications.disallow(site.caller.id, api.name, { by: site.by }),
  }),
  accepts({
    row: 'G23',
    sends: 'applications.allow(), then requests with the same access token on new connections',
    draft: withToken,
    change: ({ api, site }) => site.platform.applications.allow(site.caller.id, api.name, { by: site.by }),
  }),
]

/** Replaces the caller's secret, for one oauth2 API. */
export const SECRET_REVOCATION_CHECKS: readonly Check[] = [
  refuses({
    row: 'T10',
    sends: 'a new secret without overlap, then token requests with the former one on new connections',
    draft: (context) => withSecret(context, { ...context.site.caller }),
    async change({ site }) {
      const { credentials } = await site.platform.applications.rotateSecret(site.caller.id, { overlap: 0, by: site.by })
      site.caller.clientSecret = credentials.clientSecret
    },
  }),
]

/** Replaces the caller's key, for one key API with a guarded route. */
export const KEY_REVOCATION_CHECKS: readonly Check[] = [
  refuses({
    row: 'G11',
    sends: 'a new key without overlap, then requests with the former one on new connections',
    draft: withKey,
    async change({ site }) {
      const { credentials } = await site.platform.applications.rotateKey(site.caller.id, { overlap: 0, by: site.by })
      site.caller.clientId = credentials.clientId
    },
  }),
]

/** Suspends the caller, for the first API that a request can be sent to. */
export const SUSPENSION_CHECKS: readonly Check[] = [
  refuses({
    row: 'G21',
    sends: 'suspension of the application, then requests with its credentials on new connections',
    draft: withAny,
    change: ({ site }) => site.platform.applications.suspend(site.caller.id, { by: site.by }),
  }),
  accepts({
    row: 'G21',
    sends: 'the end of the suspension, then requests with its credentials on new connections',
    draft: withAny,
    change: ({ site }) => site.platform.applications.resume(site.caller.id, { by: site.by }),
  }),
  refuses({
    row: 'G21',
    sends: 'deletion of the application, then requests with its credentials on new connections',
    draft: withAny,
    change: ({ site }) => site.platform.applications.delete(site.caller.id, { by: site.by }),
  }),
]

function refuses(change: Change): Check {
  return { ...change, expects: EXPECTED, fix: WITHIN_A_SECOND, run: (context) => makeChange(context, change, false) }
}

function accepts(change: Change): Check {
  return {
    ...change,
    expects: ACCEPTED_AGAIN,
    fix: WITHIN_A_SECOND,
    run: (context) => makeChange(context, change, true),
  }
}

const PROPAGATION_TIME_MS = 1000

async function makeChange(context: CheckContext, { draft, change }: Change, accepted: boolean): Promise<CheckOutcome> {
  const { site } = context
  const request = await draft(context)
  // Otherwise the refusal afterwards would prove nothing.
  if (!accepted && !isAccepted(request, await site.send(request))) {
    await change(context)
    return skip('the request was refused before the change, too')
  }
  await change(context)
  const changedAt = Date.now()
  await site.wait(PROPAGATION_TIME_MS)
  const answers = await repeat(site, () => request, !accepted)
  const wrong = answers.filter((answer) => isAccepted(request, answer) !== accepted)
  const last = wrong.at(-1)
  if (!last) return undefined
  const seconds = ((last.sentAt - changedAt) / 1000).toFixed(1)
  const what = accepted ? 'refused' : 'accepted'
  return {
    received: `${wrong.length} of ${answers.length} requests were still ${what}, the last one ${seconds} seconds after the change: ${site.describe(last)}`,
  }
}

/** POST goes to the token endpoint, GET to a guarded route. */
function isAccepted({ method }: RequestDraft, answer: Answer): boolean {
  return (method === 'POST' ? TOKEN : ALLOWED).isMet(answer)
}

async function withToken(context: CheckContext): Promise<RequestDraft> {
  return { path: context.route, headers: [bearer(await requireAccessToken(context))] }
}

function withKey({ api, route, site }: CheckContext): RequestDraft {
  return { path: route, headers: [[api.keyHeaders[0]!, site.caller.clientId]] }
}

/** Sends the request through a guard if there is a route, else to the token endpoint. */
function withAny(context: CheckContext): RequestDraft | Promise<RequestDraft> {
  const route = context.site.routes.get(context.api.name)
  if (route === undefined) return withSecret(context, context.site.caller)
  return context.api.scheme === 'apiKey' ? withKey({ ...context, route }) : withToken({ ...context, route })
}

function withSecret({ api }: CheckContext, credentials: TemporaryApplication): RequestDraft {
  return postForm({ api }, 'token', [...GRANT, ...formCredentials(credentials)])
}
