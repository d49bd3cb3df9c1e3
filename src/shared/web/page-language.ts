import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Language } from '../contracts/application-record.js'
import { readHeader } from '../lib/request.js'
import { FRAME_TEXTS } from './page-frame.js'

/** The language for a contact: the application's, else what the browser prefers (RFC 9110 12.5.5), else English. */
export function choosePageLanguage(req: IncomingMessage, res: ServerResponse, stored?: Language): Language {
  if (stored !== undefined) return stored
  res.appendHeader('Vary', 'Accept-Language')
  return readPreferredLanguage(req) ?? 'en'
}

/** The language that a caller prefers (RFC 9110 12.5.4) among those of e-mails; undefined if it names none. */
export function readPreferredLanguage(req: IncomingMessage): Language | undefined {
  const header = readHeader(req, 'accept-language') ?? ''
  const ranges = header.split(',', MAX_RANGES).map(parseRange)
  const [best] = ranges
    .filter(({ language, quality }) => language !== undefined && quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
  return best?.language
}

const LANGUAGES = Object.keys(FRAME_TEXTS) as readonly Language[]

/** The limit exceeds what browsers send. */
const MAX_RANGES = 20

/** A range without a quality, or with a malformed one, counts fully. */
function parseRange(range: string): { readonly language: Language | undefined; readonly quality: number } {
  const [tag = '', ...parameters] = range.split(';')
  const [primary] = tag.trim().toLowerCase().split('-')
  const [, quality] = /^q=(0(?:\.\d{1,3})?)$/.exec(parameters.join(';').trim()) ?? []
  return { language: LANGUAGES.find((each) => each === primary), quality: quality === undefined ? 1 : Number(quality) }
}
