import { DEFAULT_CLOCK_TOLERANCE } from '../../options/defaults.js'
import { randomUUID } from 'node:crypto'
import { getCredential } from './caching.js'
import { NO_ACCESS_TOKEN, skip, type Check, type CheckContext, type CheckOutcome, type Site } from './check.js'
import { diagnose } from './diagnosis.js'
import { bearer, readClaims, readKeyId, tokenRequest } from './drafts.js'
import type { Answer, RequestDraft } from './exchange.js'
import { ALLOWED, status, type Expectation, TOKEN } from './expectation.js'
import { listKeyIds } from './metadata.js'

const SAME_START =
  'One instance differs. Start every instance with the same options: store, secret ([newest, ...older], the same list everywhere), baseUrl and apis; its log says what it refuses. Take it out of the balancer until then.'
const CLOCKS =
  'Synchronize the clocks of the instances with NTP (chrony, systemd-timesyncd): access tokens are refused if they seem to be from the future, or to have expired. Check the clock of this machine too.'

/** Checks that all instances answer alike, for one oauth2 API. */
export const INSTANCE_CHECKS: readonly Check[] = [
  {
    row: 'T19',
    sends: 'token requests on new connections, until each instance was likely reached',
    expects: `${TOKEN.text}, each time`,
    fix: SAME_START,
    run: async (context) => judgeAll(context.site, await sampleTokenAnswers(context), TOKEN),
  },
  {
    row: 'G4',
    sends: 'token requests on new connections, for the clock of each instance',
    expects: "an issue time that this machine's clock agrees with",
    fix: CLOCKS,
    async run(context) {
      const tolerance = Math.max(context.site.options.tokens?.clockTolerance ?? DEFAULT_CLOCK_TOLERANCE, 2)
      const differences = (await sampleTokenAnswers(context)).flatMap((answer) => readClockDifference(answer) ?? [])
      if (differences.length === 0) skip(NO_ACCESS_TOKEN)
      const off = differences.filter((seconds) => Math.abs(seconds) > tolerance)
      if (off.length === 0) return undefined
      const [worst = 0] = off.toSorted((a, b) => Math.abs(b) - Math.abs(a))
      return {
        received: `a clock that is ${Math.round(Math.abs(worst))} seconds ${worst > 0 ? 'ahead' : 'behind'}, in ${off.length} of ${differences.length} answers`,
      }
    },
  },
  {
    row: 'M3',
    sends: 'token requests on new connections, for the signing key of each instance',
    expects: 'keys of the store',
    fix: SAME_START,
    async run(context) {
      const tokens = (await sampleTokenAnswers(context)).flatMap((answer) => readToken(answer) ?? [])
      if (tokens.length === 0) skip(NO_ACCESS_TOKEN)
      const stored = await listStoredKeyIds(context.site)
      const unknown = tokens.filter((token) => !stored.includes(readKeyId(token)))
      if (unknown.length === 0) return undefined
      return {
        received: `${unknown.length} of ${tokens.length} access tokens are signed with a key that is not in the store`,
      }
    },
  },
]

/** Checks once for the platform that every instance has the same keys. */
export const KEY_SET_INSTANCE_CHECKS: readonly Check[] = [
  {
    row: 'M3',
    sends: 'GET for the key set on new connections, until each instance was likely reached',
    expects: 'the keys of the store, each time',
    fix: `${SAME_START} If it runs on another store than this --config, give its own.`,
    async run({ site }) {
      const answers = await repeat(site, () => ({
        path: `/.well-known/jwks.json?prove=${randomUUID()}`,
        headers: [['Platform-Auth-Doctor', '1']],
      }))
      const stored = await listStoredKeyIds(site)
      const isSame = ({ json }: Answer): boolean => {
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

/** Checks that every instance accepts what any has issued, for each API with a guarded route. */
export const GUARD_INSTANCE_CHECKS: readonly Check[] = [
  {
    row: 'G16',
    sends: 'requests with a credential on new connections, until each instance was likely reached',
    expects: `${ALLOWED.text}, each time`,
    fix: `${SAME_START} ${CLOCKS}`,
    async run(context) {
      const credentials = await listCredentials(context)
      if (credentials.length === 0) skip(NO_ACCESS_TOKEN)
      let next = 0
      const answers = await repeat(context.site, () => ({
        path: context.route,
        headers: [credentials[next++ % credentials.length]!],
      }))
      return judgeAll(context.site, answers, ALLOWED)
    },
  },
]

/** Access tokens of as many instances as issued some. */
async function listCredentials(context: CheckContext): Promise<readonly (readonly [string, string])[]> {
  const sampled = samples.get(context.site)
  if (context.api.scheme === 'oauth2' && sampled?.api === context.api.name) {
    const tokens = (await sampled.answers).flatMap((answer) => readToken(answer) ?? [])
    if (tokens.length > 0) return tokens.map(bearer)
  }
  const credential = await getCredential(context)
  return credential ? [credential] : []
}

/** Sends a request again and again, each time on a new connection, so that a balancer chooses each instance. */
export async function repeat(site: Site, draft: () => RequestDraft, mayBeLimited = false): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let i = 0; i < site.repetitions; i++) answers.push(await site.send(draft(), { mayBeLimited }))
  return answers
}

/** The outcome of a check whose answers must all meet an expectation. */
function judgeAll(site: Site, answers: readonly Answer[], expectation: Expectation): CheckOutcome {
  const others = answers.filter((answer) => !expectation.isMet(answer))
  const [first] = others
  if (!first) return undefined
  const isEach = others.length === answers.length
  return {
    received: `${others.length} of ${answers.length} answers: ${site.describe(first)}`,
    // If all answers are alike, no single instance is at fault.
    fix: isEach ? diagnose(first) : undefined,
  }
}

interface Sample {
  readonly api: string
  readonly answers: Promise<readonly Answer[]>
}

const samples = new WeakMap<Site, Sample>()

/** Token answers of as many instances as were reached; the checks of a run share them. */
function sampleTokenAnswers(context: CheckContext): Promise<readonly Answer[]> {
  const sampled = samples.get(context.site)
  if (sampled) return sampled.answers
  const answers = repeat(context.site, () => tokenRequest(context))
  samples.set(context.site, { api: context.api.name, answers })
  return answers
}

function readToken({ json }: Answer): string | undefined {
  const token = json?.['access_token']
  return typeof token === 'string' ? token : undefined
}

/** Seconds by which the clock of the instance is ahead, as far as the time of the answer tells. */
function readClockDifference(answer: Answer): number | undefined {
  const token = readToken(answer)
  const issuedAt = token === undefined ? undefined : readClaims(token)['iat']
  if (typeof issuedAt !== 'number') return undefined
  // "iat" is cut to the second.
  const [earliest, latest] = [answer.sentAt / 1000 - 1, answer.receivedAt / 1000]
  if (issuedAt < earliest) return issuedAt - earliest
  return issuedAt > latest ? issuedAt - latest : 0
}

async function listStoredKeyIds({ platform }: Site): Promise<readonly unknown[]> {
  return (await platform.signingKeys.list()).items.map(({ kid }) => kid)
}
