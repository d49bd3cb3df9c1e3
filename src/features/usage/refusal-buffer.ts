import type { RefusalRecord } from '../../shared/contracts/usage.js'

/** The number of refusals that are kept of an application, in memory and in the store. */
export const KEPT_REFUSALS = 50
/** The limit for all applications together. */
const MAX_REFUSALS = 2000

/** The last refusals of each application, until they are written. */
export function createRefusalBuffer() {
  let byApplication = new Map<string, RefusalRecord[]>()
  let size = 0

  function removeOldest(): void {
    const [oldest] = byApplication
    if (!oldest) return
    const [applicationId, refusals] = oldest
    refusals.shift()
    size -= 1
    if (refusals.length === 0) byApplication.delete(applicationId)
  }

  return {
    add(refusal: RefusalRecord): void {
      const refusals = byApplication.get(refusal.applicationId) ?? []
      if (refusals.length === 0) byApplication.set(refusal.applicationId, refusals)
      else if (refusals.length === KEPT_REFUSALS) {
        refusals.shift()
        size -= 1
      }
      refusals.push(refusal)
      size += 1
      if (size > MAX_REFUSALS) removeOldest()
    },
    /** Returns the refusals, those of an application in their order, and begins anew. */
    takeAll(): readonly RefusalRecord[] {
      const taken = [...byApplication.values()].flat()
      byApplication = new Map()
      size = 0
      return taken
    },
    get size() {
      return size
    },
  }
}
