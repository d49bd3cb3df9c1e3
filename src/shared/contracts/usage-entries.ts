import type { UsageSum } from './usage.js'

/** The activity of an application at an API in a day or a month. */
export interface UsageEntry {
  /** The period in UTC: a day such as `2026-11-22`, or a month such as `2026-11`. */
  readonly period: string
  readonly applicationId: string
  readonly api: string
  /** Requests that a guard let pass. */
  readonly allowed: number
  /** Access tokens that were issued. */
  readonly accessTokens: number
  /** Refused requests and token requests, by the `error` that was sent; empty if there were none. */
  readonly refused: Readonly<Record<string, number>>
}

/** The activity of an application at all APIs in a day or a month. */
export interface UsageTotal extends UsageSum {
  /** A day such as `2026-11-22`, or a month such as `2026-11`, in UTC. */
  readonly period: string
  /** How many of allowed and refused ones together are refused, in percent, such as 2.5. */
  readonly share: number
  /** What was refused, by the `error` that was sent. */
  readonly errors: Readonly<Record<string, number>>
  /** What a day of the 7 before had on average; left out for a month. */
  readonly mean?: { readonly allowed: number; readonly refused: number }
}

/** The reason of a refusal, and its fix for the application's developer. */
export interface RefusalExplanation {
  /** The problem without a full stop, such as `The access token expired 2 hours ago`. */
  readonly problem: string
  /** The fix in full sentences, such as `Request a new access token.` */
  readonly fix: string
}

/** A refused request or token request of an application. */
export interface RefusalEntry extends RefusalExplanation {
  readonly at: Date
  readonly api: string
  /** The `error` that was sent. */
  readonly error: string
  /** The reason in more detail, as in events: such as `expired_token`. */
  readonly reason: string
  /**
   * The method and the route's pattern, such as `GET /orders/items/:id`; `*` stands for the path of a router that is no
   * plain text. Left out of refusals that earlier versions have stored.
   */
  readonly route?: string
  /** The host's `req.id`, if it sets one that may be stored. */
  readonly requestId?: string
  /** The caller's IP address. */
  readonly address?: string
}

/** The newest of equal refusals, in words, and how many there are. */
export interface CountedRefusal extends RefusalEntry {
  readonly count: number
}

/** The plan of an application, and what is used of it. */
export interface PlanUsage {
  /** Undefined for an application without a plan. */
  readonly plan: string | undefined
  /** The limits per day and month; empty without a plan. */
  readonly quotas: readonly QuotaUsage[]
  /** The other limits. */
  readonly rates: readonly { readonly limit: number; readonly window: number; readonly soft: boolean }[]
  /** The units of each day of the current month that has some, in UTC: `2026-11-22`. */
  readonly days: readonly { readonly day: string; readonly used: number }[]
}

/** A limit per day or month. */
export interface QuotaUsage {
  readonly per: 'day' | 'month'
  readonly limit: number
  /** Requests, or units if guards have a `cost`. More than `limit` is possible. */
  readonly used: number
  readonly left: number
  /** Whether requests above the limit pass. */
  readonly soft: boolean
  /** When it begins anew. */
  readonly endsAt: Date
}

/** A quota that is used above a share, of the application with this name. */
export interface QuotaAbove extends QuotaUsage {
  readonly applicationId: string
  readonly name: string
  readonly plan: string
  /** How much of it is used, in percent, such as 93.4; 100 or more: all of it. */
  readonly share: number
}

/** The details of an e-mail about a quota. */
export interface QuotaNotice {
  readonly percent: number
  /** Requests, or units if guards have a `cost`, in a day or month. */
  readonly limit: number
  readonly per: 'day' | 'month'
  /** Whether requests above it pass. */
  readonly soft: boolean
  /** When it begins anew, in milliseconds since 1970. */
  readonly endsAt: number
}
