import { assertEqual, MALFORMED_CURSORS, type TestCollector } from './suite.js'

/** `listApplications()` by contact. */
export function contactsContract({ describe, it }: TestCollector): void {
  describe('list of applications of a contact', () => {
    it('has those whose first or another contact it is, in any case, each once and in order of creation', async (context) => {
      const { save, listIds } = context
      await save('first', { contact: 'Ann@Example.com', otherContacts: ['bob@example.com'] })
      await save('only', { contact: 'bob@example.com', status: 'suspended', apis: { orders: { scopes: [] } } })
      await save('nobody')
      await save('third', { contact: 'c@example.com', otherContacts: ['d@example.com', 'ANN@example.com'] })
      assertEqual(await listIds({ contact: 'ann@example.com' }), ['first', 'third'])
      assertEqual(await listIds({ contact: 'bob@example.com' }), ['first', 'only'])
      assertEqual(await listIds({ contact: 'bob@example.com', limit: 1 }), ['first'])
      assertEqual(await listIds({ contact: 'bob@example.com', after: 'first' }), ['only'])
      assertEqual(await listIds({ contact: 'bob@example.com', after: 'unknown' }), [])
      for (const contact of ['example.com', 'bob', '%', ...MALFORMED_CURSORS]) {
        assertEqual(await listIds({ contact }), [], JSON.stringify(contact))
      }
    })

    it('follows every change of contacts, also those of a deleted application', async ({ save, listIds }) => {
      await save('a', { contact: 'a@example.com', otherContacts: ['b@example.com', 'c@example.com'] })
      await save('a', { version: 2, contact: 'c@example.com', otherContacts: ['d@example.com'] })
      assertEqual(await listIds({ contact: 'a@example.com' }), [])
      assertEqual(await listIds({ contact: 'b@example.com' }), [])
      assertEqual(await listIds({ contact: 'c@example.com' }), ['a'])
      assertEqual(await listIds({ contact: 'd@example.com' }), ['a'])
      await save('a', { version: 3, contact: 'c@example.com' })
      assertEqual(await listIds({ contact: 'd@example.com' }), [])
      await save('a', { version: 4, contact: 'c@example.com', status: 'deleted' })
      assertEqual(await listIds({ contact: 'c@example.com' }), [])
    })
  })
}
