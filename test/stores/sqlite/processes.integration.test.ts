import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { application, audit } from '../suite/records.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { timeBound } from '../../support/time-bound.js'
import { kill, runSqliteProcess, startSqliteProcess, useSqliteFiles } from './files.js'

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
