import type { Language } from '../contracts/application-record.js'
import type { Denial } from '../contracts/denial.js'
import { toSentence } from '../contracts/errors.js'
import { fillText } from '../lib/fill-in.js'
import { formatRelativeTime } from '../lib/relative-time.js'

/** The words of pages for refusals, by their errors. English has none: the core describes each refusal in English itself. */
export interface Refusals {
  readonly [error: string]: string
  /** `{wait}`: such as `in 10 minutes`. */
  readonly tooManyUntil: string
  readonly other: string
}

export function describeRefusal(
  { status, error, description, headers }: Denial,
  refusals: Refusals | undefined,
  language: Language,
): string {
  if (!refusals) return toSentence(description)
  const seconds = status === 429 ? headers['Retry-After'] : undefined
  if (seconds === undefined) return new Map(Object.entries(refusals)).get(error) ?? refusals.other
  return fillText(refusals.tooManyUntil, { wait: formatRelativeTime(Number(seconds), language) })
}
