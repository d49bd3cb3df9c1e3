/** A value that becomes known later: `get` throws before `set` was called. */
export function createLateValue<Value extends object>(createError: () => Error) {
  let known: Value | undefined
  return {
    get(): Value {
      if (!known) throw createError()
      return known
    },
    set(value: Value): void {
      known = value
    },
  }
}
