/** The words that a search compares with, from the page and from search.json. */
export interface SearchEntry {
  readonly key: string
  readonly method: string
  readonly path: string
  readonly summary: string
  /** Names of the operation, its parameters, statuses, properties and schemas, and the description. */
  readonly words: string
}

/** Returns the keys of the operations that match, best first. */
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
      .map(({ key, fields }) => ({ key, score: scoreWords(words, fields) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .map(({ key }) => key)

  return (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return []
    const found = find(words.map((word) => [word]))
    return found.length > 0 ? found : find(words.map(listSimilar))
  }
}

/** Shorter words are similar to too many others. */
const MIN_CORRECTED = 4

/** Whether two words differ by one letter that is missing, wrong, too many, or in the place of its neighbour. */
function isSimilar(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  const shortest = Math.min(one.length, other.length) - start
  while (end < shortest && one.at(-1 - end) === other.at(-1 - end)) end++
  const [a, b] = [one, other].map((word) => word.slice(start, word.length - end)) as [string, string]
  return (a.length <= 1 && b.length <= 1) || (a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0])
}

/** The score of an operation; 0 if a word is nowhere in it. Each word is given with those that it may stand for. */
function scoreWords(words: readonly (readonly string[])[], fields: readonly string[]): number {
  let total = 0
  for (const alternatives of words) {
    let best = 0
    for (const word of alternatives) best = Math.max(best, scoreWord(word, fields))
    if (best === 0) return 0
    total += best
  }
  return total
}

function scoreWord(word: string, [key = '', method, path = '', summary = '', words = '']: readonly string[]): number {
  if (key === word || path === word) return 100
  if (method === word) return 60
  if (hasWordStart(path, word)) return 40
  if (hasWordStart(summary, word)) return 30
  if (hasWordStart(key, word)) return 25
  if (path.includes(word) || summary.includes(word) || key.includes(word)) return 15
  if (hasWordStart(words, word)) return 5
  return words.includes(word) ? 2 : 0
}

/** Whether a word of the text begins with the query's; `/items` begins a part of a path too. */
function hasWordStart(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[a-z0-9]/.test(text.charAt(at - 1)) || !/[a-z0-9]/.test(word.charAt(0))) return true
  }
  return false
}
