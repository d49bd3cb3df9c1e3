/** The members of a refusal's details, as text, each after a space; empty if that is not known. */
export interface RefusalDetailsInWords {
  /** The address of the caller in brackets. */
  readonly address: string
  /** The time since something expired, such as ` 2 hours ago`. */
  readonly ago: string
  /** The name of the API in brackets and quotes. */
  readonly api: string
  /** The name of a credential in quotes. */
  readonly credential: string
  /** Scopes in brackets. */
  readonly scopes: string
  /** Seconds in brackets. */
  readonly seconds: string
}

/** The words of refusals in one language. A problem has no full stop; fixes are full sentences. */
export interface RefusalWords<Reason extends string> {
  readonly justNow: string
  quote(text: string): string
  /** A number of seconds that is not 1. */
  seconds(count: number): string
  /** The reasons of refusals, and errors that need no more detail; `unknown` is every other. */
  readonly reasons: Readonly<
    Record<Reason, readonly [problem: (details: RefusalDetailsInWords) => string, fix: string]>
  >
}
