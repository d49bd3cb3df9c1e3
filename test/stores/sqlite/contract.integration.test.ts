import { describe } from 'vitest'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { storeContract } from '../contract.js'
import { drivers } from './drivers.js'
import { useSqliteFiles } from './files.js'

const files = useSqliteFiles()

storeContract('sqliteStore(path)', async () => ({
  store: await files.openStore(),
  again: () => files.openStore(),
  close: async () => undefined,
}))

describe.each([...drivers])('driver %s:', (_, driver) => {
  // The file of the first and the shared connection of the last, combined.
  if (IS_LONG_LANE) {
    storeContract('sqliteStore(database), with a connection per store,', async () => ({
      store: await files.openStore(files.openDatabase(driver)),
      again: () => files.openStore(files.openDatabase(driver)),
      close: async () => undefined,
    }))

    storeContract('sqliteStore(database), with one connection for two stores,', async () => {
      const database = files.openDatabase(driver)
      return {
        store: await files.openStore(database),
        again: () => files.openStore(database),
        close: async () => undefined,
      }
    })
  }

  storeContract('sqliteStore(database), in memory and reading BigInts,', async () => {
    const database = new driver(':memory:', { readBigInts: true })
    files.onEnd(() => database.close())
    return {
      store: await files.openStore(database),
      again: () => files.openStore(database),
      close: async () => undefined,
    }
  })
})
