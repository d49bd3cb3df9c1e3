import { DEFAULT_CLOCK_TOLERANCE } from '../../../core/options/options.js'
import { requireCredential, type Check, type CheckOutcome, NO_ACCESS_TOKEN } from './check.js'
import { diagnose } from './diagnosis.js'
import { readJwtPart } from '../../../shared/lib/jwt.js'
import { bearer, freshKeySet } from './drafts.js'
import type { ProbeAnswer } from './exchange.js'
import { status, TOKEN, type Expectation, skip } from './expectation.js'
import { listKeyIds } from './metadata.js'
import { describeAnswer, readAccessToken, repeat, sampleTokenAnswers, type Site } from './site.js'

const SAME_START =
  'One instance differs. Start every instance with the same options: store, secret ([newest, ...older], the same list everywhere), baseUrl and apis; its log says what it refuses. Take it out of the balancer until then.'
const CLOCKS =
  'Synchronize the clocks of the instances with NTP (chrony, systemd-timesyncd): access tokens are refused if they seem to be from the future, or to have expired. Check the clock of this machine too.'

export const INSTANCE_CHECKS: readonly Check[] = [
  {
    row: 'T19',
    sends: 'token requests on new connections, until each instance was likely reached',
    expects: `${TOKEN.text}, each time`,
    fix: SAME_START,
    run: async ({ api, site }) => judgeAll(site, await sampleTokenAnswers(site, api), TOKEN),
  },
  {
    row: 'G4',
    sends: 'token requests on new connections, for the clock of each instance',
    expects: "an issue time that this machine's clock agrees with",
    fix: CLOCKS,
    async run({ api, site }) {
      const tolerance = Math.max(site.options.tokens?.clockTolerance ?? DEFAULT_CLOCK_TOLERANCE, 2)
      const differences = (await sampleTokenAnswers(site, api)).flatMap((answer) => readClockDifference(answer) ?? [])
      if (differences.length === 0) skip(NO_ACCESS_TOKEN)
      const off = differences.filter((seconds) => Math.abs(seconds) > tolerance)
      if (off.length === 0) return undefined
      const [worst = 0] = off.toSorted((a, b) => Math.abs(b) - Math.abs(a))
      return {
        received: `a clock that is ${Math.round(Math.abs(worst))} seconds ${worst > 0 ? 'ahead' : 'behind'}, in ${off.length} of ${differences.length} answers`,
      }
    },
  },
]

export const KEY_SET_INSTANCE_CHECKS: readonly Check[] = [
  {
    row: 'M3',
    sends: 'GET for the key set on new connections, until each instance was likely reached',
    expects: 'the keys of the store, each time',
    fix: `${SAME_START} If it runs on another store than this --config, give its own.`,
    async run({ site }) {
      const answers = await repeat(site, () => freshKeySet())
      const stored: readonly unknown[] = (await site.platform.signingKeys.list()).items.map(({ kid }) => kid)
      const isSame = ({ json }: ProbeAnswer): boolean => {
        const ids = listKeyIds(json)
        return ids.length === stored.length && ids.every((id) => stored.includes(id))
      }
      return (
        judgeAll(site, answers, status(200)) ??
        judgeAll(site, answers, { text: 'the keys of the store', isMet: isSame })
      )
    },
  },
]

export const GUARD_INSTANCE_CHECKS: readonly Check[] = [
  {
    row: 'G16',
    sends: 'requests with a credential on new connections, until each instance was likely reached',
    expects: "the route's own answer, each time",
    fix: `${SAME_START} ${CLOCKS}`,
    async run(context) {
      const { api, route, site, allowed } = context
      const sampled = api.scheme === 'oauth2' ? await sampleTokenAnswers(site, api) : []
      const tokens = sampled.flatMap((answer) => readAccessToken(answer) ?? [])
      const credentials = tokens.length > 0 ? tokens.map(bearer) : [await requireCredential(context)]
      let next = 0
      const answers = await repeat(site, () => ({ path: route, headers: [credentials[next++ % credentials.length]!] }))
      return judgeAll(site, answers, allowed)
    },
  },
]

function judgeAll(site: Site, answers: readonly ProbeAnswer[], expectation: Expectation): CheckOutcome {
  const others = answers.filter((answer) => !expectation.isMet(answer))
  const [first] = others
  if (!first) return undefined
  const isEach = others.length === answers.length
  return {
    received: `${others.length} of ${answers.length} answers: ${describeAnswer(site, first)}`,
    // If all answers are alike, no single instance is at fault.
    fix: isEach ? diagnose(first) : undefined,
  }
}

/** Seconds by which the clock of the instance is ahead, as far as the time of the answer tells. */
function readClockDifference(answer: ProbeAnswer): number | undefined {
  const token = readAccessToken(answer)
  const issuedAt = token === undefined ? undefined : readJwtPart(token, 'claims')?.['iat']
  if (typeof issuedAt !== 'number') return undefined
  // "iat" is cut to the second.
  const [earliest, latest] = [answer.sentAt / 1000 - 1, answer.receivedAt / 1000]
  if (issuedAt < earliest) return issuedAt - earliest
  return issuedAt > latest ? issuedAt - latest : 0
}
