import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'
import { startLimiter } from './start-limiter.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const CALLERS = 1_000_000
const MAX_GROWTH_MB = 60

it('A million callers with quotas stay within a bounded memory, and none of their units is lost', async ({
  onTestFinished,
}) => {
  const folder = await createTemporaryFolder()
  const store = sqliteStore(join(folder, 'platform.sqlite'))
  await store.open()
  onTestFinished(() => store.close())
  const requests = [
    { limit: 10, window: 1 },
    { limit: 100, per: 'day' },
  ] as const
  const { limit, ledger } = startLimiter(requests, {
    store: store.quotas,
    accounts: 20_000,
    headers: false,
    now: Date.now,
  })
  const call = (i: number) => limit(`app_${i}`)
  const measure = (): number => {
    collectGarbage()
    return process.memoryUsage().heapUsed / 1e6
  }

  for (let i = 0; i < 50_000; i++) await call(i)
  const before = measure()
  for (let i = 50_000; i < CALLERS; i++) await call(i)
  const after = measure()
  expect(after - before).toBeLessThan(MAX_GROWTH_MB)
  await ledger.writer.close()
  for (const i of [0, 1, 499_999, CALLERS - 1])
    expect(await store.quotas.list(`app_${i}`, '2000-01-01', '2999-12-31')).toMatchObject([{ count: 1 }])
}, 1_800_000)
