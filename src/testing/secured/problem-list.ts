import type { CheckContext } from './check-context.js'
import type { SecurityProblem } from './problem.js'
import { findSourceLocations } from './source-location.js'

export interface ProblemList {
  readonly report: CheckContext['report']
  add(problem: SecurityProblem): void
  list(): readonly SecurityProblem[]
}

/** Problems, each once for a route and a kind, with the places of their handlers, among all handlers of the app. */
export function createProblemList(allHandlers: readonly unknown[]): ProblemList {
  const found = new Map<string, Omit<SecurityProblem, 'location'> & { readonly handlers: readonly unknown[] }>()
  const add = (problem: Omit<SecurityProblem, 'location'>, handlers: readonly unknown[]): void => {
    const key = `${problem.kind} ${problem.route}`
    if (!found.has(key)) found.set(key, { ...problem, handlers })
  }
  return {
    report: (kind, endpoint, method, description, fix) =>
      add({ kind, route: `${method} ${endpoint.path}`, description, fix }, endpoint.handlers),
    add: (problem) => add(problem, []),
    list() {
      const problems = [...found.values()]
      const locations =
        problems.length > 0
          ? findSourceLocations(
              problems.flatMap(({ handlers }) => handlers),
              allHandlers,
            )
          : []
      let at = 0
      return problems.map(({ handlers, ...problem }) => {
        const own = locations.slice(at, (at += handlers.length))
        return { ...problem, location: own.findLast((location) => location !== undefined) }
      })
    },
  }
}
