import { ConfigurationError } from '../contracts/errors.js'
import { PLATFORM_PARTS } from '../contracts/platform-parts.js'
import { describeValue } from './describe-value.js'
import { isObject } from './is-object.js'

/**
 * The parts of a platform for a tool that needs this one of them: JavaScript callers may pass anything, and guards of another process have
 * no `core`. `call` is how the tool is called. Throws `ConfigurationError`.
 */
export function readPlatform<Parts extends object>(auth: unknown, needed: keyof Parts, call: string): Parts {
  const parts: unknown = isObject(auth) ? Reflect.get(auth, PLATFORM_PARTS) : undefined
  if (isObject(parts) && Object.hasOwn(parts, needed)) return parts as Parts
  throw new ConfigurationError({
    problem: `${call.slice(0, call.indexOf('('))}() was given ${describeValue(auth)}, which is no platform`,
    fix: `Write ${call}, where auth is what createPlatformAuth() returned.`,
  })
}
