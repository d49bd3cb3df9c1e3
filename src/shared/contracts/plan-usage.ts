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
  readonly limit: number
  readonly per: 'day' | 'month'
  readonly soft: boolean
  /** Milliseconds since 1970. */
  readonly endsAt: number
}
