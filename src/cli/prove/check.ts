import type { Api, PlatformAuth, PlatformAuthOptions } from '../../index.js'
import { diagnose } from './diagnosis.js'
import type { Answer, RequestDraft, Send } from './exchange.js'
import type { Expectation } from './expectation.js'
import type { TemporaryApplication } from './temporary-applications.js'

/** One check: its request, the answer that it expects, and the fix if another one comes. */
export interface Check {
  /** The row of docs/http.md, as its anchor there. */
  readonly row: string
  /** The request, in words. */
  readonly sends: string
  readonly expects: string
  readonly fix: string
  /** Rejects with `SkippedCheck` if the check cannot be made. */
  run(context: CheckContext): Promise<CheckOutcome>
}

/** Undefined if all is as expected. */
export type CheckOutcome = Received | undefined

interface Received {
  /** The answer that came instead, without credentials. */
  readonly received: string
  /** Replaces `expects` where the expected answer depends on the API. */
  readonly expects?: string
  /** Replaces the check's fix where the answer tells more. */
  readonly fix?: string | undefined
}

/** The input of a check. */
export interface CheckContext {
  readonly site: Site
  readonly api: Api
  /** A guarded path of the API, from the base address on; empty for a check that needs none. */
  readonly route: string
}

/** The deployment, and what was created for the checks. */
export interface Site {
  readonly platform: PlatformAuth
  readonly options: PlatformAuthOptions
  /** The option `baseUrl` without a slash at the end, as answers name it. */
  readonly baseUrl: string
  /** This application may use every API, with all scopes. */
  readonly caller: TemporaryApplication
  /** This application may use the oauth2 APIs, without any scope. */
  readonly other: TemporaryApplication
  /** The number of times that a request is sent, so that each instance is likely to have answered it. */
  readonly repetitions: number
  /** The number of instances, as far as it is known. */
  readonly instances: number
  /** Waits, unless the checks are ended meanwhile. */
  wait(milliseconds: number): Promise<void>
  /** Guarded paths by API. */
  readonly routes: ReadonlyMap<string, string>
  readonly send: Send
  /** The person who makes the changes, for the audit log. */
  readonly by: string
  /** An access token of an application; undefined if none was issued. The same one, until `forgetAccessTokens()`. */
  getAccessToken(api: Api, application: TemporaryApplication): Promise<string | undefined>
  forgetAccessTokens(): void
  /** Describes an answer without credentials. */
  describe(answer: Answer): string
}

interface ExchangeCheck {
  readonly row: string
  readonly sends: string
  readonly draft: (context: CheckContext) => RequestDraft | Promise<RequestDraft>
  readonly expects: Expectation | ((context: CheckContext) => Expectation)
  readonly fix: string
  /** Whether that fix is the right one even if the answer is the proxy's or the host's. */
  readonly isOwnFix?: true
}

/** A check of one request and its answer. */
export function ask({ row, sends, draft, expects, fix, isOwnFix }: ExchangeCheck): Check {
  return {
    row,
    sends,
    expects: typeof expects === 'function' ? '' : expects.text,
    fix,
    async run(context) {
      const made = await draft(context)
      const expectation = typeof expects === 'function' ? expects(context) : expects
      const answer = await context.site.send(made)
      const outcome = judge(context, answer, expectation)
      return isOwnFix && outcome && answer.failure === undefined ? { ...outcome, fix } : outcome
    },
  }
}

/** The outcome of a check whose answer has to meet an expectation. */
export function judge({ site, route }: CheckContext, answer: Answer, expectation: Expectation): CheckOutcome {
  if (expectation.isMet(answer)) return undefined
  const isOwnRefusal =
    route !== '' && site.options.onDenied !== undefined && answer.status >= 400 && answer.status < 500
  if (isOwnRefusal && expectation.isReplaceable) return skip('the option onDenied replaces refusals of guards')
  return { received: site.describe(answer), fix: diagnose(answer), expects: expectation.text }
}

/** A check that could not be made; the message is the reason. */
export class SkippedCheck extends Error {
  override readonly name = 'SkippedCheck'
}

/** Ends a check that cannot be made. */
export function skip(reason: string): never {
  throw new SkippedCheck(reason)
}

/** The reason, where the token endpoint issued no access token that a check needs. */
export const NO_ACCESS_TOKEN = 'no access token was issued'

/** An access token of an application, without which the check is skipped. */
export async function requireAccessToken(
  { api, site }: Pick<CheckContext, 'api' | 'site'>,
  application = site.caller,
): Promise<string> {
  return (await site.getAccessToken(api, application)) ?? skip(NO_ACCESS_TOKEN)
}
