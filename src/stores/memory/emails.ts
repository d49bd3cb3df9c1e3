import type { LetterChange, LetterQuery, LetterRecord } from '../../contracts/store.js'
import { frozen } from './frozen.js'

export function memoryLetters() {
  // A Map keeps the place of what is set again, so of two that are due at one instant the older one comes first.
  const letters = new Map<string, LetterRecord>()

  const isNext = ({ id, version }: LetterRecord): boolean => (letters.get(id)?.version ?? 0) === version - 1
  const save = (letter: LetterRecord): void => void letters.set(letter.id, frozen(letter))

  /** Whether the stored version is as the change says. */
  function admits(change: LetterChange | undefined): boolean {
    if (change === undefined || change === 'removeAll') return true
    return 'save' in change ? isNext(change.save) : letters.get(change.remove.id)?.version === change.remove.version
  }

  function apply(change: LetterChange | undefined, applicationId: string): void {
    if (change === undefined) return
    if (change === 'removeAll') {
      for (const letter of letters.values()) if (letter.applicationId === applicationId) letters.delete(letter.id)
    } else if ('save' in change) save(change.save)
    else letters.delete(change.remove.id)
  }

  function lease(now: number, until: number): LetterRecord | undefined {
    const [letter] = inOrder(({ state, dueAt, leasedUntil }) => state === 'due' && dueAt <= now && leasedUntil <= now)
    if (!letter) return undefined
    save({ ...letter, leasedUntil: until, version: letter.version + 1 })
    return letters.get(letter.id)
  }

  function list({ applicationId, state, limit }: LetterQuery): readonly LetterRecord[] {
    const wanted = (letter: LetterRecord) =>
      letter.applicationId === (applicationId ?? letter.applicationId) && letter.state === (state ?? letter.state)
    return inOrder(wanted).slice(0, limit)
  }

  function inOrder(wanted: (letter: LetterRecord) => boolean): readonly LetterRecord[] {
    return [...letters.values()].filter(wanted).toSorted((one, other) => one.dueAt - other.dueAt)
  }

  return {
    isNext,
    save,
    admits,
    apply,
    lease,
    list,
    findByClaim: (claim: string) =>
      [...letters.values()].find(({ claims }) => claims.some(({ hash }) => hash === claim)),
  }
}
