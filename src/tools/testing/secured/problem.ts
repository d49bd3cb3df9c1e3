import type { ReceivedAnswer } from '../send.js'

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
  /** The request that was sent, and its result. */
  readonly description: string
  readonly fix: string
}

export type ProblemList = ReturnType<typeof createProblemList>

export function createProblemList() {
  const found = new Map<string, SecurityProblem>()
  return {
    /** Adds a problem, once for each kind and route. */
    add(problem: SecurityProblem): void {
      const key = `${problem.kind} ${problem.route}`
      if (!found.has(key)) found.set(key, problem)
    },
    list: (): readonly SecurityProblem[] => [...found.values()],
  }
}

const MAX_TEXT_LENGTH = 240
/** In Express's error pages. */
const ENTITIES: Readonly<Record<string, string>> = { '#39': "'", quot: '"', lt: '<', gt: '>', amp: '&' }

/** The answer, in a few words. */
export function describeAnswer(answer: ReceivedAnswer | undefined): string {
  if (!answer) return 'it got no answer'
  const markup = /<head>.*?<\/head>|<[^>]*>|&nbsp;/gs
  const plain = answer.body
    .toString()
    .replaceAll(markup, ' ')
    .replaceAll(/&(#39|quot|lt|gt|amp);/g, (_, name: string) => ENTITIES[name]!)
  const text = plain.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TEXT_LENGTH)
  return text === '' ? `the answer was ${answer.status}` : `the answer was ${answer.status} ${text}`
}

/** The error with which `expectSecured()` rejects. */
export class RoutesNotSecuredError extends Error {
  override readonly name = 'RoutesNotSecuredError'
  readonly problems: readonly SecurityProblem[]

  constructor(problems: readonly SecurityProblem[], routeCount: number) {
    const lines = problems.map(
      ({ route, description, fix }, at) => `${at + 1}. ${route}\n   ${description}\n   Fix: ${fix}`,
    )
    const count = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in ${routeCount} routes`
    super([`expectSecured found ${count}:`, ...lines].join('\n\n'))
    this.problems = problems
  }
}
