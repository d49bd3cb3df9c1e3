import { timingSafeEqual } from 'node:crypto'

/** Compares secrets, in a time that does not tell where they differ. */
export function isSameText(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
