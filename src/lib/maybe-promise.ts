/** A value that is mostly there at once: what is in memory should not have to wait for a promise's turn. */
export type MaybePromise<Value> = Value | Promise<Value>
