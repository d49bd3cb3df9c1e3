import { DEFAULT_FAILED_AUTHENTICATION } from '../../options/defaults.js'
import { randomUUID } from 'node:crypto'
import { judgeForwarding, readForwarding, FORGED_ADDRESS } from '../forwarding.js'
import { judge, skip, type Check, type CheckContext, type CheckOutcome } from './check.js'
import { formCredentials, GRANT, postForm, WRONG_SECRET } from './drafts.js'
import type { Answer } from './exchange.js'
import { all, refusal, status, that, TOKEN } from './expectation.js'

/** Checks once for the platform that limits count by the right address. */
export const ADDRESS_CHECKS: readonly Check[] = [
  {
    row: 'L3',
    sends: 'GET for the key set, with and without an X-Forwarded-For of its own',
    expects: 'the addresses that the proxies add are used, and no other',
    fix: "app.set('trust proxy', <number of proxies>)",
    async run({ site: { send } }) {
      const ask = (headers: readonly (readonly [string, string])[] = []): Promise<Answer> =>
        // The query, which the server ignores, keeps caches from answering.
        send({
          path: `/.well-known/jwks.json?prove=${randomUUID()}`,
          headers: [['Platform-Auth-Doctor', '1'], ...headers],
        })
      const answer = await ask()
      const plain = readForwarding(answer.header('platform-auth-doctor'))
      const forged = readForwarding((await ask([['X-Forwarded-For', FORGED_ADDRESS]])).header('platform-auth-doctor'))
      if (!plain || !forged) return skip('the server does not tell: it finds addresses in its own way')
      const result = judgeForwarding(plain, forged)
      if (result) return { received: result.finding, fix: result.fix }
      const proxy = answer.header('via') ?? answer.header('server')
      return plain.received === 0 && proxy !== undefined ? createSilentProxyOutcome(proxy) : undefined
    },
  },
]

function createSilentProxyOutcome(proxy: string): CheckOutcome {
  return {
    received: `a proxy answers (${proxy}), and sends no X-Forwarded-For: all callers have its address, and share its rate limits`,
    fix: "nginx: proxy_set_header X-Forwarded-For $remote_addr; HAProxy: option forwardfor. Then: app.set('trust proxy', 1).",
  }
}

/** The checks try no more wrong secrets than this. */
const MAX_FAILURES = 60

/** Checks the limit of failures for one oauth2 API. Afterwards the second application is locked out for a minute. */
export const LIMIT_CHECKS: readonly Check[] = [
  {
    row: 'T11',
    sends: 'wrong secrets, more often than rateLimits.failedAuthentication allows',
    expects: '429 with the JSON error "too_many_requests" and Retry-After',
    fix: 'Let 429 and Retry-After through (nginx: proxy_intercept_errors off). If the limit is never reached, the app sees another address for each request: set "trust proxy" to the number of proxies, and let the proxy send X-Forwarded-For.',
    async run(context) {
      const limit = readFailureLimit(context)
      if (limit === undefined) return skip('rateLimits.failedAuthentication is false')
      // Each instance counts by itself, unless they share Redis.
      const attempts = limit * guessInstances(context) + 1
      if (attempts > MAX_FAILURES) return skip(`the limit of ${limit} is too high to be tried`)
      let answer: Answer | undefined
      for (let i = 0; i < attempts; i++) {
        answer = await failOnce(context)
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
      const draft = postForm(context, 'token', [...GRANT, ...formCredentials(context.site.other)])
      return judge(context, await context.site.send(draft, { mayBeLimited: true }), TOKEN)
    },
  },
  {
    row: 'C2',
    sends: 'requests one after the other, at the rate of --rate',
    expects: 'no limit of the proxy',
    fix: 'Allow at least this rate in front of the app. nginx: limit_req with a burst; HAProxy: a higher stick-table limit.',
    async run(context) {
      for (let i = 0; i < 3; i++) {
        const answer = await context.site.send({ path: '/.well-known/jwks.json' })
        const outcome = judge(context, answer, status(200))
        if (outcome) return outcome
      }
      return undefined
    },
  },
]

function failOnce(context: CheckContext): Promise<Answer> {
  const wrong = { ...context.site.other, clientSecret: WRONG_SECRET }
  const draft = postForm(context, 'token', [...GRANT, ...formCredentials(wrong)])
  return context.site.send(draft, { mayBeLimited: true })
}

function readFailureLimit({ site }: CheckContext): number | undefined {
  const given = site.options.rateLimits?.failedAuthentication
  return given === false ? undefined : (given ?? DEFAULT_FAILED_AUTHENTICATION).limit
}

function guessInstances({ site }: CheckContext): number {
  return site.options.rateLimits?.redis ? 1 : site.instances
}
