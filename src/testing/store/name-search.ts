import type { ApplicationRecord } from '../../store.js'
import { application, audit } from './records.js'
import { assertEqual, createReaders, MALFORMED_CURSORS } from './suite.js'
import type { OpenedStores, TestCollector } from './suite.js'

/** The look-up of applications by the beginning of their names. */
export function nameSearchContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { listIds } = createReaders(opened)

  async function save(id: string, changes: Partial<ApplicationRecord>): Promise<boolean> {
    return opened().store.saveApplication(application(id, changes), audit(id))
  }

  describe('name', () => {
    it('finds applications by its beginning, A to Z in either case', async () => {
      await save('a', { name: 'Acme: Orders' })
      await save('b', { name: 'ACME 2' })
      await save('c', { name: 'Acne' })
      await save('d', { name: 'Ünï 🔑', status: 'suspended' })
      assertEqual(await listIds({ name: 'acm' }), ['a', 'b'])
      assertEqual(await listIds({ name: 'acme:' }), ['a'])
      assertEqual(await listIds({ name: 'acm', after: 'a' }), ['b'])
      assertEqual(await listIds({ name: 'Ünï', status: 'suspended' }), ['d'])
      for (const name of ['cme', '%', '_cme', 'acme: orders more', ...MALFORMED_CURSORS.filter((text) => text !== '')])
        assertEqual(await listIds({ name }), [], JSON.stringify(name))
    })
  })
}
