/** A callback of the host that throws. */
export function throwing(error: unknown): () => never {
  return () => {
    throw error
  }
}
