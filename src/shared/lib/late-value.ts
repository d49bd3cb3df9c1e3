/** A value that becomes known later: `get` throws before `set` was called. */
export interface LateValue<Value> {
  get(): Value
  set(value: Value): void
}

export function createLateValue<Value extends object>(createError: () => Error): LateValue<Value> {
  let known: Value | undefined
  return {
    get() {
      if (!known) throw createError()
      return known
    },
    set(value) {
      known = value
    },
  }
}
