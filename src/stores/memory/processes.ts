import { isDeepStrictEqual } from 'node:util'
import type { Change, ProcessStore, RunningProcess } from '../../shared/contracts/store.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemoryProcesses(feed: { publish(change: Change): void }): ProcessStore {
  const processes = new Map<string, { readonly process: RunningProcess; readonly seenAt: number }>()

  function deleteExpired(lifetime: number): void {
    for (const [id, { seenAt }] of processes) if (performance.now() - seenAt >= lifetime) processes.delete(id)
  }

  return {
    async announce(process, lifetime) {
      deleteExpired(lifetime)
      const known = processes.get(process.id)?.process
      // Two copies are compared: in Jest an object of the caller has other prototypes than a copy.
      const copy = copyFrozen(process)
      processes.set(process.id, { process: copy, seenAt: performance.now() })
      if (!isDeepStrictEqual(known, copy)) feed.publish({ kind: 'processes' })
    },
    async list(lifetime) {
      const running = [...processes.values()].filter(({ seenAt }) => performance.now() - seenAt < lifetime)
      return running.map(({ process }) => process).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
    async remove(id) {
      if (processes.delete(id)) feed.publish({ kind: 'processes' })
    },
  }
}
