import { expect, it } from 'vitest'
import { runInProcess } from '../../tools/cli/command-line.js'
import { POSTGRES_NUMBERS, SQLITE_NUMBERS } from '../../stores/many-rows.js'
import { usePostgres } from '../../stores/postgres/databases.js'
import { readRows, useSqliteFiles } from '../../stores/sqlite/files.js'
import { timeBound } from '../../support/time-bound.js'

const APPLICATIONS = 1000
const YEAR = 2025
const DAYS = 365
/** What an application did at an API on the first day of the year; one more on each later day. */
const KINDS = [
  ['catalog', 'allowed', 1000, ''],
  ['catalog', 'invalid_token', 1, ''],
  ['orders', 'allowed', 500, ''],
  ['orders', 'token', 24, ''],
  ['orders', 'allowed', 300, 'GET /orders/:id'],
  ['orders', 'extra', 1200, 'GET /orders/:id'],
  ['orders', 'allowed', 200, 'POST /orders'],
] as const
const SUM = `SELECT sum(CASE WHEN route = '' THEN count END) AS sum, sum(CASE WHEN route <> '' THEN count END) AS units
  FROM platform_auth_usage`
const MAX_MS = 10_000

const files = useSqliteFiles()
const db = usePostgres()

it('SQLite sums up the invoices of 1,000 applications and a year within seconds', { timeout: 300_000 }, async () => {
  await files.openStore()
  const database = files.openDatabase()
  database.exec('BEGIN')
  for (const text of fillingStatements(SQLITE_NUMBERS, `date('${YEAR}-01-01', '+' || (i % ${DAYS}) || ' days')`))
    database.exec(text)
  database.exec('COMMIT')
  await checkInvoices(files.file, readRows(database, SUM)[0]!)
})

it(
  'PostgreSQL sums up the invoices of 1,000 applications and a year within seconds',
  { timeout: 300_000 },
  async () => {
    await db.openStore()
    const day = `to_char(date '${YEAR}-01-01' + i % ${DAYS}, 'YYYY-MM-DD')`
    for (const text of fillingStatements(POSTGRES_NUMBERS, day)) await db.ask(text)
    await db.ask('ANALYZE')
    const url = `${db.url}?options=${encodeURIComponent(`-c search_path=${db.schema}`)}`
    await checkInvoices(url, (await db.ask(SUM))[0]!)
  },
)

/** Applications, and a row for each of them, each day and each kind. */
function fillingStatements(numbers: (count: number) => string, day: string): readonly string[] {
  const rows = numbers(APPLICATIONS * DAYS)
  return [
    `INSERT INTO platform_auth_applications (id, name, contact, status, created_at, tokens_revoked_at, version)
      SELECT 'app_' || i, 'Name', 'c@example.com', 'active', 0, 0, 1 FROM ${numbers(APPLICATIONS)} WHERE 1 = 1 ORDER BY i`,
    ...KINDS.map(
      ([api, outcome, count, route]) =>
        `INSERT INTO platform_auth_usage (application_id, day, api, outcome, route, count)
          SELECT 'app_' || (i / ${DAYS}), ${day}, '${api}', '${outcome}', '${route}', ${count} + i % ${DAYS} FROM ${rows}`,
    ),
  ]
}

/** Writes the CSV as an operator does, and compares each line with the daily rows. */
async function checkInvoices(db: string, stored: Readonly<Record<string, unknown>>): Promise<void> {
  const { heading, lines, sum } = await writeInvoices(db)
  expect(heading).toBe('period,application,api,outcome,count,name,externalId,plan')
  expect(lines.join('\n') === listExpectedLines().join('\n')).toBe(true)
  expect(sum).toBe(Number(stored['sum']))
  const byRoute = await writeInvoices(db, '--routes')
  expect(byRoute.heading).toBe('period,application,api,route,allowed,units,name,externalId,plan')
  expect(byRoute.lines).toHaveLength(APPLICATIONS * 12 * 2)
  expect(byRoute.lines.slice(0, 2)).toEqual([
    `${YEAR}-01,app_0,orders,GET /orders/:id,9765,47430,Name,,`,
    `${YEAR}-02,app_0,orders,GET /orders/:id,9646,44492,Name,,`,
  ])
  expect(byRoute.sum).toBe(Number(stored['units']))
}

async function writeInvoices(db: string, ...args: readonly string[]) {
  const began = performance.now()
  const command = `usage --by month --from ${YEAR}-01 --to ${YEAR}-12 --format csv --db`
  const { code, stdout } = await runInProcess([...command.split(' '), db, ...args])
  const milliseconds = performance.now() - began
  const [heading, ...lines] = stdout.trimEnd().split('\n')
  process.stdout.write(`${lines.length} lines of CSV in ${(milliseconds / 1000).toFixed(1)} s\n`)
  expect(code).toBe(0)
  expect(milliseconds).toBeLessThan(timeBound(MAX_MS))
  return { heading, lines, sum: lines.reduce((sum, line) => sum + Number(line.split(',').at(-4)), 0) }
}

function listExpectedLines(): string[] {
  const days = Array.from({ length: DAYS }, (_, i) => new Date(Date.UTC(YEAR, 0, 1 + i)).toISOString())
  const months = [...new Set(days.map((day) => day.slice(0, 7)))].flatMap((month) =>
    KINDS.filter(([, , , route]) => route === '').map(([api, outcome, first]) => {
      const counts = days.map((day, i) => (day.startsWith(month) ? first + i : 0))
      return { month, rest: `${api},${outcome},${counts.reduce((sum, count) => sum + count)}` }
    }),
  )
  return Array.from({ length: APPLICATIONS }, (_, i) =>
    months.map(({ month, rest }) => `${month},app_${i},${rest},Name,,`),
  ).flat()
}
