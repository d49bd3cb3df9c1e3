import type { IncomingMessage } from 'node:http'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { describeKind } from '../../shared/lib/describe-value.js'
import { invalidOption, readGroup, readOptionalFunction } from '../../shared/lib/option-checks.js'
import { callHost } from './call-host.js'

/** A check that a person fills in the registration form, by a service such as Turnstile or hCaptcha, or one of your own. */
export interface RegistrationCaptcha {
  /** The widget with its script, which the form shows as it is: HTML of yours, never of others. */
  readonly html: string
  /** The form's field that the widget fills in, such as `cf-turnstile-response`. */
  readonly field: string
  /** Directive of the page's Content-Security-Policy -> the sources that the widget needs there; none if left out. */
  readonly sources?: { readonly [directive in CaptchaDirective]?: readonly string[] | undefined } | undefined
  /** Asked once for each registration, after everything else was validated. */
  readonly verify: VerifyCaptcha
}

/** Whether the service accepts what the widget filled in, within 5 seconds. If it throws, the answer is 503. */
export type VerifyCaptcha = {
  // A method, because its parameters may be narrower: the function can take Express's Request.
  verify(response: string, req: IncomingMessage): boolean | PromiseLike<boolean>
}['verify']

type CaptchaDirective = (typeof DIRECTIVES)[number]

const OPTION = 'registration.captcha'
const DIRECTIVES = ['script-src', 'style-src', 'frame-src', 'connect-src', 'img-src', 'font-src', 'worker-src'] as const

export function readCaptcha(captcha: RegistrationCaptcha | undefined) {
  if (captcha === undefined) return undefined
  const { html, field, sources, verify } = readGroup(OPTION, captcha, ['html', 'field', 'sources', 'verify'])
  if (typeof html !== 'string' || html.trim() === '') {
    throw invalidOption(`${OPTION}.html`, html, 'Write the HTML that the service names: a script and an element.')
  }
  if (typeof field !== 'string' || !/^[\w:-]{1,100}$/.test(field) || RESERVED.has(field)) {
    throw invalidOption(`${OPTION}.field`, field, "Name the field that the widget fills in: 'cf-turnstile-response'.")
  }
  const read = readOptionalFunction(`${OPTION}.verify`, verify)
  if (!read) throw invalidOption(`${OPTION}.verify`, verify, 'Give it a function that asks the service.')
  return { html, field, sources: readSources(sources), verify: read }
}

/** The form's own fields. */
const RESERVED: ReadonlySet<string> = new Set(['name', 'contact', 'language', 'apis', 'terms'])

function readSources(sources: unknown): ReadonlyMap<string, readonly string[]> {
  const read = readGroup(`${OPTION}.sources`, sources as Record<string, unknown> | undefined, DIRECTIVES)
  for (const [directive, list] of Object.entries(read)) {
    const isRight =
      Array.isArray(list) && list.every((each) => typeof each === 'string' && /^[!-+\--:<-~]+$/.test(each))
    if (!isRight) {
      throw invalidOption(
        `${OPTION}.sources.${directive}`,
        list,
        "List sources: ['https://challenges.cloudflare.com'].",
      )
    }
  }
  return new Map(Object.entries(read) as [string, string[]][])
}

export type CaptchaSettings = NonNullable<ReturnType<typeof readCaptcha>>

/** The policy of a page that also shows the widget. */
export function allowSources(policy: string, sources: CaptchaSettings['sources']): string {
  const directives = new Map(policy.split('; ').map((each) => [each.split(' ', 1)[0]!, each]))
  for (const [directive, list] of sources) {
    directives.set(directive, [directives.get(directive) ?? directive, ...list].join(' '))
  }
  return [...directives.values()].join('; ')
}

/** Whether a person was recognized. Rejects where the answer is 503, and never lets pass what was not judged. */
export async function verifyCaptcha(
  { verify }: CaptchaSettings,
  response: string,
  req: IncomingMessage,
  logger: { error(message: string, cause: unknown): void },
): Promise<boolean> {
  const answer: unknown = await callHost(
    `${OPTION}.verify`,
    async () => {
      try {
        return await verify(response, req)
      } catch (error) {
        throw new StoreUnavailableError(`${OPTION}.verify failed.`, { cause: error })
      }
    },
    logger,
  )
  if (typeof answer === 'boolean') return answer
  throw new TypeError(`${OPTION}.verify answered ${describeKind(answer)}, not true or false.`)
}
