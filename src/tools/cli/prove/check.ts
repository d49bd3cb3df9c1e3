import type { Api } from '../../../index.js'
import { diagnose } from './diagnosis.js'
import { bearer, type Header } from './drafts.js'
import type { ProbeAnswer, RequestDraft } from './exchange.js'
import { type Expectation, skip } from './expectation.js'
import { describeAnswer, findAccessToken, type Site } from './site.js'

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
      /** The answer, without credentials. */
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
      const made = await draft(context)
      const expectation = typeof expects === 'function' ? expects(context) : expects
      const answer = await context.site.send(made)
      const outcome = judge(context, answer, expectation)
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
  return (await findAccessToken(site, api)) ?? skip('no access token was issued')
}

export async function requireCredential(context: CheckContext): Promise<Header> {
  const { api, site } = context
  return api.scheme === 'apiKey'
    ? [api.keyHeaders[0]!, site.caller.clientId]
    : bearer(await requireAccessToken(context))
}
