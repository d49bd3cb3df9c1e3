/** The words that a search compares with, from the page and from search.json. */
export interface SearchEntry {
  readonly key: string
  readonly method: string
  readonly path: string
  readonly summary: string
  /** The operationId, the names of parameters, and the description. */
  readonly words: string
}

/** Resolves the keys of the operations that match, best first. */
export type Search = (query: string) => string[]

/**
 * A search over operations: each word of the query must be somewhere in an operation. Scanning 1,223 operations takes a few
 * milliseconds, so there is no index beside the texts in lower case.
 */
export function createSearch(entries: readonly SearchEntry[]): Search {
  const prepared = entries.map(({ key, method, path, summary, words }) => ({
    key,
    fields: [key, method, path, summary, words].map((text) => text.toLowerCase()),
  }))
  return (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return []
    return prepared
      .map(({ key, fields }) => ({ key, score: scoreWords(words, fields) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .map(({ key }) => key)
  }
}

/** The score of an operation; 0 if a word is nowhere in it. */
function scoreWords(words: readonly string[], fields: readonly string[]): number {
  let total = 0
  for (const word of words) {
    const best = scoreWord(word, fields)
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
