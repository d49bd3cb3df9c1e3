/** Whether guards refuse requests: an option of a platform, of an API and of a guard. The guard's counts first, then the API's. */
export interface ReportOnlyOptions {
  /**
   * True, or an end: a guard lets the requests pass that it would refuse, and reports them (with `usage()`: `auth.usage.reportOnly()`). Unless `NODE_ENV` is
   * `development` or `test` it needs the end, the day from whose beginning in UTC guards refuse, at most 90 days ahead when the
   * process starts: `{ until: '2027-01-31' }`. True has the end of the API or of the platform. False, the default: guards refuse.
   */
  readonly reportOnly?: boolean | ReportOnlyEnd | undefined
}

export interface ReportOnlyEnd {
  /** The day as YYYY-MM-DD. */
  readonly until: string
}
