import type { GuardDescription } from '../../shared/contracts/guard-description.js'
import { shareInProcess } from '../../shared/lib/share-in-process.js'

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
