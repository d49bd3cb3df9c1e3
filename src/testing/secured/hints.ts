import { METHODS } from 'node:http'
import { readClosure } from './closure-texts.js'
import { findExamplePaths } from './example-path.js'
import type { Handler } from '../../express-routes/layers.js'

/** The values with which the text of a function compares a request. */
export interface Hints {
  /** Paths, such as `/orders/dump`. */
  readonly paths: readonly string[]
  /** Names of headers, query parameters and cookies. */
  readonly names: readonly string[]
  /** Other texts. */
  readonly values: readonly string[]
}

/**
 * Reads the texts and regular expressions that a function compares requests with, because no invented request would have them:
 * `req.path === '/dump'`, `req.get('x-internal')`, `req.params.id === 'latest'`. Texts of the function, and of functions that
 * it calls, come before those in the variables that it sees.
 */
export function readHints(fn: Handler): Hints {
  const { texts: seen, sources } = readClosure(fn)
  const source = [Function.prototype.toString.call(fn), ...sources].join('\n').slice(0, MAX_SOURCE_LENGTH)
  const literals = [...source.matchAll(/'([^'\\\n]{1,80})'|"([^"\\\n]{1,80})"|`([^`\\\n$]{1,80})`/g)]
  const texts = [...literals.map(([, a, b, c]) => a ?? b ?? c ?? ''), ...writeExamples(source)]
  const words = texts.filter((text) => /^[A-Za-z][\w-]*$/.test(text))
  const isValue = (text: string): boolean => /^[!-~]+$/.test(text) && !METHODS.includes(text)
  return {
    paths: limit([...texts, ...seen].flatMap(toPaths), MAX_PATHS),
    names: limit([...readProperties(source), ...words].filter((name) => !UNSAFE.test(name))),
    values: [...limit(texts.filter(isValue)), ...limit(seen.filter(isValue), MAX_SEEN)],
  }
}

/** Bundled code is long, and compares requests with hundreds of texts. */
const MAX_SOURCE_LENGTH = 8000
const MAX_HINTS = 12
const MAX_SEEN = 6
const MAX_PATHS = 20

/** Headers that would change the request, and credentials, which have requests of their own. */
const UNSAFE =
  /^(?:host|connection|content-(?:length|encoding|range)|transfer-encoding|upgrade|expect|te|trailer|keep-alive|authorization|proxy-.*|if-.*|range|__proto__)$/i

/** Reads `/dump`, and the name of a service, which is a path below the function's mount path. */
function toPaths(text: string): string[] {
  if (/^\/[!-~]*$/.test(text)) return [text.replace(/(?<=.)\*?$/, '')]
  return /^[\w-]+(?:\/[\w.-]+)*$/.test(text) ? [`/${text}`] : []
}

/** Reads the names in `req.query.debug` and `req.body?.internal`. */
function readProperties(source: string): string[] {
  const found = source.matchAll(/\.(?:headers|query|body|cookies|signedCookies)\b[^\n;{}]{0,60}?(?:\?\.|\.)\s*(\w+)/g)
  return [...found].map(([, name = '']) => name)
}

/** Makes a text for each regular expression in the source. */
function writeExamples(source: string): string[] {
  const start = String.raw`(?:^|[(=,!&|?:\s])`
  const body = String.raw`((?:\\.|\[[^\]\n]*\]|[^/\\[\n*])(?:\\.|\[[^\]\n]*\]|[^/\\[\n])*)`
  return [...source.matchAll(new RegExp(`${start}/${body}/([a-z]*)`, 'g'))].flatMap(([, pattern = '', flags]) => {
    try {
      return findExamplePaths(new RegExp(pattern, flags)).map(({ path }) => path)
    } catch {
      return []
    }
  })
}

function limit(texts: readonly string[], count = MAX_HINTS): string[] {
  return [...new Set(texts)].slice(0, count)
}
