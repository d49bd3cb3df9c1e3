import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { application, audit } from '../suite/records.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { timeBound } from '../../support/time-bound.js'
import { kill, runSqliteProcess, startSqliteProcess, useSqliteFiles, readRows } from './files.js'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const files = useSqliteFiles()

describe('sqliteStore, with other processes on the same file,', () => {
  it('loses no update of four concurrent processes', async () => {
    const store = await files.openStore()
    for (const id of ['shared', 'another']) await store.saveApplication(application(id, { name: '0' }), audit(id))
    const { cursor } = await store.changesSince(undefined)
    const counting = ['shared', 'shared', 'shared', 'another'].map((id) =>
      runSqliteProcess(files.file, 'count', id, '100'),
    )
    await Promise.all(counting)
    expect(await store.findApplication('shared')).toMatchObject({ name: '300', version: 301 })
    expect(await store.findApplication('another')).toMatchObject({ name: '100', version: 101 })
    expect((await store.changesSince(cursor)).changes).toHaveLength(400)
    expect(await store.listAudit({ after: undefined, limit: 1000, applicationId: 'shared' })).toHaveLength(301)
  })

  it('creates the tables once if six processes start on a new file', async () => {
    for (let round = 0; round < (IS_LONG_LANE ? 3 : 1); round++) {
      const starts = Array.from({ length: 6 }, () => runSqliteProcess(files.file, 'start'))
      const peppers = await Promise.all(starts)
      expect(new Set(peppers).size).toBe(1)
      expect(peppers[0]).toMatch(/^pepper of \d+\n$/)
      await files.makeFolder()
    }
  })

  it('rejects all waiting calls after about five seconds', async () => {
    const store = await files.openStore()
    const holder = await startSqliteProcess(files.file, 'hold', '20000')
    const began = performance.now()
    const saving = Array.from({ length: 50 }, (_, i) => store.saveApplication(application(`b${i}`), audit()))
    const results = await Promise.allSettled(saving)
    expect(performance.now() - began).toBeGreaterThan(4400)
    expect(performance.now() - began).toBeLessThan(timeBound(6000))
    for (const { status } of results) expect(status).toBe('rejected')
    await kill(holder)
    expect(await store.saveApplication(application('b0'), audit())).toBe(true)
  })

  it('rejects waiting calls when it is closed', async () => {
    const store = await files.openStore()
    const holder = await startSqliteProcess(files.file, 'hold', '5000')
    const saving = Promise.allSettled([store.saveApplication(application('a'), audit())])
    await sleep(30)
    await store.close()
    expect(await saving).toMatchObject([{ status: 'rejected', reason: { message: 'The SQLite store is closed.' } }])
    await kill(holder)
  })
})

const PROCESS = fileURLToPath(new URL('../../support/sqlite-process.mjs', import.meta.url))
/** `npm run test:long`: more of them. */
const ROUNDS = IS_LONG_LANE ? 200 : 6

it('loses no acknowledged write when processes are killed', { timeout: 240_000 }, async () => {
  const acknowledged: string[] = []
  // This process does not open the file meanwhile, so each writer recovers what the killed one left.
  for (let round = 0; round < ROUNDS; round++) {
    const writers = round % 3 === 0 ? ['a', 'b'] : ['a']
    const lines = await Promise.all(writers.map((name) => writeUntilKilled(files.file, `${round}${name}`)))
    acknowledged.push(...lines.flat())
  }
  expect(acknowledged.length).toBeGreaterThan(ROUNDS)
  await expectAllStored(acknowledged)
  expectConsistent()
})

/** Resolves what the process acknowledged between `open()` and its death. */
async function writeUntilKilled(file: string, name: string): Promise<string[]> {
  const writer = spawn(process.execPath, [PROCESS, file, 'write', name], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(writer, 'close')
  let output = ''
  writer.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(writer.stdout, 'data')
  await sleep(Math.random() * 200)
  writer.kill('SIGKILL')
  const [, signal] = (await closed) as [code: number | null, signal: string | null]
  expect(signal).toBe('SIGKILL')
  const completeLines = output.split('\n').slice(0, -1)
  expect(completeLines[0]).toBe('open')
  return completeLines.slice(1)
}

async function expectAllStored(acknowledged: readonly string[]): Promise<void> {
  const store = await files.openStore()
  const lost: string[] = []
  for (const line of acknowledged) {
    const [action, id = '', version] = line.split(' ')
    if (action === 'revoked') {
      if (!(await store.isAccessTokenRevoked(id))) lost.push(line)
      continue
    }
    const found = await store.findApplication(id)
    const byKey = await store.findApplicationByKey(`key of ${id} ${found?.version}`)
    const audit = await store.listAudit({ after: undefined, limit: 10, applicationId: id })
    const isStored = found && found.version >= Number(version) && found.name === `version ${found.version}`
    if (!isStored || byKey?.id !== id || audit.length !== found.version) lost.push(line)
  }
  await store.close()
  expect(lost).toEqual([])
}

/** Every transaction, acknowledged or not, left all of its rows or none. */
function expectConsistent(): void {
  const database = files.openDatabase()
  const readValue = (text: string): unknown => Object.values(readRows(database, text)[0] ?? {})[0]
  expect(readValue('PRAGMA integrity_check')).toBe('ok')
  expect(readRows(database, 'PRAGMA foreign_key_check')).toEqual([])
  const saves = readValue('SELECT sum(version) FROM platform_auth_applications')
  expect(readValue('SELECT count(*) FROM platform_auth_audit')).toBe(saves)
  const revocations = Number(readValue('SELECT count(*) FROM platform_auth_revoked_access_tokens'))
  const changes = readValue("SELECT seq FROM sqlite_sequence WHERE name = 'platform_auth_changes'")
  expect(changes).toBe(Number(saves) + revocations)
  const credentials = readValue('SELECT count(*) FROM platform_auth_credentials')
  expect(readValue('SELECT count(*) * 2 FROM platform_auth_applications')).toBe(credentials)
}
