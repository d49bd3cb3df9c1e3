import { DEFAULT_FAILED_AUTHENTICATION } from '../../../core/options/options.js'
import { judgeForwarding, readForwarding, FORGED_ADDRESS } from '../forwarding.js'
import { judge, type Check, type CheckContext } from './check.js'
import { freshKeySet, tokenRequest } from './drafts.js'
import type { ProbeAnswer } from './exchange.js'
import { all, refusal, that, TOKEN, skip } from './expectation.js'

export const ADDRESS_CHECKS: readonly Check[] = [
  {
    row: 'L3',
    sends: 'GET for the key set, with and without an X-Forwarded-For of its own',
    expects: 'the addresses that the proxies add are used, and no other',
    fix: "app.set('trust proxy', <number of proxies>)",
    async run({ site: { send } }) {
      const answer = await send(freshKeySet())
      const plain = readForwarding(answer.header('platform-auth-doctor'))
      const sent = await send(freshKeySet([['X-Forwarded-For', FORGED_ADDRESS]]))
      const forged = readForwarding(sent.header('platform-auth-doctor'))
      if (!plain || !forged) return skip('the server does not tell: it finds addresses in its own way')
      const result = judgeForwarding(plain, forged)
      if (result) return { received: result.finding, fix: result.fix }
      const proxy = answer.header('via') ?? answer.header('server')
      if (plain.received > 0 || proxy === undefined) return undefined
      return {
        received: `a proxy answers (${proxy}), and sends no X-Forwarded-For: all callers have its address, and share its rate limits`,
        fix: "nginx: proxy_set_header X-Forwarded-For $remote_addr; HAProxy: option forwardfor. Then: app.set('trust proxy', 1).",
      }
    },
  },
]

const MAX_FAILURES = 60
/** A secret of the right form that no application has. */
const WRONG_SECRET = `epa_sec_${'0'.repeat(49)}`

export const LIMIT_CHECKS: readonly Check[] = [
  {
    row: 'T11',
    sends: 'wrong secrets, more often than rateLimits.failedAuthentication allows',
    expects: '429 with the JSON error "too_many_requests" and Retry-After',
    fix: 'Let 429 and Retry-After through (nginx: proxy_intercept_errors off). If the limit is never reached, the app sees another address for each request: set "trust proxy" to the number of proxies, and let the proxy send X-Forwarded-For.',
    async run(context) {
      const limit = readFailureLimit(context)
      if (limit === undefined) return skip('rateLimits.failedAuthentication is false')
      const { api, site } = context
      // Each instance counts by itself, unless they share Redis.
      const attempts = limit * (site.options.rateLimits?.redis ? 1 : site.instances) + 1
      if (attempts > MAX_FAILURES) return skip(`the limit of ${limit} is too high to be tried`)
      let answer: ProbeAnswer | undefined
      for (let i = 0; i < attempts; i++) {
        const draft = tokenRequest(api, { ...site.caller, clientSecret: WRONG_SECRET })
        answer = await site.send(draft, { mayBeLimited: true })
        if (answer.status !== 401) break
      }
      const hasWait = that('Retry-After in seconds', ({ header }) => /^\d+$/.test(header('retry-after') ?? ''))
      return judge(context, answer!, all(refusal(429, 'too_many_requests'), hasWait))
    },
  },
  {
    row: 'L1',
    sends: 'the right secret, after too many wrong ones',
    expects: TOKEN.text,
    fix: 'Put no limit of the proxy for failures in front: it locks out those who have the right secret (nginx: limit_req; fail2ban).',
    async run(context) {
      if (readFailureLimit(context) === undefined) return skip('rateLimits.failedAuthentication is false')
      const { api, site } = context
      return judge(context, await site.send(tokenRequest(api, site.caller), { mayBeLimited: true }), TOKEN)
    },
  },
]

function readFailureLimit({ site }: CheckContext): number | undefined {
  const given = site.options.rateLimits?.failedAuthentication
  return given === false ? undefined : (given ?? DEFAULT_FAILED_AUTHENTICATION).limit
}
