/** What somebody may have meant by a word that is none: the ones a slip or two away, or those that it begins. */
export function meantBy(word: string, known: readonly string[]): readonly string[] {
  const begun = word.length >= 3 ? known.filter((each) => each.startsWith(word)) : []
  const slips = Math.min(2, Math.ceil(word.length / 4))
  const close = known.filter((each) => distance(word.toLowerCase(), each.toLowerCase()) <= slips)
  return [...new Set([...close, ...begun])].slice(0, 3)
}

/** A question for the end of a sentence that refuses; empty where there is nothing to suggest. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = meantBy(word, known).map((each) => `"${each}"`)
  return meant.length > 0 ? ` Did you mean ${meant.join(' or ')}?` : ''
}

/** Letters to insert, drop or replace, or neighbours to swap, until one is the other (Damerau). */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Infinity
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1, swapped))
    }
    before = row
    row = next
  }
  return row[b.length]!
}
