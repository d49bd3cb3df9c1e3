import { join } from 'node:path'
import { it, onTestFinished } from 'vitest'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { decideInTwoProcesses } from './deciding-operators.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

it('exactly one decision of two operators counts, in two processes of which one is killed', async () => {
  const folder = await createTemporaryFolder()
  const address = join(folder, 'platform.sqlite')
  const store = sqliteStore(address)
  await store.open()
  onTestFinished(() => store.close())
  await decideInTwoProcesses({ address, store }, { kills: 2, registrationsPerKill: 6 })
})
