/** Whether guards refuse requests: options of a platform, of an API and of a guard. The guard's count first, then the API's. */
export interface EnforcementOptions {
  /**
   * False: a guard lets the requests pass that it would refuse, and reports them (`auth.dryRun`). In production it needs
   * `enforceBy`. True if left out.
   */
  readonly enforce?: boolean | undefined
  /** The day, such as `'2027-01-31'`, from whose beginning in UTC guards refuse in spite of `enforce: false`. */
  readonly enforceBy?: string | undefined
}
