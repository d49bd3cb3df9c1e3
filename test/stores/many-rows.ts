import { NOW } from './suite/records.js'

/** The tables that do not grow with the number of applications: whole reads of them are no defect. */
export const SMALL_TABLES = ['platform_auth_meta', 'platform_auth_signing_keys']

/**
 * The SQL that fills each table that grows, in proportion to that many applications. `numbers` is a source of rows `n (i)`,
 * from 0 on. The tables must be new, because an application's `seq` is taken to be `i + 1`.
 */
export function fillingStatements(numbers: (count: number) => string, count: number): readonly string[] {
  const all = numbers(count)
  const insert = (table: string, columns: string, values: string, rows = all, where = '1 = 1') =>
    `INSERT INTO platform_auth_${table} (${columns}) SELECT ${values} FROM ${rows} WHERE ${where} ORDER BY i`
  const status = `CASE WHEN i % 50 = 0 THEN 'suspended' WHEN i % 77 = 0 THEN 'pending' ELSE 'active' END`
  const credential = (prefix: string, kind: string, name: string) =>
    `'${prefix} ' || i, i + 1, '${kind}', 1, '${name}_' || i, 'Name', 'prefix', ${NOW}, ${NOW} + i`
  const credentials = 'hash, application_seq, kind, position, id, name, prefix, created_at, expires_at'
  return [
    insert(
      'applications',
      'id, name, contact, status, created_at, tokens_revoked_at, external_id, plan, waiting_since, agreed, version',
      `'app_' || i, 'Name ' || i || '.', 'C' || i || '@example.com', ${status}, ${NOW}, 0,
        CASE WHEN i % 3 = 0 THEN 'customer ' || i END, CASE WHEN i % 40 = 0 THEN 'gold' WHEN i % 2 = 0 THEN 'free' END,
        CASE WHEN i % 30 = 0 OR i % 77 = 0 THEN ${NOW} - i END, CASE WHEN i % 77 = 0 THEN '{"isHeld":true}' END, 1`,
    ),
    insert(
      'contacts',
      'application_seq, position, address, contact',
      `i + 1, 1, 'O' || i || '@example.com', 'o' || i || '@example.com'`,
      all,
      'i % 5 = 0',
    ),
    insert('grants', 'application_seq, api, position, scopes, status', `i + 1, 'orders', 1, '["read"]', ${status}`),
    insert(
      'grants',
      'application_seq, api, position, scopes, status',
      `i + 1, 'catalog', 2, '[]', ${status}`,
      all,
      'i % 2 = 0',
    ),
    insert('credentials', credentials, credential('key', 'key', 'key'), all, 'i % 40 = 0'),
    insert(
      'credentials',
      credentials,
      credential('key', 'key', 'key').replace(/, [^,]*$/, ', NULL'),
      all,
      'i % 40 <> 0',
    ),
    // Every secret expires, much later.
    insert('credentials', credentials, `${credential('secret', 'secret', 'secret')} + 10000000`),
    insert(
      'credentials',
      `${credentials}, imported`,
      `${credential('sha256:', 'key', 'imported').replace(/, [^,]*$/, ', NULL')}, TRUE`,
      all,
      'i % 4 = 0',
    ),
    insert('last_uses', 'application_seq, used_at', `i + 1, CASE WHEN i % 2 = 0 THEN ${NOW} - i ELSE 0 END`),
    insert(
      'ended_keys',
      'hash, application_seq, last_seq, ended_at',
      `'sha256:' || i, i + 1, ${count}, ${NOW}`,
      all,
      'i % 3 = 0',
    ),
    insert(
      'emails',
      `id, application_id, purpose, state, overlap, attempt_count, attempted_hashes, claim_links, created_at, due_at, leased_until, version`,
      `'email ' || i, 'app_' || i, 'registration', CASE WHEN i % 2 = 0 THEN 'due' ELSE 'failed' END, 0, 0, '[]', '[]',
        ${NOW}, ${NOW} - ${count} + i, 0, 1`,
    ),
    insert('email_claim_links', 'hash, email_seq', `'claim ' || i, i + 1`),
    insert('revoked_access_tokens', 'id, expires_at', `'token ' || i, ${NOW} + i`),
    insert(
      'audit',
      'at, type, actor, application_id, details',
      `${NOW} + i, CASE WHEN i % 10 = 0 THEN 'application.suspended' ELSE 'application.created' END, CASE WHEN i % 5 = 0 THEN 'ann' END, 'app_' || i, '{}'`,
    ),
    // A store keeps a bounded number of changes, however many applications there are.
    insert('changes', 'kind, id', `'application', 'app_' || i`, all, 'i < 1000'),
    insert(
      'sign_ins',
      'id, contact, link_hash, guesses, created_at, expires_at',
      `'sign-in ' || i, 'c' || i || '@example.com', 'link-' || i, 0, ${NOW}, ${NOW} + 1000000 + i`,
    ),
    insert(
      'sign_outs',
      'subject, nonce, at, expires_at',
      `'contact:c' || i || '@example.com', 'n', ${NOW}, ${NOW} + 1000000 + i`,
    ),
    insert('assertions', 'application_id, hash, expires_at', `'app_' || i, 'assertion ' || i, ${NOW} + i`),
    insert('processes', 'id, settings, seen_at', `'process ' || i, '{}', ${NOW} + i`),
    insert('usage', 'day, application_id, api, outcome, count', `'2026-11-01', 'app_' || i, 'orders', 'allowed', 1`),
    insert('usage', 'day, application_id, api, outcome, count', `'2026-11-02', 'app_' || i, 'orders', 'allowed', 1`),
    insert(
      'usage',
      'day, application_id, api, outcome, route, count',
      `'2026-11-02', 'app_' || i, 'orders', 'allowed', 'GET /orders', 1`,
    ),
    insert(
      'usage',
      'day, application_id, api, outcome, count',
      `'2026-11-03', 'app_' || i, 'rare', 'allowed', 1`,
      all,
      `i >= ${count} - 5`,
    ),
    ...['2026-11-01', '2026-11'].map((period) =>
      insert(
        'usage_sums',
        'application_id, period, allowed, tokens, refused',
        `'app_' || i, '${period}', i % 100, 1, i % 100`,
      ),
    ),
    ...['2026-11-01', '2026-11'].map((day) =>
      insert(
        'quotas',
        'application_id, day, count, plan',
        `'app_' || i, '${day}', i % 100, CASE WHEN i % 40 = 0 THEN 'gold' WHEN i % 2 = 0 THEN 'free' END`,
      ),
    ),
    insert('usage_batches', 'id, at', `'bulk ' || i, ${NOW} + i`),
    insert('refusals', 'application_id, at, api, error', `'app_' || i, ${NOW} + i, 'orders', 'invalid_token'`),
    insert(
      'reported',
      'application_id, api, route, reason, count, first_at, last_at',
      `'app_' || i, 'orders', 'GET /orders', 'no_credential', 1, ${NOW}, ${NOW} + i`,
    ),
  ]
}

export const SQLITE_NUMBERS = (count: number): string =>
  `(WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1}) SELECT i FROM n) AS n`
export const POSTGRES_NUMBERS = (count: number): string => `generate_series(0, ${count - 1}) AS n (i)`
