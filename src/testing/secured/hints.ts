import { METHODS } from 'node:http'
import { findExamplePaths } from './example-path.js'

/** What the text of a function compares a request with. */
export interface Hints {
  /** `/orders/dump` */
  readonly paths: readonly string[]
  /** Names of headers, query parameters and cookies. */
  readonly names: readonly string[]
  /** Other texts. */
  readonly values: readonly string[]
}

/**
 * Reads texts and regular expressions in a function, because no request that is made up would have them: `req.path === '/dump'`,
 * `req.get('x-internal')`, `req.params.id === 'latest'`. What is not written in the function itself is not found.
 */
export function readHints(fn: (...args: never[]) => unknown): Hints {
  const source = Function.prototype.toString.call(fn).slice(0, MAX_SOURCE_LENGTH)
  const texts = [...source.matchAll(/'([^'\\\n]{1,80})'|"([^"\\\n]{1,80})"|`([^`\\\n$]{1,80})`/g)].map(
    ([, a, b, c]) => a ?? b ?? c ?? '',
  )
  const patterns = [
    ...source.matchAll(
      /(?:^|[(=,!&|?:\s])\/((?:\\.|\[[^\]\n]*\]|[^/\\[\n*])(?:\\.|\[[^\]\n]*\]|[^/\\[\n])*)\/([a-z]*)/g,
    ),
  ]
  const written = patterns.flatMap(([, pattern = '', flags]) => writePaths(pattern, flags))
  const properties = [...source.matchAll(/\.(?:headers|query|cookies|signedCookies)\s*(?:\?\.|\.)\s*(\w+)/g)].map(
    ([, name = '']) => name,
  )
  const words = texts.filter((text) => /^[\w.:@-]+$/.test(text))
  return {
    paths: limit([
      ...texts.filter((text) => /^\/[!-~]*$/.test(text)).map((text) => text.replace(/(?<=.)\*?$/, '')),
      ...written,
    ]),
    names: limit(
      [...properties, ...words.filter((word) => /^[A-Za-z][\w-]*$/.test(word))].filter((name) => !UNSAFE.test(name)),
    ),
    values: limit(words.filter((word) => !METHODS.includes(word))),
  }
}

/** Bundled code is long, and compares requests with hundreds of texts. */
const MAX_SOURCE_LENGTH = 8000
const MAX_HINTS = 12

/** Headers that would make another request of it, and credentials, which have requests of their own. */
const UNSAFE =
  /^(?:host|connection|content-.*|transfer-encoding|upgrade|expect|te|trailer|keep-alive|authorization|proxy-.*|if-.*|range|__proto__)$/i

function writePaths(pattern: string, flags = ''): string[] {
  try {
    return findExamplePaths(new RegExp(pattern, flags)).map(({ path }) => path).filter((path) => /^\/[!-~]+$/.test(path)) // prettier-ignore
  } catch {
    return []
  }
}

function limit(texts: readonly string[]): string[] {
  return [...new Set(texts)].slice(0, MAX_HINTS)
}
