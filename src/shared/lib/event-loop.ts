/** Kept, so that fake timers of the host's tests, which replace the global function, do not hold up requests. */
const { setImmediate } = globalThis

/** Resolves in the next turn of the event loop, after timers have fired and sockets have been read. */
export function waitForNextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
