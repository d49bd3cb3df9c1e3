/** An object that an ESM and a CommonJS copy of this package share. */
export function shareInProcess<Shared>(name: string, create: () => Shared): Shared {
  const key = Symbol.for(name)
  if (!Object.hasOwn(globalThis, key)) Object.defineProperty(globalThis, key, { value: create() })
  return Reflect.get(globalThis, key) as Shared
}

/** The ids of applications that a tool makes for a check in this process, and deletes: usage, refusals and reports leave them out. */
export const UNCOUNTED_APPLICATIONS = shareInProcess('express-platform-auth.uncounted', () => new Set<string>())
