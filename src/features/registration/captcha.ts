import type { IncomingMessage } from 'node:http'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { describeKind, invalidOption } from '../../shared/lib/option-checks.js'
import { members, optional, textThat } from '../../shared/lib/option-rules.js'
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

const RESERVED: ReadonlySet<string> = new Set(['name', 'contact', 'language', 'apis', 'terms'])
const SOURCE = /^[!-+\--:<-~]+$/

const isFieldName = (name: string): boolean => /^[\w:-]{1,100}$/.test(name) && !RESERVED.has(name)
const readSources = optional((option, list: unknown): readonly string[] => {
  if (Array.isArray(list) && list.every((each) => typeof each === 'string' && SOURCE.test(each))) return list
  throw invalidOption(option, list, "List sources: ['https://challenges.cloudflare.com'].")
})

export const readCaptcha = members({
  html: textThat((html) => html.trim() !== '', 'Write the HTML that the service names: a script and an element.'),
  field: textThat(isFieldName, "Name the field that the widget fills in: 'cf-turnstile-response'."),
  sources: members(Object.fromEntries(DIRECTIVES.map((directive) => [directive, readSources]))),
  verify(option, verify): VerifyCaptcha {
    if (typeof verify === 'function') return verify as VerifyCaptcha
    throw invalidOption(option, verify, 'Give it a function that asks the service.')
  },
})

export type CaptchaSettings = ReturnType<typeof readCaptcha>

export function allowSources(policy: string, sources: CaptchaSettings['sources']): string {
  const directives = new Map(policy.split('; ').map((each) => [each.split(' ', 1)[0]!, each]))
  for (const [directive, list] of Object.entries(sources)) {
    if (list) directives.set(directive, [directives.get(directive) ?? directive, ...list].join(' '))
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
  throw new TypeError(`${OPTION}.verify answered ${describeKind(answer, 'nothing')}, not true or false.`)
}
