import request from 'supertest'
import { beforeAll, describe, expect, it } from 'vitest'
import { openPostgres, openSqlite, type CountedDatabase } from '../stores/counted-pages.js'
import { fillingStatements, POSTGRES_NUMBERS, SQLITE_NUMBERS } from '../stores/many-rows.js'
import { usePostgres } from '../stores/postgres/databases.js'
import { NOW } from '../stores/suite/records.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { openOperator } from '../tools/operator/operator-app.js'

/** So many that each page and file is full. */
const FEW = IS_LONG_LANE ? 10_000 : 1000
const MANY = IS_LONG_LANE ? 100_000 : 4000
/** As many as lists of the stores may read more: indexes are deeper. */
const allow = (few: number): number => 3 * few + 30

const PAGES = [
  '',
  '/applications',
  '/applications?q=Name 7',
  '/applications?q=C7@example.com',
  '/applications?q=customer 9',
  '/applications?status=suspended',
  '/applications?status=pending',
  '/applications?api=catalog',
  '/applications?plan=gold',
  '/applications?use=recent',
  '/applications?use=old',
  '/applications?use=never',
  '/applications?ends=soon',
  '/applications?refused=recent',
  '/applications?quota=above',
  '/preview',
  '/applications?status=active&api=catalog&plan=gold&use=old',
  // Of 1,000 applications, fewer were refused than the 200 that a page may read, so the short form compares nothing.
  ...(IS_LONG_LANE ? ['/applications?refused=recent&quota=above'] : []),
  '/applications?refused=recent&status=suspended',
  '/applications?quota=above&plan=gold&api=weather',
  '/applications?q=Name&refused=recent&api=weather',
  '/applications?q=Name&quota=above&api=weather',
  '/applications/app_120',
  '/applications/app_120/edit',
  '/applications/app_120/suspend',
  '/applications/app_77/approve',
  '/usage',
  '/usage?sort=refused',
  '/usage.csv',
  '/usage-days.csv',
  '/usage-routes.csv',
  '/emails',
  '/emails?state=failed',
  '/keys',
  '/audit',
  '/audit?type=application.suspended&by=ann',
  '/audit?application=app_120',
  '/audit.csv',
  '/reportOnly',
  '/do/create',
]

/** Calls of each day of the last 30 by every tenth application, in the long lane by each, and the sums of a week and two months. */
function fill(numbers: (count: number) => string, count: number): readonly string[] {
  const days = Array.from({ length: 30 }, (_, back) => new Date(NOW - back * 86_400_000).toISOString().slice(0, 10))
  const from = `FROM ${numbers(count)}`
  return [
    ...fillingStatements(numbers, count),
    // A platform has a few.
    'DELETE FROM platform_auth_processes',
    ...days.map(
      (day, back) => `INSERT INTO platform_auth_usage (day, application_id, api, outcome, count)
        SELECT '${day}', 'app_' || i, 'orders', 'allowed', 1 + (i + ${back}) % 9 ${from} WHERE i % ${IS_LONG_LANE ? 1 : 10} = 0`,
    ),
    ...[...days.slice(0, 7), '2027-01', '2026-12'].map(
      (period) => `INSERT INTO platform_auth_usage_sums (application_id, period, allowed, tokens, refused)
        SELECT 'app_' || i, '${period}', i % 1000, 1, i % 100 ${from}`,
    ),
    `INSERT INTO platform_auth_quotas (application_id, day, count, plan)
      SELECT 'app_' || i, '2027-01', i % 1000, CASE WHEN i % 40 = 0 THEN 'gold' WHEN i % 2 = 0 THEN 'free' END ${from}`,
  ]
}

/** The rows that pages read must not depend on how many applications a platform has. */
function compare(open: (count: number) => Promise<CountedDatabase>): void {
  const counted = new Map<string, number[]>()
  const statuses = new Map<string, Set<number>>()

  beforeAll(async () => {
    for (const count of [FEW, MANY]) {
      const database = await open(count)
      const options = { store: database.store, now: () => NOW, background: false } as const
      const host = await openOperator({}, undefined, options)
      const at = NOW
      await database.store.usage.add(
        { id: 'overall', at },
        Array.from({ length: 30 }, (_, back) => {
          const day = new Date(at - back * 86_400_000).toISOString().slice(0, 10)
          const entry = { day, applicationId: 'app_120', api: 'orders' }
          return [
            { ...entry, outcome: 'allowed', count: 5 },
            { ...entry, outcome: 'allowed', route: 'GET /orders', count: 5 },
            { ...entry, outcome: 'invalid_token', count: 1 },
          ]
        }).flat(),
      )
      for (const page of PAGES) {
        const pages = await database.countPages(async () => {
          const { status } = await request(host.app)
            .get(`/staff/operator${encodeURI(page)}`)
            .set('X-Staff', 'alice')
          statuses.set(page, (statuses.get(page) ?? new Set()).add(status))
        })
        counted.set(page, [...(counted.get(page) ?? []), pages])
      }
      await host.auth.close()
      await database.close()
    }
  }, 900_000)

  it.each(PAGES)('%s', (page) => {
    const [few, many] = counted.get(page)!
    expect([...statuses.get(page)!]).toEqual([200])
    expect(many, `${many} with ${MANY} applications, ${few} with ${FEW}`).toBeLessThanOrEqual(allow(few!))
  })
}

describe.runIf(process.platform === 'linux')('pages of a database that the operator’s pages read on SQLite', () => {
  compare((count) => openSqlite(fill(SQLITE_NUMBERS, count)))
})
describe.each(IS_LONG_LANE ? ['PostgreSQL'] : [])('pages of a database that the operator’s pages read on %s', () => {
  const db = usePostgres()
  compare((count) => openPostgres(db, fill(POSTGRES_NUMBERS, count)))
})
