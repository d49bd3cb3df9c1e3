import { setTimeout as sleep } from 'node:timers/promises'
import { type Check, type CheckContext, type CheckOutcome, takeAccessToken } from './check.js'
import { bearer, formCredentials, postForm, tokenRequest } from './drafts.js'
import type { RequestDraft } from './exchange.js'
import { TOKEN, skip } from './expectation.js'
import { describeAnswer, repeat } from './site.js'

const PROPAGATION_TIME_MS = 1000

interface Change extends Pick<Check, 'row' | 'sends'> {
  readonly before: (context: CheckContext) => Promise<{ readonly draft: RequestDraft; change(): Promise<unknown> }>
}

function refuses({ row, sends, before }: Change): Check {
  return {
    row,
    sends,
    expects: 'refused by every instance a second later',
    fix: 'Instances learn of changes from the store: start every one on the same store. postgresStore needs a connection that LISTEN works on, not a pooler in transaction mode (listen: false otherwise). No cache may answer in front: nginx: no proxy_cache for guarded paths and /{api}/token, a CDN: obey Cache-Control.',
    async run(context): Promise<CheckOutcome> {
      const { site, allowed } = context
      const { draft, change } = await before(context)
      // POST goes to the token endpoint, GET to a guarded route.
      const { isMet } = draft.method === 'POST' ? TOKEN : allowed
      // Otherwise the refusal afterwards would prove nothing.
      if (!isMet(await site.send(draft))) skip('the request was refused before the change, too')
      await change()
      const changedAt = Date.now()
      await sleep(PROPAGATION_TIME_MS, undefined, { signal: site.signal })
      const answers = await repeat(site, () => draft, true)
      const wrong = answers.filter(isMet)
      const last = wrong.at(-1)
      if (!last) return undefined
      const seconds = ((last.sentAt - changedAt) / 1000).toFixed(1)
      return {
        received: `${wrong.length} of ${answers.length} requests were still accepted, the last one ${seconds} seconds after the change: ${describeAnswer(site, last)}`,
      }
    },
  }
}

export const TOKEN_REVOCATION_CHECK = refuses({
  row: 'I8',
  sends: 'revocation of an access token, then requests with it on new connections',
  async before({ api, route, site: { caller, send } }) {
    const token = takeAccessToken(await send(tokenRequest(api, caller)))
    return {
      draft: { path: route, headers: [bearer(token)] },
      change: () => send(postForm(api, 'revoke', [['token', token], ...formCredentials(caller)])),
    }
  },
})

/** Replaces the caller's secret, for one oauth2 API. Nothing after it uses the secret. */
export const SECRET_REVOCATION_CHECK = refuses({
  row: 'T10',
  sends: 'a new secret without overlap, then token requests with the former one on new connections',
  before: async ({ api, site: { by, caller, platform } }) => ({
    draft: tokenRequest(api, caller),
    change: () => platform.applications.rotateSecret(caller.id, { overlap: 0, by }),
  }),
})

/** Replaces the caller's key, for one key API with a guarded route. Nothing after it uses the key. */
export const KEY_REVOCATION_CHECK = refuses({
  row: 'G11',
  sends: 'a new key without overlap, then requests with the former one on new connections',
  before: async ({ api, route, site: { by, caller, platform } }) => ({
    draft: { path: route, headers: [[api.keyHeaders[0]!, caller.clientId]] },
    change: () => platform.applications.rotateKey(caller.id, { overlap: 0, by }),
  }),
})
