import type { Api } from '../contracts/api.js'
import type { LimitHeaders, RateLimit } from '../rate-limits/rate-limit.js'
import { findIdentity, findRequest } from './auth-of.js'

/** Counts a request of an application toward the `requests` limit of an API. Rejects with 429 above it. */
export type CountRequest = (applicationId: string, req?: object) => Promise<LimitHeaders>

export interface RequestCounter {
  readonly countForGuard: (applicationId: string, req: object) => Promise<LimitHeaders>
  /** A request that a guard or a verifier has counted already for that application is not counted again. */
  readonly countForVerifier: CountRequest
}

export function createRequestCounter(api: Api, limit: RateLimit): RequestCounter {
  /**
   * Requests that verifiers have counted, by application. Guards record nothing here: a verifier finds the identity that they
   * established.
   */
  const counted = new WeakMap<object, Map<string, Promise<LimitHeaders>>>()
  let isNoted = false

  return {
    countForGuard: (applicationId, req) => (isNoted && counted.get(req)?.get(applicationId)) || limit(applicationId),
    countForVerifier(applicationId, req) {
      if (req === undefined) return limit(applicationId)
      const request = findRequest(req)
      if (findIdentity(request, api)?.application.id === applicationId) return Promise.resolve({})
      const ofRequest = counted.get(request) ?? new Map<string, Promise<LimitHeaders>>()
      const earlier = ofRequest.get(applicationId)
      if (earlier) return earlier
      const count = limit(applicationId)
      isNoted = true
      counted.set(request, ofRequest.set(applicationId, count))
      return count
    },
  }
}
