import { describe, it } from 'vitest'
import { storeTests, type OpenedStore } from './suite/index.js'

/** The behaviour that every store has in common. Call it once per kind of store. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} fulfils the store contract:`, () => {
    it.each(storeTests(open))('$name', ({ run }) => run())
  })
}
