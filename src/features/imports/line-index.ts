import { hash as digest } from 'node:crypto'

/** Remembers in which line of a file a text has been seen first, at 12 to 36 bytes for each text. */
export type LineIndex = ReturnType<typeof createLineIndex>

/** Two words of the text's digest, and the number of the line; 0 in an empty slot. */
const SLOT_WORDS = 3
const FIRST_SLOTS = 1024
/** Fuller than this, a search takes many slots. */
const MAX_FILL = 0.66

/** A hash table with linear probing. A `Map` takes ten times the memory, which a file of a million lines would not leave. */
export function createLineIndex() {
  let words = new Uint32Array(FIRST_SLOTS * SLOT_WORDS)
  let size = 0

  /** The position of the slot that has this digest, or of the empty one where it belongs. */
  function findSlot(table: Uint32Array, high: number, low: number): number {
    const slots = table.length / SLOT_WORDS
    let slot = low % slots
    while (table[slot * SLOT_WORDS + 2] !== 0) {
      if (table[slot * SLOT_WORDS] === high && table[slot * SLOT_WORDS + 1] === low) break
      slot = (slot + 1) % slots
    }
    return slot * SLOT_WORDS
  }

  function grow(): void {
    const larger = new Uint32Array(words.length * 2)
    for (let at = 0; at < words.length; at += SLOT_WORDS) {
      if (words[at + 2] !== 0)
        larger.set(words.subarray(at, at + SLOT_WORDS), findSlot(larger, words[at]!, words[at + 1]!))
    }
    words = larger
  }

  return {
    /** The line in which the text was seen before; undefined if this is the first, which is then remembered. */
    add(text: string, line: number): number | undefined {
      const octets = digest('sha256', text, 'buffer')
      const [high, low] = [octets.readUInt32LE(0), octets.readUInt32LE(4)]
      const at = findSlot(words, high, low)
      const earlier = words[at + 2]!
      if (earlier !== 0) return earlier
      words.set([high, low, line], at)
      size += 1
      if (size > (words.length / SLOT_WORDS) * MAX_FILL) grow()
      return undefined
    },
  }
}
