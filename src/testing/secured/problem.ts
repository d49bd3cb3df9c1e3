import type { Outcome } from './prober.js'

/** The kinds of problems with a route. */
export type ProblemKind =
  | 'open'
  | 'optional'
  | 'report-only'
  | 'other-issuers'
  | 'wrong-api'
  | 'accepted'
  | 'other-path'
  | 'other-method'
  | 'wrong-refusal'
  | 'missing-scope'
  | 'scope-not-documented'
  | 'guarded-but-open-in-document'
  | 'not-documented'
  | 'no-route'
  | 'public-but-guarded'
  | 'public-without-route'
  | 'no-path'
  | 'nothing-found'

/** Something that `expectSecured()` found. */
export interface SecurityProblem {
  readonly kind: ProblemKind
  /** `GET /orders/items/:id` */
  readonly route: string
  /** `src/orders.ts:12`, where the handler is defined, if that is known. */
  readonly location: string | undefined
  /** The request that was sent, and its result. */
  readonly description: string
  readonly fix: string
}

const MAX_TEXT_LENGTH = 240
/** Matches Express's error pages. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&#39;': "'",
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

/** The answer, in a few words. */
export function describeOutcome({ reached, answer }: Outcome): string {
  if (reached) return 'it reached the handler'
  if (!answer) return 'it got no answer'
  const markup = /<head>.*?<\/head>|<[^>]*>|&nbsp;/gs
  const plain = answer.body
    .toString()
    .replaceAll(markup, ' ')
    .replaceAll(/&(?:#39|quot|lt|gt|amp);/g, (entity) => ENTITIES[entity]!)
  const text = plain.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TEXT_LENGTH)
  return text === '' ? `the answer was ${answer.status}` : `the answer was ${answer.status} ${text}`
}

/** The error with which `expectSecured()` rejects. */
export class RoutesNotSecuredError extends Error {
  override readonly name = 'RoutesNotSecuredError'
  readonly problems: readonly SecurityProblem[]

  constructor(problems: readonly SecurityProblem[], routeCount: number) {
    const lines = problems.map(({ route, location, description, fix }, at) => {
      const place = location === undefined ? '' : ` (${location})`
      return `${at + 1}. ${route}${place}\n   ${description}\n   Fix: ${fix}`
    })
    const count = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in ${routeCount} routes`
    super([`expectSecured found ${count}:`, ...lines].join('\n\n'))
    this.problems = problems
  }
}
