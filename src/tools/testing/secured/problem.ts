import type { PlatformAuth } from '../../../index.js'
import type { ReceivedAnswer } from '../send.js'
import { findApiAddress, formatGuardCall } from './addresses.js'

const SEE_ALL =
  'Let the guard see every method and spelling: guard and handler on one mount, app.use(path, guard, handler), router.use() or the route. Do not compare req.method, req.path or req.url yourself.'

/** What mends each kind of problem. GUARD is that of the API, and PATH that of the route. */
const FIXES = {
  open: 'Put GUARD before what answers, or list the address in "public" with the reason. Express calls what is mounted in the order in which it is mounted, and everybody can send what a function compares.',
  optional:
    'No other guard stands behind the optional one. Remove "optional: true", or list the route in "public" with the reason.',
  'report-only':
    'The guard only reports what it would refuse. Remove "reportOnly" of the guard, the API or the platform, or list the route in "public" with the reason.',
  'other-issuers':
    'Let "otherIssuers" answer 401 unless it has verified the token. What calls next() reaches the route.',
  'wrong-api': 'Use GUARD.',
  accepted: 'Let no middleware answer or call the handler before the guard has decided.',
  'other-path': SEE_ALL,
  'other-method': SEE_ALL,
  'wrong-refusal':
    'Let the guard answer: mount nothing before it that answers, and nothing that changes its answers. Give onDenied for answers of your own. If the route is protected otherwise, list it in "public" with that reason.',
  'missing-scope': 'Give the guard the scopes of the document.',
  'scope-not-documented': 'Add it to the "security" of the operation, or remove it from the guard.',
  'guarded-but-open-in-document': 'Give the operation its "security", or remove GUARD.',
  'not-documented': 'Add it to the document, or remove the route.',
  'no-route':
    'Add the route behind GUARD, or remove the operation from the document. If its path repeats the address of the API, give "prefix" with the document.',
  'public-but-guarded': 'Remove it from "public".',
  'public-without-route': 'Remove it from "public", or correct it.',
  'no-path': "Give one: examples: { 'PATH': '/...' }.",
  'nothing-found':
    'Give the app with all its routes, after they were added. If it has none on purpose, say why: allowNoRoutes: "...".',
}

/** The kinds of problems with a route. */
export type ProblemKind = keyof typeof FIXES

/** Something that `expectSecured()` found. */
export interface SecurityProblem {
  readonly kind: ProblemKind
  readonly route: string
  /** The request that was sent, and its result. */
  readonly description: string
  readonly fix: string
}

export type ProblemList = ReturnType<typeof createProblemList>

export function createProblemList(auth: PlatformAuth) {
  const found = new Map<string, SecurityProblem>()
  return {
    add(kind: ProblemKind, route: string, description: string, fix: string = FIXES[kind]): void {
      const path = route.replace(/^\S+ /, '')
      const api = findApiAddress(auth, path)?.api
      const guard = api === undefined ? 'a guard' : formatGuardCall(auth, api)
      const problem = { kind, route, description, fix: fix.replace('GUARD', guard).replace('PATH', () => path) }
      if (!found.has(`${kind} ${route}`)) found.set(`${kind} ${route}`, problem)
    },
    list: (): readonly SecurityProblem[] => [...found.values()],
  }
}

const MAX_TEXT_LENGTH = 240
const ENTITIES: Readonly<Record<string, string>> = { '#39': "'", quot: '"', lt: '<', gt: '>', amp: '&' }

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
