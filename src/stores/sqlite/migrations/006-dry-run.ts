/** What guards that only report would refuse. Processes of the previous version know nothing of it, and keep working. */
export const dryRun = `
  CREATE TABLE platform_auth_dry_run (
    application_id TEXT NOT NULL,
    api TEXT NOT NULL,
    route TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (application_id, api, route, reason)
  ) WITHOUT ROWID;
  CREATE INDEX platform_auth_dry_run_by_time ON platform_auth_dry_run (last_at);
`
