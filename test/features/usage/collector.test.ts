import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../../src/shared/contracts/errors.js'
import type { ApplicationRecord } from '../../../src/shared/contracts/application-record.js'
import type { UsageCount } from '../../../src/shared/contracts/usage.js'
import { memoryStore } from '../../../src/index.js'
import type { StoreWith } from '../../../src/store.js'
import { createUsageCollector } from '../../../src/features/usage/collector.js'
import { application } from '../../stores/suite/records.js'
import { failingStore, type FailingStore } from '../../support/failing-store.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'

/** A whole minute takes several seconds of processor time. */
const SECONDS = IS_LONG_LANE ? 60 : 5
const START = Date.parse('2026-11-22T12:00:00Z')

let working: StoreWith
let store: FailingStore
let collector: ReturnType<typeof createUsageCollector>

beforeEach(async () => {
  vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'Date'] })
  working = memoryStore()
  for (const id of ['a', 'b']) await save(id)
  store = failingStore(working)
  collector = createUsageCollector(store.usage, Date.now)
})
afterEach(() => vi.useRealTimers())

function save(id: string): Promise<boolean> {
  const record: ApplicationRecord = application(id)
  return working.saveApplication(record, undefined)
}

function listUsage(): Promise<readonly UsageCount[]> {
  const everything = { after: undefined, applicationId: undefined, api: undefined, from: '', to: '9', limit: 100_000 }
  return working.usage.list(everything)
}

async function readCounts(): Promise<Record<string, number>> {
  return Object.fromEntries(
    (await listUsage()).map(({ day, applicationId, api, outcome, count }) => [
      `${day.slice(8)} ${applicationId} ${api} ${outcome}`,
      count,
    ]),
  )
}

const REQUEST = new IncomingMessage(new Socket())

function createCount(): (applicationId: string) => void {
  const { allowed } = collector.observe('orders')
  return (applicationId) => allowed?.(applicationId, 1, REQUEST, new ServerResponse(REQUEST))
}

function refuse(applicationId: string, error = 'invalid_token', req: object = REQUEST): void {
  const denied = { error, headers: {} }
  collector.observe('orders').refused?.({ applicationId, denied, reason: error }, req as IncomingMessage)
}

/** The write takes effect, and the process does not learn of it. */
function loseAnswers(name: 'add' | 'addRefusals'): void {
  vi.spyOn(store.usage, name as 'add').mockImplementationOnce(async (...args) => {
    await Reflect.apply(working.usage[name], working.usage, args)
    throw new StoreUnavailableError('The store is unavailable.', { outcome: 'unknown' })
  })
}

describe('Counts', () => {
  it('are written once a minute, in one call', async () => {
    const count = createCount()
    for (let i = 0; i < 1000; i++) count(i % 2 === 0 ? 'a' : 'b')
    collector.observe('orders').tokenIssued?.('a')
    refuse('b')
    await vi.advanceTimersByTimeAsync(59_999)
    expect(await listUsage()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(await readCounts()).toEqual({
      '22 a orders allowed': 500,
      '22 a orders token': 1,
      '22 b orders allowed': 500,
      '22 b orders invalid_token': 1,
    })
    count('a')
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await readCounts())['22 a orders allowed']).toBe(501)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(store.calls('usage.add')).toBe(2)
  })

  it('are written when the platform is closed', async () => {
    createCount()('a')
    refuse('a')
    await collector.close()
    expect(await readCounts()).toEqual({ '22 a orders allowed': 1, '22 a orders invalid_token': 1 })
    expect(await working.usage.listRefusals('a', 0)).toHaveLength(1)
  })

  it('are not added twice by a write whose outcome is not known', async () => {
    const count = createCount()
    count('a')
    loseAnswers('add')
    await vi.advanceTimersByTimeAsync(60_000)
    count('a')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await readCounts()).toEqual({ '22 a orders allowed': 2 })
  })

  it('are kept while writes fail, those of each day apart', async () => {
    const count = createCount()
    store.fail()
    // Not in steps: a platform that another test file left open, with a timer every few milliseconds, would make them take minutes.
    for (let hours = 0; hours < 24; hours += 2) {
      vi.setSystemTime(START + hours * 3600_000)
      await vi.advanceTimersByTimeAsync(60_000)
      count('a')
    }
    store.recover()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await readCounts()).toEqual({ '22 a orders allowed': 6, '23 a orders allowed': 6 })
  })

  it('are given up after 12 hours, if they may have been written', async () => {
    const count = createCount()
    count('a')
    loseAnswers('add')
    await vi.advanceTimersByTimeAsync(60_000)
    store.fail()
    vi.setSystemTime(START + 13 * 3600_000)
    await vi.advanceTimersByTimeAsync(60_000)
    // By now the store may have forgotten the write.
    await working.usage.deleteExpired({
      countsBefore: '',
      refusalsBefore: 0,
      reportedBefore: 0,
      batchesBefore: Date.now(),
      limit: 100,
    })
    store.recover()
    count('a')
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await readCounts())['22 a orders allowed']).toBe(1)
  })

  it('belong to the day at which the requests were made', async () => {
    vi.setSystemTime('2026-11-22T23:59:30Z')
    const count = createCount()
    count('a')
    await vi.advanceTimersByTimeAsync(29_990)
    count('a')
    await vi.advanceTimersByTimeAsync(20)
    count('a')
    expect(store.calls('usage.add')).toBe(0)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await readCounts()).toEqual({ '22 a orders allowed': 2, '23 a orders allowed': 1 })
  })

  it('are bounded, and written early if there are many different ones', async () => {
    const ids = Array.from({ length: 10_500 }, (_, i) => `many${i}`)
    for (const id of ids) await save(id)
    const count = createCount()
    for (const id of ids.slice(0, 10_000)) count(id)
    await vi.advanceTimersByTimeAsync(0)
    expect(await listUsage()).toHaveLength(10_000)
    store.fail()
    for (const id of ids) count(id)
    await vi.advanceTimersByTimeAsync(300_000)
    store.recover()
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await listUsage()).reduce((sum, each) => sum + each.count, 0)).toBe(20_000)
  })

  it('of an error code of the host do not become those of allowed requests', async () => {
    for (const error of ['allowed', 'token', '__proto__']) refuse('a', error)
    await collector.close()
    expect(await readCounts()).toEqual({ '22 a orders access_denied': 2, '22 a orders __proto__': 1 })
  })
})

describe('Refusals', () => {
  async function listRequestIds(id: string): Promise<readonly (string | undefined)[]> {
    return (await working.usage.listRefusals(id, 0)).map(({ requestId }) => requestId)
  }

  function refuseWithIds(applicationId: string, from: number, to: number): void {
    for (let id = from; id < to; id++) refuse(applicationId, 'invalid_token', withId(id))
  }

  it('are written once a second', async () => {
    for (let second = 0; second < 5; second++) {
      refuseWithIds('a', second * 10, second * 10 + 10)
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(store.calls('usage.addRefusals')).toBe(5)
    expect(await listRequestIds('a')).toEqual(Array.from({ length: 50 }, (_, i) => `${49 - i}`))
  })

  it('are one write per second, and bounded in memory, at a rate of a million in a minute', async () => {
    const before = process.memoryUsage().heapUsed
    const sizes: number[] = []
    vi.spyOn(store.usage, 'addRefusals').mockImplementation(async (batch, refusals, kept) => {
      sizes.push(refusals.length)
      return working.usage.addRefusals(batch, refusals, kept)
    })
    for (let second = 0; second < SECONDS; second++) {
      for (let i = 0; i < 16_700; i++) refuse('a')
      refuse('b', 'invalid_token', withId(second))
      await vi.advanceTimersByTimeAsync(1000)
    }
    expect(sizes).toEqual(Array.from({ length: SECONDS }, () => 51))
    expect((await listRequestIds('b'))[0]).toBe(String(SECONDS - 1))
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024)
    await collector.close()
    expect((await readCounts())['22 a orders invalid_token']).toBe(SECONDS * 16_700)
  })

  it('are not stored twice by a write whose outcome is not known', async () => {
    refuseWithIds('a', 0, 3)
    loseAnswers('addRefusals')
    await vi.advanceTimersByTimeAsync(1000)
    refuseWithIds('a', 3, 5)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await listRequestIds('a')).toEqual(['4', '3', '2', '1', '0'])
  })

  it('of other applications are not displaced by one that has many, while writes fail', async () => {
    store.fail()
    refuseWithIds('b', 0, 2)
    refuseWithIds('a', 0, 10_000)
    await vi.advanceTimersByTimeAsync(60_000)
    store.recover()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await listRequestIds('b')).toEqual(['1', '0'])
    expect((await listRequestIds('a'))[0]).toBe('9999')
  })

  it.each([
    ['req-1', 'req-1'],
    ['Root=1-67891233-abcdef012345678912345678', 'Root=1-67891233-abcdef012345678912345678'],
    ['x'.repeat(129), undefined],
    ['/orders/4711?key=secret', undefined],
    ['a b', undefined],
    [`epa_key_${'0'.repeat(34)}`, undefined],
    ['eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln', undefined],
  ])('have a request id only if it can be stored: %s', async (given, stored) => {
    refuse('a', 'invalid_token', withId(given))
    await collector.close()
    expect(await listRequestIds('a')).toEqual([stored])
  })
})

function withId(id: string | number): object {
  return Object.assign(new IncomingMessage(new Socket()), { id: String(id) })
}
