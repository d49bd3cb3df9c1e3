/** A deeply frozen copy: the caller's object stays its own, and the copy can be handed out without copying again. */
export function copyFrozen<T>(value: T): T {
  return deepFreeze(structuredClone(value))
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}
