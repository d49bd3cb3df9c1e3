import { createHash } from 'node:crypto'
import { isApplicationId } from '../../core/applications/records/application-id.js'
import { isUsableAt } from '../../core/applications/records/grants.js'
import type { PlatformParts } from '../../core/platform/core-auth.js'
import { KEPT_REFUSALS } from '../../features/usage/collector.js'
import { OAuthError } from '../../index.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { QuotaCount } from '../../shared/contracts/quotas.js'
import type { ReportedCount } from '../../shared/contracts/usage.js'
import type { RefusalRecord, UsageCount } from '../../shared/contracts/usage.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { readList, readNumber, readObject, readOptional, readText, type Members } from './read-answer.js'

/** What is counted since an earlier time comes after an outage of days. */
const MAX_AGE_MS = 7 * DAY_MS
/** Clocks of the platform's processes differ. */
const CLOCK_TOLERANCE_MS = 3600 * 1000
const MAX_COUNT = 1_000_000_000
/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const TEXT = /^[^\p{Cc}\p{Cs}]{0,400}$/u
const MAX_DETAILS = 10

/** A resource server, and what it reports. */
interface Report {
  readonly given: Members
  readonly server: ApplicationRecord
  readonly names: ReadonlySet<string>
}

/**
 * Adds what a process without a database has counted, unless a batch with this id was added before: to its own APIs, and to applications
 * that may use one of them. Whatever else a report has is left out.
 */
export function createReportAnswer({ core, source: parts }: Pick<PlatformParts, 'core' | 'source'>) {
  const { source, limitLookups, now } = parts
  const { usage: store } = core.store
  const [usage, plans] = [core.find('usage'), core.find('plans')]

  /** The applications that the resource server may know. */
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
    const batch = {
      id: createHash('sha256').update(`${server.id} ${kind} ${id}`).digest('hex').slice(0, 32),
      at: now(),
    }
    const [firstDay, lastDay] = [formatDay(now() - MAX_AGE_MS), formatDay(now() + CLOCK_TOLERANCE_MS)]
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
    if (kind === 'reported') await store.addReported(batch, rows as readonly ReportedCount[])
    else if (!areCounted) return
    else if (kind === 'usage') await store.add(batch, rows as readonly UsageCount[])
    else await store.addRefusals(batch, rows as readonly RefusalRecord[], KEPT_REFUSALS)
  }
}

/** A row of any kind, which has been read. */
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

/** An allow list of the members of each row. */
const READERS = {
  usage: (row: Members): UsageCount => {
    const route = readOptional(row['route'], readShort)
    const outcome = readShort(row['outcome'])
    if (outcome === 'token' || (outcome === 'extra' && route === undefined))
      throw new Error('There is no such outcome.')
    return {
      ...readApplication(row),
      api: readShort(row['api']),
      ...readDayCount(row),
      outcome,
      ...(route !== undefined && { route }),
    }
  },
  refusals: (row: Members): RefusalRecord => ({
    ...readApplication(row),
    at: readNumber(row['at']),
    api: readShort(row['api']),
    error: readShort(row['error']),
    reason: readShort(row['reason']),
    requestId: readOptional(row['requestId'], readShort),
    address: readOptional(row['address'], readShort),
    details: readDetails(row['details']),
  }),
  reported: (row: Members): ReportedCount => ({
    ...readApplication(row),
    api: readShort(row['api']),
    route: readShort(row['route']),
    reason: readShort(row['reason']),
    count: readCount(row['count']),
    firstAt: readNumber(row['firstAt']),
    lastAt: readNumber(row['lastAt']),
  }),
  quotas: (row: Members): QuotaCount => {
    const { day, count } = readDayCount(row)
    if (count < 0) throw new Error('A quota gets no units back.')
    return { ...readApplication(row), day, count }
  },
  credentials: (row: Members) => ({
    ...readApplication(row),
    credentialId: readShort(row['credentialId']),
    at: readNumber(row['at']),
  }),
}

/** Rejects a report that no process of `createRemoteAuth()` sends. */
function readReport(given: Members): { readonly kind: Kind; readonly batch: string; readonly rows: readonly Row[] } {
  try {
    const [kind, batch] = [readText(given['kind']) as Kind, readShort(given['batch'])]
    if (!Object.hasOwn(READERS, kind)) throw new Error('There is no such kind.')
    const rows = readList(given['rows'], (row): Row => READERS[kind](readObject(row)))
    // A store takes no two of one in a batch.
    const keys = new Set(rows.map((row) => JSON.stringify({ ...row, count: 0, firstAt: 0, lastAt: 0 })))
    if (keys.size < rows.length && kind !== 'refusals') throw new Error('There is one of them twice.')
    return { kind, batch, rows }
  } catch (cause) {
    throw new OAuthError('invalid_request', 'The report is none', { cause })
  }
}

function readApplication(row: Members): Pick<Row, 'applicationId'> {
  return { applicationId: readShort(row['applicationId']) }
}

function readDayCount(row: Members): { readonly day: string; readonly count: number } {
  const day = readText(row['day'])
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)) || formatDay(Date.parse(day)) !== day)
    throw new Error('There should be a day.')
  return { day, count: readCount(row['count']) }
}

function readCount(value: unknown): number {
  const count = readNumber(value)
  if (Math.abs(count) <= MAX_COUNT) return count
  throw new Error('There should be fewer.')
}

function readShort(value: unknown): string {
  const text = readText(value)
  if (TEXT.test(text)) return text
  throw new Error('There should be a short text.')
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
