/** A copy that nobody can change, all the way down: what goes in is copied once, what comes out can be shared. */
export function frozen<T>(value: T): T {
  return freeze(structuredClone(value))
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freeze(part)
  return Object.freeze(value)
}
