/** A value, or a promise of it: awaiting what is in memory costs a microtask on every request. */
export type MaybePromise<Value> = Value | Promise<Value>
