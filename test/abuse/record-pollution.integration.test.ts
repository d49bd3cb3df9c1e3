import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { DATABASES } from '../support/databases.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { listOptionalMembers, NAMES_OF_OTHERS } from './pollution.js'

const PROCESS = fileURLToPath(new URL('record-pollution-process.mjs', import.meta.url))

/** What records and their JSON may lack; in the long lane also what the code that changes them may. The names of an API and of a scope are names of members too. */
const FOLDERS = IS_LONG_LANE ? ['shared/contracts', 'core/applications'] : ['shared/contracts/application-record']
const NAMES = [...FOLDERS.flatMap((folder) => [...listOptionalMembers(folder)]), 'orders', 'catalog', 'keys', 'address']
const TESTED = [...new Set(NAMES)].filter((name) => !NAMES_OF_OTHERS.has(name))

const STORES = { memory: async () => ({ address: '' }), ...DATABASES }

describe('records in a process with a polluted Object.prototype', () => {
  it.for(['memory', 'SQLite', 'PostgreSQL'] as const)(
    'inherit nothing that answers otherwise, is stored, or counts after the pollution has ended: %s',
    { timeout: 1_800_000 },
    async (store, test) => {
      const { address } = await STORES[store](test)
      expect(TESTED).toEqual(
        expect.arrayContaining(['keySet', 'resourceServer', 'rateLimits', 'networks', 'acceptedTerms']),
      )
      const options = { store, address, names: TESTED, values: IS_LONG_LANE ? 5 : 2 }
      const child = fork(PROCESS, [JSON.stringify(options)], { env: { ...process.env, NODE_OPTIONS: '' } })
      const [problems] = (await once(child, 'message')) as [readonly string[]]
      expect(problems).toEqual([])
    },
  )
})
