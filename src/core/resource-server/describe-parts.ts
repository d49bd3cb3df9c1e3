import type { AcceptedCredential, GuardDescription } from '../../shared/contracts/guard-description.js'
import type { OnDenied } from '../options/options.js'
import type { GuardConfig } from './guard-config.js'
import type { RefusalReporter } from './refusal-reporter.js'

/** The description of a guard that consists of these parts. `otherOnDenied` applies to parts that have none. */
export function describeParts(
  parts: readonly GuardConfig[],
  optional: boolean,
  otherOnDenied: OnDenied | undefined,
  { reports }: Pick<RefusalReporter, 'reports'>,
): GuardDescription {
  return {
    optional,
    // This is a getter: the end may be tomorrow.
    get enforces() {
      return !parts.some(reports)
    },
    accepts: parts.map((part) => describeAccepted(part, otherOnDenied)),
  }
}

export function describeAccepted(
  config: Omit<GuardConfig, 'accepts'>,
  otherOnDenied: OnDenied | undefined,
): AcceptedCredential {
  const { api, findRequirement, otherIssuers, onDenied = otherOnDenied } = config
  return {
    api: api.name,
    resource: api.resource,
    scheme: api.scheme,
    otherIssuers: otherIssuers !== undefined,
    hasOwnAnswers: onDenied !== undefined,
    scopesFor(method) {
      const { scopes, anyOf, allowsMethod } = findRequirement({ method })
      // If one alternative needs no scope, every credential passes.
      const anyScope = anyOf.some((alternative) => alternative.length === 0) ? [] : [...new Set(anyOf.flat())]
      return allowsMethod ? { scopes, anyScope } : undefined
    },
  }
}
