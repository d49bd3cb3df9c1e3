import { createHash } from 'node:crypto'
import { isApplicationId } from '../../shared/lib/application-id.js'
import { isUsableAt } from '../../core/applications/records/grants.js'
import type { PlatformParts } from '../../core/platform/core-auth.js'
import { isReason } from '../../core/resource-server/error-responder.js'
import { KEPT_REFUSALS } from '../../features/usage/collector.js'
import { createNames, MAX_ROUTES, OTHER_ROUTES } from '../../features/usage/route-counts.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { isErrorCode } from '../../shared/contracts/denial.js'
import type { QuotaCount } from '../../shared/contracts/quotas.js'
import type { RefusalRecord, ReportedCount, UsageCount } from '../../shared/contracts/usage.js'
import { DAY_MS, formatDay, isDay } from '../../shared/lib/day.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { readList, readNumber, readObject, readOptional, readText, WrongValue, type Members } from './read-answer.js'

/** Older rows are not added. A service that could not ask the platform for days still reports what it has counted since. */
const MAX_AGE_MS = 7 * DAY_MS
/** Clocks of the platform's processes differ. */
const CLOCK_TOLERANCE_MS = 3600 * 1000
const MAX_COUNT = 1_000_000_000
/** Of an API in a day, by all reports to this process: more requests than a host answers. What a thief adds to it counts no more. */
const MAX_COUNT_OF_DAY = 10_000_000_000
/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const TEXT = /^[^\p{Cc}\p{Cs}]{0,400}$/u
const MAX_DETAILS = 10
/** Codes that the `allow` of guards answers: RFC 6749 5.2. Further ones count as `access_denied`. */
const OWN_CODE = /^[\x21\x23-\x5B\x5D-\x7E]{1,64}$/
const MAX_OWN_CODES = 20

interface Report {
  readonly given: Members
  readonly server: ApplicationRecord
  readonly names: ReadonlySet<string>
}

/** Adds counts once for each batch id: to APIs of the resource server, for applications that may use one of them. */
export function createReportAnswer({ core, source }: Pick<PlatformParts, 'core' | 'source'>) {
  const { limitLookups, now } = core
  const { usage: store } = core.store
  const [usage, plans] = [core.find('usage'), core.find('plans')]
  const naming = createNaming()

  async function findShared(rows: readonly Row[], { server, names }: Report) {
    const ids = [...new Set(rows.map(({ applicationId }) => applicationId))].filter(isApplicationId)
    const find = (id: string) => limitLookups(server.id, () => source.findApplication(id))
    const found = (await Promise.all(ids.map(find))).filter((record) => record !== undefined)
    const shared = found.filter(({ apis }) => Object.keys(apis).some((name) => names.has(name)))
    return new Map(shared.map((record) => [record.id, record]))
  }

  return async function answerReport(report: Report): Promise<Members> {
    const { given, server, names } = report
    const { kind, rows, batch: id } = readReport(given)
    const hash = createHash('sha256').update(`${server.id} ${kind} ${id}`).digest('hex')
    const batch = { id: hash.slice(0, 32), at: now() }
    const [firstDay, lastDay] = [formatDay(now() - MAX_AGE_MS), formatDay(now() + CLOCK_TOLERANCE_MS)]
    naming.forgetBefore(firstDay)
    const isRecent = (at: number | undefined): boolean =>
      at === undefined || (at >= now() - MAX_AGE_MS && at <= now() + CLOCK_TOLERANCE_MS)
    const applications = await findShared(rows, report)
    const isOwn = (row: Row): boolean =>
      (applications.has(row.applicationId) || (kind === 'reported' && row.applicationId === '')) &&
      (row.api === undefined || names.has(row.api)) &&
      (row.day === undefined || (row.day >= firstDay && row.day <= lastDay)) &&
      [row.at, row.firstAt, row.lastAt].every(isRecent)
    const own: readonly Row[] = rows.filter(isOwn)
    const write = <Result>(work: () => Promise<Result>) => core.limitChanges(server.id, work)

    if (kind === 'quotas') {
      const counts = (own as readonly QuotaCount[]).map((row) => ({
        ...row,
        plan: applications.get(row.applicationId)!.plan,
      }))
      const added = plans && counts.length > 0 ? await write(() => plans.add(batch, counts)) : []
      return { totals: rows.map((row) => added[own.indexOf(row)] ?? { ofDay: 0, ofMonth: 0 }) }
    }
    if (kind === 'credentials') {
      for (const use of own) {
        const key = applications.get(use.applicationId)!.keys.find((each) => each.id === use.credentialId)
        // Another API's key is not used here.
        if (key && [...names].some((name) => isUsableAt(key, { name })))
          await write(() => source.noteCredentialUse([{ hash: key.hash, at: Math.min(use.at!, now()) }]))
      }
    } else if (usage && own.length > 0) await write(() => add(kind, batch, own, usage.counts.requests))
    return {}
  }

  async function add(kind: Kind, batch: { id: string; at: number }, rows: readonly Row[], areCounted: boolean) {
    if (kind === 'reported')
      await store.addReported(batch, join((rows as readonly ReportedCount[]).map(naming.ofReported)))
    else if (!areCounted) return
    else if (kind === 'usage') {
      const counts = join((rows as readonly UsageCount[]).map((row) => naming.ofUsage(naming.bound(row))))
      await store.add(
        batch,
        counts.filter(({ count }) => count !== 0),
      )
    } else await store.addRefusals(batch, rows as readonly RefusalRecord[], KEPT_REFUSALS)
  }
}

/** The names under which rows are counted: whoever has the secret of a resource server adds no more rows than they make. */
function createNaming() {
  const known = new Map<string, (name: string) => string>()
  const leftOfDay = new Map<string, number>()

  function find(day: string, kind: string, api: string, limit: number, other: string): (name: string) => string {
    const key = `${day} ${kind} ${api}`
    const names = known.get(key) ?? createNames(limit, other)
    known.set(key, names)
    return names
  }

  return {
    forgetBefore(day: string): void {
      for (const each of [known, leftOfDay]) for (const key of each.keys()) if (key < day) each.delete(key)
    },
    /** The row with as much of its count, which may be taken back, as the day of its API has left. */
    bound(row: UsageCount): UsageCount {
      const key = `${row.day} ${row.route === undefined} ${row.api}`
      const left = leftOfDay.get(key) ?? MAX_COUNT_OF_DAY
      const count = Math.max(-left, Math.min(row.count, left))
      leftOfDay.set(key, left - Math.abs(count))
      return { ...row, count }
    },
    ofUsage(row: UsageCount): UsageCount {
      const { day, api, outcome, route } = row
      if (route !== undefined) return { ...row, route: find(day, 'route', api, MAX_ROUTES, OTHER_ROUTES)(route) }
      if (outcome === 'allowed' || isErrorCode(outcome)) return row
      return { ...row, outcome: find(day, 'code', api, MAX_OWN_CODES, 'access_denied')(outcome) }
    },
    ofReported(row: ReportedCount): ReportedCount {
      return {
        ...row,
        route: find(EVERY_DAY, 'reported', row.api, MAX_ROUTES, OTHER_ROUTES)(row.route),
        reason: nameReason(row.reason),
      }
    },
  }
}

/** Sorts after every day, so that `forgetBefore()` keeps it. */
const EVERY_DAY = 'every'

function nameReason(reason: string): string {
  return isReason(reason) ? reason : 'unknown'
}

/** Sums up what counts under one name: a store takes no two of one in a batch. */
function join<Each extends Row & { readonly count: number }>(rows: readonly Each[]): readonly Each[] {
  const joined = new Map<string, Each>()
  for (const row of rows.map(ownMembers)) {
    const former = ownMembers<Partial<Row & { count: number }>>(joined.get(identify(row)) ?? {})
    const { count = 0, firstAt = Infinity, lastAt = 0 } = former
    joined.set(identify(row), {
      ...row,
      count: row.count + count,
      ...(row.firstAt !== undefined && { firstAt: Math.min(row.firstAt, firstAt) }),
      ...(row.lastAt !== undefined && { lastAt: Math.max(row.lastAt, lastAt) }),
    })
  }
  return [...joined.values()]
}

function identify(row: Row): string {
  return JSON.stringify({ ...row, count: 0, firstAt: 0, lastAt: 0 })
}

interface Row {
  readonly applicationId: string
  readonly api?: string
  readonly day?: string
  readonly at?: number
  readonly firstAt?: number
  readonly lastAt?: number
  readonly credentialId?: string
}

type Kind = keyof typeof READERS

const READERS = {
  usage: (row: Members): UsageCount => {
    const route = readOptional(row['route'], readShort)
    const outcome = readShort(row['outcome'])
    const isOwn = outcome !== 'token' && outcome !== 'extra' && OWN_CODE.test(outcome)
    if (route === undefined ? !isOwn : outcome !== 'allowed' && outcome !== 'extra')
      throw new WrongValue('There is no such outcome.')
    const { day, count } = readDayCount(row)
    return {
      ...readApplication(row),
      api: readShort(row['api']),
      day,
      // A later guard may refuse what an earlier one has allowed. Refusals are summed up for all APIs together.
      count: outcome === 'allowed' || outcome === 'extra' ? count : refuseNegative(count),
      outcome,
      ...(route !== undefined && { route }),
    }
  },
  refusals: (row: Members): RefusalRecord => ({
    ...readApplication(row),
    at: readNumber(row['at']),
    api: readShort(row['api']),
    error: readShort(row['error']),
    reason: nameReason(readText(row['reason'])),
    requestId: readOptional(row['requestId'], readShort),
    address: readOptional(row['address'], readShort),
    details: readDetails(row['details']),
  }),
  reported: (row: Members): ReportedCount => ({
    ...readApplication(row),
    api: readShort(row['api']),
    route: readShort(row['route']),
    reason: readShort(row['reason']),
    count: refuseNegative(readCount(row['count'])),
    firstAt: readNumber(row['firstAt']),
    lastAt: readNumber(row['lastAt']),
  }),
  quotas: (row: Members): QuotaCount => {
    const { day, count } = readDayCount(row)
    return { ...readApplication(row), day, count: refuseNegative(count) }
  },
  credentials: (row: Members) => {
    return { ...readApplication(row), credentialId: readShort(row['credentialId']), at: readNumber(row['at']) }
  },
}

function readReport(given: Members): { readonly kind: Kind; readonly batch: string; readonly rows: readonly Row[] } {
  const [kind, batch] = [readText(given['kind']) as Kind, readShort(given['batch'])]
  if (!Object.hasOwn(READERS, kind)) throw new WrongValue('There is no such kind.')
  const rows = readList(given['rows'], (row): Row => READERS[kind](readObject(row)))
  // A store takes no two of one in a batch.
  if (new Set(rows.map(identify)).size < rows.length && kind !== 'refusals')
    throw new WrongValue('There is one of them twice.')
  return { kind, batch, rows }
}

function readApplication(row: Members): Pick<Row, 'applicationId'> {
  return { applicationId: readShort(row['applicationId']) }
}

function readDayCount(row: Members): { readonly day: string; readonly count: number } {
  const day = readText(row['day'])
  if (!isDay(day)) throw new WrongValue('There should be a day.')
  return { day, count: readCount(row['count']) }
}

function readCount(value: unknown): number {
  const count = readNumber(value)
  if (Math.abs(count) <= MAX_COUNT) return count
  throw new WrongValue('There should be fewer.')
}

function refuseNegative(count: number): number {
  if (count >= 0) return count
  throw new WrongValue('What was counted is not taken back.')
}

function readShort(value: unknown): string {
  const text = readText(value)
  if (TEXT.test(text)) return text
  throw new WrongValue('There should be a short text.')
}

function readDetails(value: unknown): RefusalRecord['details'] {
  const details = Object.entries(readObject(value)).slice(0, MAX_DETAILS)
  return Object.fromEntries(
    details.map(([name, each]) => [
      readShort(name),
      each === null || (typeof each === 'number' && Number.isFinite(each)) ? each : readShort(each),
    ]),
  )
}
