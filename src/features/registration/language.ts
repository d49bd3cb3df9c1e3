import type { IncomingMessage } from 'node:http'
import { LANGUAGES } from '../../applications/records/validation.js'
import type { Language } from '../../contracts/email-content.js'
import { readHeader } from '../../http/request.js'

/**
 * The language that a caller prefers (RFC 9110 12.5.4) among those in which e-mails are written; undefined if it names none
 * of them. `de-AT` stands for `de`.
 */
export function readPreferredLanguage(req: IncomingMessage): Language | undefined {
  const header = readHeader(req, 'accept-language') ?? ''
  const ranges = header.split(',', MAX_RANGES).map(parseRange)
  const [best] = ranges
    .filter(({ language, quality }) => language !== undefined && quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
  return best?.language
}

/** The limit exceeds what browsers send. */
const MAX_RANGES = 20

/** A range without a quality, or with a malformed one, counts fully. */
function parseRange(range: string): { readonly language: Language | undefined; readonly quality: number } {
  const [tag = '', ...parameters] = range.split(';')
  const [primary] = tag.trim().toLowerCase().split('-')
  const [, quality] = /^q=(0(?:\.\d{1,3})?)$/.exec(parameters.join(';').trim()) ?? []
  return { language: LANGUAGES.find((each) => each === primary), quality: quality === undefined ? 1 : Number(quality) }
}
