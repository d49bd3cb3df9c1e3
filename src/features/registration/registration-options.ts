import type { IncomingMessage } from 'node:http'
import type { Limit } from '../../shared/contracts/api.js'
import {
  invalidOption,
  readBoolean,
  readDays,
  readGroup,
  readLimit,
  readOptionalFunction,
} from '../../shared/lib/option-checks.js'
import type { JsonObject } from '../../shared/contracts/application-record.js'
import { readCaptcha, type RegistrationCaptcha } from './captcha.js'
import { readFields, type RegistrationFields } from './fields/read-fields.js'
import { readTerms, type RegistrationTerms } from './terms.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { describeValue } from '../../shared/lib/describe-value.js'
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

const OPTIONS = ['operators', 'allow', 'fields', 'terms', 'captcha', 'decisionDays', 'limits'] as const
const IPV6_PREFIXES = [48, 56, 64]

export function readRegistrationOptions(options: RegistrationOptions | undefined, developersUrl: string | undefined) {
  const { operators, allow, fields, terms, captcha, decisionDays, limits } = readGroup('registration', options, OPTIONS)
  return {
    operators: readOperators(operators, developersUrl),
    allow: readOptionalFunction('registration.allow', allow),
    fields: readFields(fields),
    terms: readTerms(terms),
    captcha: readCaptcha(captcha),
    decisionDays: decisionDays === undefined ? undefined : readDays('registration.decisionDays', decisionDays),
    ...readLimits(limits),
  }
}

function readLimits(limits: RegistrationLimits | undefined) {
  const {
    registration = { limit: 5, window: 3600 },
    allRegistrations,
    foldTags = false,
    ipv6Prefix = 64,
  } = readGroup('registration.limits', limits, ['registration', 'allRegistrations', 'foldTags', 'ipv6Prefix'])
  if (!IPV6_PREFIXES.includes(ipv6Prefix)) {
    throw invalidOption('registration.limits.ipv6Prefix', ipv6Prefix, `Choose one of ${IPV6_PREFIXES.join(', ')}.`)
  }
  const perCaller = readLimit('registration.limits.registration', registration)
  // The default is in proportion: a host that allows an address more, or switches that limit off, must not meet another one.
  const ofAllCallers = perCaller && { ...perCaller, limit: Math.min(perCaller.limit * 20, Number.MAX_SAFE_INTEGER) }
  return {
    limits: {
      registration: perCaller,
      allRegistrations: readLimit('registration.limits.allRegistrations', allRegistrations ?? ofAllCallers),
    },
    foldTags: readBoolean('registration.limits.foldTags', foldTags),
    ipv6Prefix,
  }
}

/** Each waiting registration is sent to all of them. */
const MAX_OPERATORS = 10
const FIX = `List 1 to ${MAX_OPERATORS} e-mail addresses, such as ['apis@example.com'], or leave it out.`

/** Reads the option `operators`. Links in their e-mails name the console's address, so that is required too. */
function readOperators(operators: unknown, developersUrl: string | undefined): readonly string[] {
  if (operators === undefined) return []
  if (!Array.isArray(operators) || operators.length === 0 || operators.length > MAX_OPERATORS) {
    throw invalidOption('registration.operators', operators, FIX)
  }
  const read = Array.from(operators, readOperator)
  if (developersUrl === undefined) {
    throw new ConfigurationError({
      option: 'developersUrl',
      problem: 'is missing',
      fix: 'With operators, e-mails link to {developersUrl}/register/decide.',
    })
  }
  return [...new Set(read)]
}

function readOperator(operator: unknown, index: number): string {
  const address = readEmailAddress(operator)
  if (address !== undefined) return address.toLowerCase()
  const problem = findAddressProblem(operator)
  throw new ConfigurationError({
    option: `registration.operators[${index}]`,
    problem: `is ${describeValue(operator)}${problem === undefined ? '' : `, which ${problem}`}`,
    fix: 'Write one plain e-mail address, such as apis@example.com.',
  })
}
