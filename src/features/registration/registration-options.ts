import type { IncomingMessage } from 'node:http'
import type { Limit } from '../../shared/contracts/api.js'
import { boolean, callback, days, group, limit, list, members, oneOf, optional } from '../../shared/lib/option-rules.js'
import type { JsonObject } from '../../shared/contracts/application-record.js'
import { readCaptcha, type RegistrationCaptcha } from './captcha.js'
import { NO_FIELDS, readFields, type RegistrationFields } from './registration-fields.js'
import { readTerms, type RegistrationTerms } from './terms.js'
import { describeValue, readLimit, wrongOption } from '../../shared/lib/option-checks.js'
import { findAddressProblem, readEmailAddress } from '../../shared/lib/email-address.js'

/** A valid registration by a stranger, as `allow` gets it. */
export interface RegistrationCandidate {
  readonly name: string
  /** The e-mail address that the credentials would be sent to. */
  readonly contact: string
  /** API -> the scopes that it would get there. */
  readonly apis: Readonly<Record<string, { readonly scopes: readonly string[] }>>
  /** The values of `fields`, as they would be stored; undefined without that option. */
  readonly metadata: JsonObject | undefined
  /** Express's `req.ip`, which follows `trust proxy`. */
  readonly address: string
}

/**
 * Decides whether a registration is accepted: true or false, or a promise of it within 5 seconds. Other results and errors are
 * answered with 500 or 503, and register nothing.
 */
export type AllowRegistration = {
  // A method, because its parameters may be narrower: the function can take Express's Request.
  allow(candidate: RegistrationCandidate, req: IncomingMessage): boolean | PromiseLike<boolean>
}['allow']

/** The options of `registration()`. */
export interface RegistrationOptions {
  /**
   * The e-mail addresses, 1 to 10, of those who decide about registrations and requests for access: each gets an e-mail with a
   * link to approve or deny. Needs `developersUrl`. None if left out: decide with `approve()` and `deny()`.
   */
  readonly operators?: readonly string[] | undefined
  /** Decides about each registration through the form or JSON, after it was validated. All are accepted if left out. */
  readonly allow?: AllowRegistration | undefined
  /** Fields of your own in the form and in JSON, such as the company; none if left out. */
  readonly fields?: RegistrationFields | undefined
  /** A check that a person registers, by a service or your own; none if left out. */
  readonly captcha?: RegistrationCaptcha | undefined
  /** Terms of use that must be accepted; none if left out. */
  readonly terms?: RegistrationTerms | undefined
  /** How many working days your decisions take at most, usually: pages say so. They name no time if it is left out. */
  readonly decisionDays?: number | undefined
  /** How many strangers may register. */
  readonly limits?: RegistrationLimits | undefined
}

/** The option `limits` of `registration()`. */
export interface RegistrationLimits {
  /** Registrations per address, and per contact; 5 in 3600 seconds if left out. */
  readonly registration?: Limit | false | undefined
  /** Registrations from all addresses and for all contacts together; 20 times `registration` if left out, 100 in 3600 seconds. */
  readonly allRegistrations?: Limit | false | undefined
  /** Whether `dev+shop@example.com` counts as `dev@example.com`; false if left out. */
  readonly foldTags?: boolean | undefined
  /** The IPv6 network that counts as one address: 48, 56 or 64 bits; 64 if left out. */
  readonly ipv6Prefix?: 48 | 56 | 64 | undefined
}

export type RegistrationSettings = ReturnType<typeof readRegistrationOptions>

export function readRegistrationOptions(options: RegistrationOptions | undefined, developersUrl: string | undefined) {
  const { operators = [], fields = NO_FIELDS, limits, ...others } = readGroup(options)
  // Links in the e-mails to operators name the console's address.
  if (operators.length > 0 && developersUrl === undefined)
    throw wrongOption('developersUrl', 'is missing', 'With operators, e-mails link to {developersUrl}/register/decide.')
  const { registration, allRegistrations, ...counting } = limits
  // The default is in proportion: a host that allows an address more, or switches that limit off, must not meet another one.
  const inProportion = registration && {
    ...registration,
    limit: Math.min(registration.limit * 20, Number.MAX_SAFE_INTEGER),
  }
  return {
    ...others,
    ...counting,
    fields,
    operators: [...new Set(operators)],
    limits: { registration, allRegistrations: allRegistrations ?? inProportion },
  }
}

/** Each waiting registration is sent to all of them. */
const MAX_OPERATORS = 10

const readGroup = group('registration', {
  operators: optional(
    list(readOperator, {
      least: 1,
      most: MAX_OPERATORS,
      fix: `List 1 to ${MAX_OPERATORS} e-mail addresses, such as ['apis@example.com'], or leave it out.`,
    }),
  ),
  allow: callback<AllowRegistration>,
  fields: optional(readFields),
  terms: optional(readTerms),
  captcha: optional(readCaptcha),
  decisionDays: optional(days()),
  limits: members({
    registration: limit({ limit: 5, window: 3600 }),
    allRegistrations: optional((option, value) => readLimit(option, value as Limit | false)),
    foldTags: boolean(false),
    ipv6Prefix: oneOf([48, 56, 64], 64),
  }),
})

function readOperator(option: string, operator: unknown): string {
  const address = readEmailAddress(operator)
  if (address !== undefined) return address.toLowerCase()
  const problem = findAddressProblem(operator)
  throw wrongOption(
    option,
    `is ${describeValue(operator)}${problem === undefined ? '' : `, which ${problem}`}`,
    'Write one plain e-mail address, such as apis@example.com.',
  )
}
