export interface Listeners {
  notify(): void
  /** Returns how to end it. */
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
