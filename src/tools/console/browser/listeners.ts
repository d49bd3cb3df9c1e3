export type Listeners = ReturnType<typeof createListeners>

/** Functions that are called after each change. */
export function createListeners() {
  const listeners = new Set<() => void>()
  return {
    notify: (): void => listeners.forEach((listener) => listener()),
    /** Adds a listener, and returns a function that removes it. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
