export interface SearchEntry {
  readonly key: string
  readonly method: string
  readonly path: string
  readonly summary: string
  /** Names of the operation, its parameters, statuses, properties and schemas, and the description. */
  readonly words: string
}

export type Search = (query: string) => string[]

/**
 * A search over operations: each word of the query must be somewhere in an operation. If one is nowhere, it may have one typing
 * error. Scanning 1,223 operations takes a few milliseconds, so there is no index beside the texts in lower case.
 */
export function createSearch(entries: readonly SearchEntry[]): Search {
  const prepared = entries.map(({ key, method, path, summary, words }) => ({
    key,
    fields: [key, method, path, summary, words].map((text) => text.toLowerCase()),
  }))
  let vocabulary: ReadonlySet<string> | undefined

  /** The words of the operations that differ from a word by one typing error, or begin with one that does. */
  function listSimilar(word: string): readonly string[] {
    if (word.length < MIN_CORRECTED || prepared.some(({ fields }) => scoreWord(word, fields) > 0)) return [word]
    vocabulary ??= new Set(prepared.flatMap(({ fields }) => fields.join(' ').split(/[^\p{L}\p{N}]+/u)))
    const lengths = [word.length, word.length - 1, word.length + 1]
    return [...vocabulary].filter((known) => lengths.some((length) => isSimilar(word, known.slice(0, length))))
  }

  const find = (words: readonly (readonly string[])[]): string[] =>
    prepared
      .map(({ key, fields }) => ({
        key,
        scores: words.map((alternatives) => Math.max(0, ...alternatives.map((word) => scoreWord(word, fields)))),
      }))
      .filter(({ scores }) => !scores.includes(0))
      .map(({ key, scores }) => ({ key, score: scores.reduce((sum, score) => sum + score, 0) }))
      .toSorted((a, b) => b.score - a.score)
      .map(({ key }) => key)

  return (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return []
    const found = find(words.map((word) => [word]))
    return found.length > 0 ? found : find(words.map(listSimilar))
  }
}

const MIN_CORRECTED = 4

/** Whether two words differ by one letter that is missing, wrong, too many, or in the place of its neighbour. */
function isSimilar(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const [a, b] = [one.slice(start), other.slice(start)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
  return isSwapped || a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1)
}

function scoreWord(word: string, [key = '', method, path = '', summary = '', words = '']: readonly string[]): number {
  if (key === word || path === word) return 100
  if (method === word) return 60
  // A word of the text begins with the query's; `/items` begins a part of a path too.
  const start = new RegExp(
    `${/^[a-z0-9]/.test(word) ? '(?<![a-z0-9])' : ''}${word.replaceAll(/[^\p{L}\p{N}\s]/gu, '\\$&')}`,
  )
  if (start.test(path)) return 40
  if (start.test(summary)) return 30
  if (start.test(key)) return 25
  if (path.includes(word) || summary.includes(word) || key.includes(word)) return 15
  if (start.test(words)) return 5
  return words.includes(word) ? 2 : 0
}
