/**
 * A copy that has the object's own members and no prototype: a polluted `Object.prototype` (prototype pollution, CWE-1321)
 * must not provide an option, a status or a credential that was left out.
 */
export function ownMembers<Members extends object>(object: Members): Members {
  return Object.assign(Object.create(null) as Members, object)
}

/**
 * Finds which member of a union an object is, by a member that only that one has. Unlike the operator `in`, it ignores a
 * polluted `Object.prototype`.
 */
export function hasOwnMember<Union extends object, Name extends string>(
  object: Union,
  name: Name,
): object is Extract<Union, { readonly [name in Name]: unknown }> {
  return Object.hasOwn(object, name)
}

/** `ownMembers` of a plain object; any other value unchanged. */
export function copyPlainObject(value: unknown): unknown {
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return isPlain ? ownMembers(value) : value
}
