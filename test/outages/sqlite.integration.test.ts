import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { copyFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../src/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import {
  answersWith,
  measureCachedAnswers,
  openOutageHost,
  measureRecovery,
  MAX_ANSWER_MS,
  type AtEnd,
} from '../support/outage-host.js'
import { openPlatform } from '../support/platform.js'
import { createTemporaryFolder } from '../support/temporary-folder.js'
import { timeBound } from '../support/time-bound.js'

const PROCESS = fileURLToPath(new URL('../support/sqlite-process.mjs', import.meta.url))

const newFile = async (onTestFinished: AtEnd): Promise<string> =>
  join(await createTemporaryFolder({ onTestFinished }), 'platform.sqlite')

/** A platform on a connection that the host app has opened, with a busy timeout as in the example app. */
async function openOnHostConnection(atEnd: AtEnd) {
  const file = await newFile(atEnd)
  const database = new DatabaseSync(file, { timeout: 5000 })
  atEnd(() => database.close())
  const host = await openOutageHost(atEnd, sqliteStore(database), { maxStaleness: 1 })
  return { host, database, file }
}

/** Locks the file in another process. Resolves how to unlock it. */
async function lock(atEnd: AtEnd, file: string, milliseconds: number): Promise<() => Promise<void>> {
  const holder = spawn(process.execPath, [PROCESS, file, 'hold', String(milliseconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(holder, 'exit')
  atEnd(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return async () => {
    holder.kill('SIGKILL')
    await gone
  }
}

// Sequential: it measures how long the event loop is blocked, and concurrent tests would block it too.
describe('a SQLite file that another process has locked', () => {
  it.each(['own', "host app's"])(
    'delays only changes, and never blocks the event loop, on the %s connection',
    async (connection) => {
      const ends: (() => void | Promise<void>)[] = []
      const atEnd: AtEnd = (end) => void ends.unshift(end)
      const opened = connection === 'own' ? undefined : await openOnHostConnection(atEnd)
      const file = opened?.file ?? (await newFile(atEnd))
      const host = opened?.host ?? (await openOutageHost(atEnd, sqliteStore(file), { maxStaleness: 1 }))
      const unlock = await lock(atEnd, file, 20_000)
      const delay = monitorEventLoopDelay({ resolution: 5 })
      delay.enable()
      const startedAt = performance.now()
      const rejected = host.auth.applications.suspend(host.credentials.id).catch((error: unknown) => error)
      expect(await measureCachedAnswers(host, 1500)).toBeLessThan(timeBound(150))
      expect(await host.askUncached()).toMatchObject({ status: 200 })
      expect(await host.requestToken()).toMatchObject({ status: 200 })
      expect(await rejected).toBeInstanceOf(StoreUnavailableError)
      delay.disable()
      expect(delay.max / 1e6).toBeLessThan(timeBound(500))
      expect(performance.now() - startedAt).toBeLessThan(timeBound(MAX_ANSWER_MS))
      expect(await host.health()).toMatchObject({
        ok: true,
        problems: expect.stringMatching(/rejected writes since .*: another process has locked it\.$/),
      })
      const late = host.auth.applications.suspend(host.credentials.id)
      await unlock()
      const unlockedAt = performance.now()
      expect(await late).toMatchObject({ status: 'suspended' })
      expect(performance.now() - unlockedAt).toBeLessThan(timeBound(1000))
      expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
      expect(host.storeEvents).toEqual([])
      if (opened) expect(opened.database.prepare('PRAGMA busy_timeout').get()).toMatchObject({ timeout: 5000 })
      for (const end of ends) await end()
    },
  )
})

describe.concurrent('a SQLite file', () => {
  it('that is full rejects changes, loses none that it acknowledged, and answers reads', async ({
    onTestFinished: atEnd,
  }) => {
    const { host, database } = await openOnHostConnection(atEnd)
    // Makes SQLite report SQLITE_FULL, as on a full disk.
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
    database.exec(`PRAGMA max_page_count = ${pages}`)
    const created: string[] = []
    const create = async (): Promise<void> => {
      const { credentials } = await host.auth.applications.create({ name: 'x'.repeat(100), apis: ['catalog'] })
      created.push(credentials.clientId)
    }
    const fill = async (): Promise<never> => {
      for (;;) await create()
    }
    await expect(fill()).rejects.toBeInstanceOf(StoreUnavailableError)
    // Longer than maxStaleness: the rejected changes are no outage.
    await sleep(1200)
    for (const key of created) expect(await host.auth.verifyApiKey('catalog', key)).toBeDefined()
    expect([...(await host.askCached()), await host.askUncached(), await host.requestToken()]).toEqual(
      answersWith(200, 4),
    )
    expect(await host.health()).toMatchObject({
      ok: true,
      problems: expect.stringMatching(/rejected writes since .*: its disk is full\.$/),
    })
    database.exec(`PRAGMA max_page_count = ${pages * 2}`)
    await create()
    expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
    const { items: applications } = await host.auth.applications.list({ limit: 1000 })
    expect(applications).toHaveLength(created.length + 21)
  })

  it('that becomes read-only rejects changes and answers reads', async ({ onTestFinished: atEnd }) => {
    const { host, database, file } = await openOnHostConnection(atEnd)
    database.exec('PRAGMA query_only = ON')
    await expect(host.auth.applications.suspend(host.credentials.id)).rejects.toBeInstanceOf(StoreUnavailableError)
    // Longer than maxStaleness: the rejected changes are no outage.
    await sleep(1200)
    expect([...(await host.askCached()), await host.askUncached(), await host.requestToken()]).toEqual(
      answersWith(200, 4),
    )
    expect(await host.health()).toMatchObject({
      ok: true,
      problems: expect.stringMatching(/rejected writes since .*: it is read-only\.$/),
    })
    // A process can start on a read-only file that is set up; the next test has an empty one.
    const reading = new DatabaseSync(file, { readOnly: true })
    atEnd(() => reading.close())
    const late = openPlatform({ now: Date.now, store: sqliteStore(reading) }).auth
    atEnd(late.close)
    await late.ready()
    expect(await late.verifyApiKey('catalog', host.credentials.clientId)).toBeDefined()
    database.exec('PRAGMA query_only = OFF')
    expect(await host.auth.applications.suspend(host.credentials.id)).toMatchObject({ status: 'suspended' })
    expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
    await vi.waitFor(
      () => expect(late.verifyApiKey('catalog', host.credentials.clientId)).rejects.toMatchObject({ status: 403 }),
      timeBound(1000),
    )
  })

  it('that is read-only and empty keeps the platform from starting, and health() and the log say why', async ({
    onTestFinished: atEnd,
  }) => {
    const file = await newFile(atEnd)
    const writing = new DatabaseSync(file)
    writing.exec('PRAGMA journal_mode = WAL; CREATE TABLE host_app (a)')
    atEnd(() => writing.close())
    const reading = new DatabaseSync(file, { readOnly: true })
    atEnd(() => reading.close())
    const { auth, logger } = openPlatform({ store: sqliteStore(reading) })
    atEnd(auth.close)
    await vi.waitFor(
      async () =>
        expect(await auth.health()).toEqual({
          ok: false,
          problems: ['The platform is not ready: its store cannot be used yet (it is read-only).'],
        }),
      60_000,
    )
    expect(logger.lines.join('\n')).toMatch(/could not start yet and will retry: .*readonly database/)
  })

  it('that is moved away is reported as unavailable, until it is moved back', async ({ onTestFinished: atEnd }) => {
    const file = await newFile(atEnd)
    const host = await openOutageHost(atEnd, sqliteStore(file), { maxStaleness: 1 })
    await rename(file, `${file}.away`)
    expect(await host.askCached()).toEqual(answersWith(200))
    await expect(host.auth.applications.suspend(host.credentials.id)).rejects.toBeInstanceOf(StoreUnavailableError)
    expect(await host.askUncached()).toMatchObject({ status: 503 })
    await vi.waitFor(async () => expect(await host.askCached()).toEqual(answersWith(503)), 60_000)
    expect(await host.health()).toMatchObject({
      ok: false,
      problems: expect.stringMatching(/unavailable since .*: its file was deleted or replaced\./),
    })
    // A copy is another file: changes in the open one would be lost.
    await copyFile(`${file}.away`, file)
    expect(await host.askCached()).toEqual(answersWith(503))
    await rename(`${file}.away`, file)
    expect(await measureRecovery(host)).toBeLessThan(timeBound(1000))
    expect(host.storeEvents).toEqual(['unavailable', 'available'])
  })

  it('that is overwritten with garbage neither ends the process nor lets an unknown caller in', async ({
    onTestFinished: atEnd,
  }) => {
    const file = await newFile(atEnd)
    const host = await openOutageHost(atEnd, sqliteStore(file), { maxStaleness: 1, uncached: 60 })
    // Empties the write-ahead log, and commits on another connection, so that SQLite must read the file again.
    const other = new DatabaseSync(file)
    other.exec('PRAGMA wal_checkpoint(TRUNCATE); CREATE TABLE host_app (a)')
    const { page_size: size } = other.prepare('PRAGMA page_size').get() as { page_size: number }
    const { page_count: pages } = other.prepare('PRAGMA page_count').get() as { page_count: number }
    atEnd(() => other.close())
    const garbage = Buffer.alloc(size * pages, 0xa7)
    // Synchronously, so that the store never reads a file of which only a part is garbage.
    writeFileSync(file, garbage, { flag: 'r+' })
    const statuses = new Set<number>()
    for (let i = 0; i < 20; i++) {
      const answers = await Promise.all([host.askUncached(), host.requestToken()])
      for (const { status } of [...answers, ...(await host.askCached())]) statuses.add(status)
    }
    expect(statuses).toEqual(new Set([200, 503]))
    await expect(host.auth.applications.create({ name: 'One more', apis: ['catalog'] })).rejects.toBeInstanceOf(
      StoreUnavailableError,
    )
    expect((await host.health()).problems).toMatch(/its file is damaged/)
  })
})
