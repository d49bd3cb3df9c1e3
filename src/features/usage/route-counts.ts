import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiObserver, CountRequest, RequestNote } from '../../shared/contracts/api-observer.js'
import { whenAnswered } from '../../core/http/middleware.js'
import type { Counts } from './counts.js'
import { describeMatchedRoute } from './route-name.js'

interface Passed {
  units: number
  operation?: string
  /** 0 while a later guard judges it again, and if that has refused it. */
  times: number
  route?: string
}

/** The routes of an API that a process names: the database has a row for each of them, application, API and day. */
export const MAX_ROUTES = 200
/** Those that get no name of their own, and no more counts: no request is lost. */
export const OTHER_ROUTES = '(other)'

export function createRouteCounts(counts: Pick<Counts, 'count'>) {
  const unanswered = new Set<() => void>()

  /** `countAllowed` counts the requests to all routes. */
  function observe(api: string, countAllowed: CountRequest): Pick<ApiObserver, 'allowed' | 'noted'> {
    const requests = new WeakMap<object, Passed>()
    const nameRoute = createNames(MAX_ROUTES, OTHER_ROUTES)

    function note({ units, route }: RequestNote, req: object): void {
      const passed = find(req)
      if (units !== undefined) passed.units = units
      if (route !== undefined) passed.operation = route
    }

    function find(req: object): Passed {
      const known = requests.get(req)
      if (known) return known
      const passed: Passed = { units: 1, times: 0 }
      requests.set(req, passed)
      return passed
    }

    function allow(applicationId: string, times: 1 | -1, req: IncomingMessage, res: ServerResponse): void {
      countAllowed(applicationId, times)
      const passed = find(req)
      const isFirst = passed.times === 0 && times === 1
      passed.times += times
      if (passed.route !== undefined) add(applicationId, passed, times)
      else if (isFirst) countWhenAnswered(applicationId, passed, req, res)
    }

    function countWhenAnswered(applicationId: string, passed: Passed, req: IncomingMessage, res: ServerResponse): void {
      const countOnce = (): void => {
        if (!unanswered.delete(countOnce) || passed.route !== undefined || passed.times === 0) return
        passed.route = nameRoute(passed.operation ?? describeMatchedRoute(req) ?? OTHER_ROUTES)
        add(applicationId, passed, 1)
      }
      unanswered.add(countOnce)
      whenAnswered(res, countOnce)
    }

    function add(applicationId: string, { route, units }: Passed, times: number): void {
      counts.count({ api, outcome: 'allowed', route }, applicationId, times)
      if (units !== 1) counts.count({ api, outcome: 'extra', route }, applicationId, times * (units - 1))
    }

    return { allowed: allow, noted: note }
  }

  return {
    observe,
    /** Counts the requests that are not answered yet: a stream or a WebSocket may stay open for days. */
    countUnanswered(): void {
      for (const count of unanswered) count()
    },
  }
}

/** Returns the name under which something is counted: its own for as many as that, and the name `other` for the rest, whatever an app does. */
export function createNames(limit: number, other: string): (name: string) => string {
  const names = new Set<string>()
  return function findName(name) {
    if (names.size >= limit && !names.has(name)) return other
    names.add(name)
    return name
  }
}
