import type { ApplicationRecord, CredentialRecord } from '../../../src/store.js'
import { credential, NOW } from './records.js'
import { assertEqual, type TestCollector } from './suite.js'

const ORDERS = { orders: { scopes: [] } }

/** The look-up of applications by when their credentials expire. */
export function expirySearchContract({ describe, it }: TestCollector): void {
  const at = (hash: string, later: number): CredentialRecord => credential(hash, { expiresAt: NOW + later })

  /** The first expiry of the record after `expiringAfter`. */
  const readPosition = (expiringAfter: number) => (last: ApplicationRecord) => {
    const times = [...last.keys, ...last.secrets].map(({ expiresAt = Infinity }) => expiresAt)
    return { afterKey: Math.min(...times.filter((time) => time > expiringAfter)) }
  }

  describe('list of applications with expiring credentials', () => {
    it('has those with a credential that expires between two times, each once and the first to expire first', async (context) => {
      const { save, listIds } = context
      await save('none', { keys: [credential('n')] })
      await save('late', { keys: [at('l', 40)] })
      await save('secret', { secrets: [at('x', 30)], status: 'suspended', apis: ORDERS })
      await save('soon', { keys: [at('s1', 10), at('s2', 11), credential('s3')], secrets: [at('s4', 12)] })
      await save('over', { keys: [at('o', -1)], apis: ORDERS })
      const expiring = { expiringAfter: NOW, expiringBefore: NOW + 31 }
      assertEqual(await listIds(expiring), ['soon', 'secret'])
      assertEqual(await listIds({ ...expiring, limit: 1 }), ['soon'])
      assertEqual(await listIds({ ...expiring, after: 'soon', afterKey: NOW + 10 }), ['secret'])
      assertEqual(await listIds({ expiringBefore: NOW + 31 }), ['over', 'soon', 'secret'])
      assertEqual(await listIds({ expiringAfter: NOW + 10, expiringBefore: NOW + 11 }), [])
      assertEqual(await listIds({ expiringAfter: NOW + 29, expiringBefore: NOW + 31 }), ['secret'])
    })

    it('is complete, those that expire at once in order of creation, in pages of any size', async (context) => {
      const { save, listInPages } = context
      for (let i = 0; i < 12; i++) {
        await save(`e${i}`, {
          keys: [at(`k${i}`, 100 - Math.floor(i / 4)), at(`over${i}`, -5 - i)],
          // The same time as the key's, or another one within the search.
          secrets: [at(`s${i}`, i === 5 ? 1 : 100 - Math.floor(i / 4))],
        })
      }
      const sorted = ['e5', 'e8', 'e9', 'e10', 'e11', 'e4', 'e6', 'e7', 'e0', 'e1', 'e2', 'e3']
      const query = { expiringAfter: NOW, expiringBefore: NOW + 101 }
      for (const limit of [1, 2, 5, 20])
        assertEqual(await listInPages(query, limit, readPosition(NOW)), sorted, `pages of ${limit}`)
    })

    it('continues where the last application of the page was, although its credentials are new or it is deleted', async (context) => {
      const { save, listIds } = context
      for (const [i, id] of ['a', 'b', 'c'].entries()) await save(id, { keys: [at(`k${id}`, 10 + i)] })
      await save('a', { version: 2, keys: [at('new', 90)] })
      await save('b', { version: 2, keys: [], status: 'deleted' })
      const expiring = { expiringAfter: NOW, expiringBefore: NOW + 91 }
      assertEqual(await listIds({ ...expiring, after: 'a', afterKey: NOW + 10 }), ['c', 'a'])
      assertEqual(await listIds({ ...expiring, after: 'b', afterKey: NOW + 11 }), ['c', 'a'])
    })

    it('is empty after a position that is not of this search', async ({ save, listIds }) => {
      for (const [i, id] of ['a', 'b'].entries()) await save(id, { keys: [at(`k${id}`, 10 + i)] })
      const expiring = { expiringAfter: NOW, expiringBefore: NOW + 31 }
      assertEqual(await listIds({ ...expiring, after: 'unknown', afterKey: NOW + 1 }), [])
      assertEqual(await listIds({ ...expiring, after: 'a' }), [])
      for (const later of [-1, 0, 31, 99])
        assertEqual(await listIds({ ...expiring, after: 'a', afterKey: NOW + later }), [])
    })
  })
}
