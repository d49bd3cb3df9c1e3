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
export interface UsageTotal {
  /** A day such as `2026-11-22`, or a month such as `2026-11`, in UTC. */
  readonly period: string
  readonly applicationId: string
  /** Empty for a deleted application. */
  readonly name: string
  readonly allowed: number
  readonly accessTokens: number
  readonly refused: number
  /** How many of the three are refused, in percent, such as 2.5. */
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
