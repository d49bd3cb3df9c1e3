/** Such as ` Did you mean "title"?`, with its space: at most three words one or two edits away, or which it begins. */
export function didYouMean(
  word: string,
  known: readonly string[],
  format: (known: string) => string = (known) => `"${known}"`,
): string {
  const allowedEdits = Math.min(2, Math.ceil(word.length / 4))
  const close = known.filter((each) => editDistance(word.toLowerCase(), each.toLowerCase()) <= allowedEdits)
  const completed = word.length >= 3 ? known.filter((each) => each.startsWith(word)) : []
  const similar = [...new Set([...close, ...completed])].slice(0, 3)
  return similar.length > 0 ? ` Did you mean ${similar.map(format).join(' or ')}?` : ''
}

/** Damerau-Levenshtein distance: characters to insert, delete or replace, or neighbours to swap. */
function editDistance(a: string, b: string): number {
  let rowBefore: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? rowBefore[j - 2]! + 1 : Infinity
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1, swapped))
    }
    rowBefore = row
    row = next
  }
  return row[b.length]!
}
