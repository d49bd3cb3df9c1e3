/** A seeded random number generator. */
export interface Random {
  /** An integer from 0 up to but not including `end`. */
  below(end: number): number
  chance(probability: number): boolean
  pick<Each>(list: readonly Each[]): Each
  text(length: number, alphabet?: string): string
}

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The algorithm mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)]!,
    text(length, alphabet = ALPHANUMERIC) {
      let text = ''
      for (let i = 0; i < length; i++) text += alphabet[below(alphabet.length)]
      return text
    },
  }
}
