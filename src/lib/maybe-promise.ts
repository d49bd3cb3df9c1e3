/** A value, or a promise of it where it is not in memory: awaiting a value that is there would cost a turn of the event loop. */
export type MaybePromise<Value> = Value | Promise<Value>
