import { it, onTestFinished } from 'vitest'
import { DATABASES } from '../../support/databases.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { decideInTwoProcesses } from './deciding-operators.js'

const OPTIONS = IS_LONG_LANE ? { kills: 100, registrationsPerKill: 3 } : { kills: 2, registrationsPerKill: 6 }

it.each(IS_LONG_LANE ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const))(
  'exactly one decision of two operators counts, in two processes that are killed: %s',
  { timeout: IS_LONG_LANE ? 900_000 : 120_000 },
  async (name) => {
    const { address, open } = await DATABASES[name]()
    const store = open()
    await store.open()
    onTestFinished(() => store.close())
    await decideInTwoProcesses({ address, store }, OPTIONS)
  },
)
