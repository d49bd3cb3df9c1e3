import type { AcceptedCredential, GuardDescription } from '../../shared/contracts/guard-description.js'
import { shareInProcess } from '../../shared/lib/share-in-process.js'
import type { OnDenied } from '../options/options.js'
import type { GuardConfig } from './guard-config.js'
import type { RefusalReporter } from './outcomes.js'

/**
 * A guard's requirements of a request; undefined for any other function. Tools such as `expectSecured()` use it to check an
 * app's routes.
 *
 * @example
 * ```ts
 * import { createPlatformAuth, describeGuard } from 'express-platform-auth'
 *
 * const auth = createPlatformAuth({ baseUrl: 'http://localhost', apis: { catalog: { scheme: 'apiKey' } } })
 * describeGuard(auth.requireApiKey('catalog'))?.accepts[0]?.api // 'catalog'
 * ```
 */
export function describeGuard(guard: unknown): GuardDescription | undefined {
  return typeof guard === 'function' ? DESCRIPTIONS.get(guard) : undefined
}

/** Records the description where `describeGuard()` of every copy of this package finds it. */
export function setGuardDescription(guard: object, description: GuardDescription): void {
  DESCRIPTIONS.set(guard, description)
}

const DESCRIPTIONS = shareInProcess('express-platform-auth.guards', () => new WeakMap<object, GuardDescription>())

/** The description of a guard that consists of these parts. `otherOnDenied` applies to parts that have none. */
export function describeParts(
  parts: readonly GuardConfig[],
  optional: boolean,
  otherOnDenied: OnDenied | undefined,
  reports: RefusalReporter['reports'],
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
