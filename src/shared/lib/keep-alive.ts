/** The longest interval of a Node timer. */
const MAX_INTERVAL_MS = 2 ** 31 - 1

/** Settles like `work`, and keeps the process alive until then: top-level `await` would end it with code 13. */
export async function keepAlive<Result>(work: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => undefined, MAX_INTERVAL_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
