/** A value that is mostly there at once: what is in memory should not have to wait for a promise's turn. */
export type Eventually<Value> = Value | Promise<Value>

/** Goes on with a value, at once if it is there. */
export function whenKnown<Value, Result>(
  value: Eventually<Value>,
  next: (value: Value) => Eventually<Result>,
): Eventually<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
