import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { parseApplication, type ApplicationRow } from './application-rows.js'
import type { Dialect } from './dialect.js'
import { getOften, type Work } from './work.js'

export function* findApplication({ selectApplication }: Dialect, id: string): Work<ApplicationRecord | undefined> {
  // PostgreSQL refuses a text with U+0000, and some drivers of SQLite end it there.
  if (id.includes('\0')) return undefined
  const row = yield* getOften<ApplicationRow>(`${selectApplication} WHERE a.id = ?1`, id)
  return row && parseApplication(row)
}

/** With several `hashes`, the first one that a key has decides, but for ended keys. */
export function* findApplicationByKey(
  { selectApplication }: Dialect,
  hashes: readonly string[],
): Work<ApplicationRecord | undefined> {
  const list = hashes.map((_, index) => `?${index + 1}`).join()
  const text = `${selectApplication}
  WHERE a.seq = (SELECT c.application_seq FROM platform_auth_credentials c
    WHERE c.hash IN (${list}) AND c.kind = 'key' AND (c.hash = ?1 OR NOT EXISTS (
      SELECT 1 FROM platform_auth_ended_keys e
      WHERE e.hash IN (${list}) AND c.application_seq > e.application_seq AND c.application_seq <= e.last_seq))
    ORDER BY c.hash <> ?1, c.application_seq LIMIT 1)`
  const row = yield* getOften<ApplicationRow>(text, ...hashes)
  return row && parseApplication(row)
}
