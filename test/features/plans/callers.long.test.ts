import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import type { ApplicationRecord } from '../../../src/shared/contracts/application-record.js'
import { createLedger } from '../../../src/features/plans/ledger.js'
import { createLimiter } from '../../../src/features/plans/limiter.js'
import { readPlans } from '../../../src/features/plans/plans-options.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { recordingLogger } from '../../support/platform.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

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
  const { plans } = readPlans(
    {
      free: {
        requests: [
          { limit: 10, window: 1 },
          { limit: 100, per: 'day' },
        ],
      },
    },
    undefined,
  )
  const ledger = createLedger({
    store: store.quotas,
    limitLookups: (_, work) => work(),
    accounts: 20_000,
    onTotals: () => undefined,
    logger: recordingLogger(),
    now: Date.now,
  })
  const limit = createLimiter({
    findPlan: () => plans.get('free'),
    ledger,
    countShared: undefined,
    headers: false,
    now: Date.now,
  })
  const call = (i: number) => limit({ id: `app_${i}`, plan: 'free' } as ApplicationRecord, 1)
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
