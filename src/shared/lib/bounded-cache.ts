import { ownMembers } from './own-members.js'

/** A map of bounded size that keeps the entries used last. */
export type BoundedCache<Value> = ReturnType<typeof createBoundedCache<Value>>

/** 16 MiB bound the memory that unusually large entries take, such as those of an attacker. */
const MAX_BYTES = 16 * 1024 * 1024

/** Two generations like quick-lru: a full young map becomes the old one. A hit in the old one moves the entry back. */
export function createBoundedCache<Value>(options: {
  /** The number of entries used last that are kept at least. The cache never holds more than twice as many. */
  readonly entries: number
  /** Estimates an entry's bytes beyond a few hundred. All stay below twice `MAX_BYTES`. 0 if left out. */
  readonly bytesOf?: (value: Value) => number
}) {
  const { entries, bytesOf = () => 0 } = ownMembers(options)
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  /** The bytes of the young entries. The old ones were within the bound when they were young. */
  let bytes = 0

  function remove(key: string): void {
    const value = young.get(key)
    if (value !== undefined && young.delete(key)) bytes -= bytesOf(value)
    old.delete(key)
  }

  function set(key: string, value: Value): void {
    const added = bytesOf(value)
    remove(key)
    if (young.size >= entries || bytes + added > MAX_BYTES) {
      old = young
      young = new Map()
      bytes = 0
    }
    young.set(key, value)
    bytes += added
  }

  return {
    get(key: string): Value | undefined {
      const value = young.get(key)
      if (value !== undefined) return value
      const oldValue = old.get(key)
      if (oldValue !== undefined) set(key, oldValue)
      return oldValue
    },
    set,
    delete: remove,
    clear(): void {
      young.clear()
      old.clear()
      bytes = 0
    },
    sweep(isExpired: (value: Value) => boolean): void {
      for (const generation of [young, old]) {
        for (const [key, value] of generation) if (isExpired(value)) remove(key)
      }
    },
    get size(): number {
      return young.size + old.size
    },
  }
}
