/**
 * A value, or a promise of it. It need not be a promise, because awaiting a value that is in memory costs a microtask on every
 * request.
 */
export type MaybePromise<Value> = Value | Promise<Value>
