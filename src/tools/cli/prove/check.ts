import type { Api } from '../../../index.js'
import { diagnose } from './diagnosis.js'
import { basicRequest, bearer } from './drafts.js'
import type { Header, ProbeAnswer, RequestDraft } from './exchange.js'
import { type Expectation, skip } from './expectation.js'
import { describeAnswer, readAccessToken, sampleTokenAnswers, type Site } from './site.js'

export interface Check {
  /** The row of docs/http.md, as its anchor there; only the report as JSON has it. */
  readonly row: string
  readonly sends: string
  readonly expects: string
  readonly fix: string
  /** Rejects with `SkippedCheck` if the check cannot be made. */
  run(context: CheckContext): Promise<CheckOutcome>
}

/** What came instead; undefined if all is as expected. */
export type CheckOutcome =
  | {
      readonly received: string
      /** Replaces `expects` where the expected answer depends on the API. */
      readonly expects?: string
      /** Replaces the check's fix where the answer tells more. */
      readonly fix?: string | undefined
    }
  | undefined

export interface CheckContext {
  readonly site: Site
  readonly api: Api
  /** A guarded path of the API, from the base address on; empty for a check that needs none. */
  readonly route: string
  /** The answer of the route to a request that its guard let pass. */
  readonly allowed: Expectation
}

export function ask(
  check: Pick<Check, 'row' | 'sends' | 'fix'> & {
    readonly draft: (context: CheckContext) => RequestDraft | Promise<RequestDraft>
    readonly expects: Expectation | ((context: CheckContext) => Expectation)
    /** Whether that fix is the right one even if the answer is the proxy's or the host's. */
    readonly isOwnFix?: true
  },
): Check {
  const { draft, expects, isOwnFix, ...described } = check
  return {
    ...described,
    expects: typeof expects === 'function' ? '' : expects.text,
    async run(context) {
      const answer = await context.site.send(await draft(context))
      const outcome = judge(context, answer, typeof expects === 'function' ? expects(context) : expects)
      return isOwnFix && outcome && answer.failure === undefined ? { ...outcome, fix: described.fix } : outcome
    },
  }
}

export function judge({ site, route }: CheckContext, answer: ProbeAnswer, expectation: Expectation): CheckOutcome {
  if (expectation.isMet(answer)) return undefined
  const isOwnRefusal =
    route !== '' && site.options.onDenied !== undefined && answer.status >= 400 && answer.status < 500
  if (isOwnRefusal && expectation.isReplaceable) return skip('the option onDenied replaces refusals of guards')
  return { received: describeAnswer(site, answer), fix: diagnose(answer), expects: expectation.text }
}

export async function requireAccessToken({ api, site }: CheckContext): Promise<string> {
  const [sampled] = (await sampleTokenAnswers(site, api)).flatMap((answer) => readAccessToken(answer) ?? [])
  if (sampled !== undefined) return sampled
  // HTTP Basic if the form fails: other checks tell which of the two does not work.
  if (!api.clientAuthentication.includes('client_secret_basic')) return skip(NO_ACCESS_TOKEN)
  return takeAccessToken(await site.send(basicRequest(api, site.caller)))
}

export const NO_ACCESS_TOKEN = 'no access token was issued'

export function takeAccessToken(answer: ProbeAnswer): string {
  return readAccessToken(answer) ?? skip(NO_ACCESS_TOKEN)
}

export async function requireCredential(context: CheckContext): Promise<Header> {
  const { api, site } = context
  return api.scheme === 'apiKey'
    ? [api.keyHeaders[0]!, site.caller.clientId]
    : bearer(await requireAccessToken(context))
}
