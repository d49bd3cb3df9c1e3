/**
 * Gives each change a random value. SQLite adds no column with a default that is computed for each row, so the table is made
 * again. Processes of the previous version insert rows without naming the column.
 */
export const feedNonces = `
  ALTER TABLE platform_auth_changes RENAME TO platform_auth_changes_before;
  CREATE TABLE platform_auth_changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT,
    expires_at INTEGER,
    nonce TEXT NOT NULL DEFAULT (lower(hex(randomblob(12))))
  );
  INSERT INTO platform_auth_changes (seq, kind, id, expires_at)
    SELECT seq, kind, id, expires_at FROM platform_auth_changes_before ORDER BY seq;
  DROP TABLE platform_auth_changes_before;
`
