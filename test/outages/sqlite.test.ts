import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../src/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { all, answerTimeFromMemory, openOutageHost, recovery, WAITED, type AtEnd } from '../support/outages.js'
import { platform } from '../support/platform.js'

const PROCESS = fileURLToPath(new URL('../support/sqlite-process.mjs', import.meta.url))

async function newFile(atEnd: AtEnd): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outages-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'platform.sqlite')
}

/** A platform on a connection of the host's, which waits for locks as the example app's does. */
async function openOnHostsConnection(atEnd: AtEnd) {
  const file = await newFile(atEnd)
  const database = new DatabaseSync(file, { timeout: 5000 })
  atEnd(() => database.close())
  const host = await openOutageHost(atEnd, sqliteStore(database), { maxStaleness: 1 })
  return { host, database, file }
}

/** Another process, which keeps the file to itself. */
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

describe.concurrent('A SQLite file', { timeout: 60_000, retry: 2 }, () => {
  it.each(['of its own', "on the host's connection"])(
    'that another process has locked, %s, keeps changes waiting and nobody else, the event loop least',
    async (whose) => {
      const ends: (() => void | Promise<void>)[] = []
      const atEnd: AtEnd = (end) => void ends.unshift(end)
      const opened = whose === 'of its own' ? undefined : await openOnHostsConnection(atEnd)
      const file = opened?.file ?? (await newFile(atEnd))
      const host = opened?.host ?? (await openOutageHost(atEnd, sqliteStore(file), { maxStaleness: 1 }))
      const unlock = await lock(atEnd, file, 20_000)
      const delay = monitorEventLoopDelay({ resolution: 5 })
      delay.enable()
      const since = performance.now()
      const refused = host.auth.applications.suspend(host.credentials.id).catch((error: unknown) => error)
      expect(await answerTimeFromMemory(host, 1500)).toBeLessThan(150)
      expect(await host.firstSight()).toMatchObject({ status: 200 })
      expect(await host.tokenRequest()).toMatchObject({ status: 200 })
      expect(await refused).toBeInstanceOf(StoreUnavailableError)
      delay.disable()
      expect(delay.max / 1e6).toBeLessThan(500)
      expect(performance.now() - since).toBeLessThan(WAITED)
      expect(await host.health()).toMatchObject({
        ok: true,
        problems: expect.stringMatching(/rejected writes since .*: another process has locked it\.$/),
      })
      const late = host.auth.applications.suspend(host.credentials.id)
      await unlock()
      const unlocked = performance.now()
      expect(await late).toMatchObject({ status: 'suspended' })
      expect(performance.now() - unlocked).toBeLessThan(1000)
      expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
      expect(host.told).toEqual([])
      if (opened) expect(opened.database.prepare('PRAGMA busy_timeout').get()).toMatchObject({ timeout: 5000 })
      for (const end of ends) await end()
    },
  )

  it('that may not grow any more takes nothing it could lose, and answers all else', async ({
    onTestFinished: atEnd,
  }) => {
    const { host, database } = await openOnHostsConnection(atEnd)
    // SQLite's own limit, and with it SQLITE_FULL, as on a disk that is full.
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number }
    database.exec(`PRAGMA max_page_count = ${pages}`)
    const made: string[] = []
    const create = async (): Promise<void> => {
      const { credentials } = await host.auth.applications.create({ name: 'x'.repeat(100), apis: ['catalog'] })
      made.push(credentials.clientId)
    }
    const fill = async (): Promise<never> => {
      for (;;) await create()
    }
    await expect(fill()).rejects.toBeInstanceOf(StoreUnavailableError)
    await sleep(1200)
    for (const key of made) expect(await host.auth.verifyApiKey('catalog', key)).toBeDefined()
    expect([...(await host.byMemory()), await host.firstSight(), await host.tokenRequest()]).toEqual(all(200, 4))
    expect(await host.health()).toMatchObject({
      ok: true,
      problems: expect.stringMatching(/rejected writes since .*: its disk is full\.$/),
    })
    database.exec(`PRAGMA max_page_count = ${pages * 2}`)
    await create()
    expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
    const { items: applications } = await host.auth.applications.list({ limit: 1000 })
    expect(applications).toHaveLength(made.length + 21)
  })

  it('that becomes read-only answers all that changes nothing', async ({ onTestFinished: atEnd }) => {
    const { host, database, file } = await openOnHostsConnection(atEnd)
    database.exec('PRAGMA query_only = ON')
    await expect(host.auth.applications.suspend(host.credentials.id)).rejects.toBeInstanceOf(StoreUnavailableError)
    await sleep(1200)
    expect([...(await host.byMemory()), await host.firstSight(), await host.tokenRequest()]).toEqual(all(200, 4))
    expect(await host.health()).toMatchObject({
      ok: true,
      problems: expect.stringMatching(/rejected writes since .*: it is read-only\.$/),
    })
    // A process that can only read finds all it needs; one that finds nothing says why it can't begin.
    const reading = new DatabaseSync(file, { readOnly: true })
    atEnd(() => reading.close())
    const late = platform({ now: Date.now, store: sqliteStore(reading) }).auth
    atEnd(late.close)
    await late.ready()
    expect(await late.verifyApiKey('catalog', host.credentials.clientId)).toBeDefined()
    database.exec('PRAGMA query_only = OFF')
    expect(await host.auth.applications.suspend(host.credentials.id)).toMatchObject({ status: 'suspended' })
    expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
    await vi.waitFor(
      () => expect(late.verifyApiKey('catalog', host.credentials.clientId)).rejects.toMatchObject({ status: 403 }),
      { timeout: 1000 },
    )
  })

  it('that is read-only and empty can not be started on, which is said', async ({ onTestFinished: atEnd }) => {
    const file = await newFile(atEnd)
    const writing = new DatabaseSync(file)
    writing.exec('PRAGMA journal_mode = WAL; CREATE TABLE theirs (a)')
    atEnd(() => writing.close())
    const reading = new DatabaseSync(file, { readOnly: true })
    atEnd(() => reading.close())
    const { auth, logger } = platform({ store: sqliteStore(reading) })
    atEnd(auth.close)
    await vi.waitFor(async () =>
      expect(await auth.health()).toEqual({
        ok: false,
        problems: ['The platform is not ready: its store cannot be used yet (it is read-only).'],
      }),
    )
    expect(logger.lines.join('\n')).toMatch(/could not start yet, and keeps trying: .*readonly database/)
  })

  it('that is moved away is a store out of reach, and is back when the file is', async ({ onTestFinished: atEnd }) => {
    const file = await newFile(atEnd)
    const host = await openOutageHost(atEnd, sqliteStore(file), { maxStaleness: 1 })
    await rename(file, `${file}.away`)
    expect(await host.byMemory()).toEqual(all(200))
    await expect(host.auth.applications.suspend(host.credentials.id)).rejects.toBeInstanceOf(StoreUnavailableError)
    expect(await host.firstSight()).toMatchObject({ status: 503 })
    await vi.waitFor(async () => expect(await host.byMemory()).toEqual(all(503)), { timeout: 3000 })
    expect(await host.health()).toMatchObject({
      ok: false,
      problems: expect.stringMatching(/out of reach since .*: its file was deleted or replaced\./),
    })
    // A copy is another file: what goes into the one that is open would be lost.
    await copyFile(`${file}.away`, file)
    expect(await host.byMemory()).toEqual(all(503))
    await rename(`${file}.away`, file)
    expect(await recovery(host)).toBeLessThan(1000)
    expect(host.told).toEqual(['unavailable', 'available'])
  })

  it('that is overwritten with rubbish ends no process, and lets nobody in', async ({ onTestFinished: atEnd }) => {
    const file = await newFile(atEnd)
    const host = await openOutageHost(atEnd, sqliteStore(file), { maxStaleness: 1, unseen: 60 })
    // So that nothing is read from the log beside it, and then by way of another connection's commit not from memory.
    const other = new DatabaseSync(file)
    other.exec('PRAGMA wal_checkpoint(TRUNCATE); CREATE TABLE theirs (a)')
    const { page_size: size } = other.prepare('PRAGMA page_size').get() as { page_size: number }
    const { page_count: pages } = other.prepare('PRAGMA page_count').get() as { page_count: number }
    atEnd(() => other.close())
    const rubbish = Buffer.alloc(size * pages, 0xa7)
    await writeFile(file, rubbish, { flag: 'r+' })
    const statuses = new Set<number>()
    for (let i = 0; i < 20; i++) {
      const answers = await Promise.all([host.firstSight(), host.tokenRequest()])
      for (const { status } of [...answers, ...(await host.byMemory())]) statuses.add(status)
    }
    expect(statuses).toEqual(new Set([200, 503]))
    await expect(host.auth.applications.create({ name: 'One more', apis: ['catalog'] })).rejects.toBeInstanceOf(
      StoreUnavailableError,
    )
    expect((await host.health()).problems).toMatch(/its file is damaged/)
  })
})
