export interface Listeners {
  notify(): void
  /** Adds a listener, and returns a function that removes it. */
  subscribe(listener: () => void): () => void
}

/** Functions that are called after each change. */
export function createListeners(): Listeners {
  const listeners = new Set<() => void>()
  return {
    notify: () => listeners.forEach((listener) => listener()),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
