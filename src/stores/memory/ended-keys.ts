import type { ApplicationRecord } from '../../shared/contracts/application-record.js'

/** Imported keys that applications have no more, and the order in which applications were added. */
export function createMemoryEndedKeys() {
  const numbers = new Map<string, number>()
  /** Hash of the key -> the applications that it must not begin to work for, by their numbers. */
  const ended = new Map<string, { readonly after: number; readonly until: number }[]>()

  /** Called for every save. It compares the ids of keys, because a hash may have been replaced since the record was read. */
  function note(former: ApplicationRecord | undefined, { id, keys }: ApplicationRecord): void {
    if (!former) numbers.set(id, numbers.size)
    for (const key of former?.keys ?? []) {
      if (!key.isImported || keys.some((each) => each.id === key.id)) continue
      const range = { after: numbers.get(id)!, until: numbers.size - 1 }
      ended.set(key.hash, [...(ended.get(key.hash) ?? []), range])
    }
  }

  /** The first application for which the hash counts, of those that have a key with an alternative hash. */
  function findFirst(hashes: readonly string[], found: readonly ApplicationRecord[]): ApplicationRecord | undefined {
    const ranges = hashes.flatMap((hash) => ended.get(hash) ?? [])
    const numberOf = ({ id }: ApplicationRecord): number => numbers.get(id)!
    return found
      .filter((record) => !ranges.some(({ after, until }) => numberOf(record) > after && numberOf(record) <= until))
      .toSorted((one, other) => numberOf(one) - numberOf(other))[0]
  }

  return { note, findFirst }
}
