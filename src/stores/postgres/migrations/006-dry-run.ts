/** What guards that only report would refuse. Processes of the previous version know nothing of it, and keep working. */
export const dryRun = `
  CREATE TABLE platform_auth_dry_run (
    application_id text COLLATE "C" NOT NULL,
    api text COLLATE "C" NOT NULL,
    route text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    PRIMARY KEY (application_id, api, route, reason)
  );
  CREATE INDEX platform_auth_dry_run_by_time ON platform_auth_dry_run (last_at);
`
