import type { ApplicationRecord } from '../../../src/store.js'
import { assertEqual, MALFORMED_CURSORS, type TestCollector } from './suite.js'

/** The look-up of applications by the beginning of their names. */
export function nameSearchContract({ describe, it }: TestCollector): void {
  const readPosition = ({ name }: ApplicationRecord) => ({
    afterKey: name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  })

  describe('name', () => {
    it('finds applications by its beginning, A to Z in either case', async ({ save, listIds }) => {
      await save('a', { name: 'Acme: Orders' })
      await save('b', { name: 'ACME 2' })
      await save('c', { name: 'Acne' })
      await save('d', { name: 'Ünï 🔑', status: 'suspended' })
      assertEqual(await listIds({ name: 'acm' }), ['b', 'a'])
      assertEqual(await listIds({ name: 'acme:' }), ['a'])
      assertEqual(await listIds({ name: 'Ünï' }), ['d'])
      for (const name of ['cme', '%', '_cme', 'acme: orders more', ...MALFORMED_CURSORS.filter((text) => text !== '')])
        assertEqual(await listIds({ name }), [], JSON.stringify(name))
    })

    const names = ['Shop b', 'SHOP', 'shop a', 'Shop', 'Shop \u{1F511}', 'Shop \uFF21', 'Shop ä', 'Shop Z']
    const inOrder = ['n1', 'n3', 'n2', 'n0', 'n7', 'n6', 'n5', 'n4']

    it('lists by name, by code point and then by creation, in pages of any size', async ({ save, listInPages }) => {
      for (const [i, name] of names.entries()) await save(`n${i}`, { name })
      await save('other', { name: 'Sho' })
      for (const limit of [1, 2, 3, 8]) {
        assertEqual(await listInPages({ name: 'shop' }, limit, readPosition), inOrder, `pages of ${limit}`)
      }
    })

    it('continues where the last application of the page was, although it has another name or is deleted', async (context) => {
      const { save, listIds } = context
      for (const id of ['a', 'b', 'c']) await save(id, { name: `Shop ${id}` })
      await save('a', { version: 2, name: 'Shop z' })
      await save('b', { version: 2, name: '', status: 'deleted' })
      assertEqual(await listIds({ name: 'shop', after: 'a', afterKey: 'shop a' }), ['c', 'a'])
      assertEqual(await listIds({ name: 'shop', after: 'b', afterKey: 'shop b' }), ['c', 'a'])
    })

    it('is empty after a position that is not of this search', async ({ save, listIds }) => {
      for (const id of ['a', 'b', 'c']) await save(id, { name: `Shop ${id}` })
      assertEqual(await listIds({ name: 'shop', after: 'a' }), [])
      assertEqual(await listIds({ name: 'shop', after: 'unknown', afterKey: 'shop' }), [])
      for (const afterKey of ['', 'a', 'z', ...MALFORMED_CURSORS])
        assertEqual(await listIds({ name: 'shop', after: 'a', afterKey }), [], JSON.stringify(afterKey))
      assertEqual(await listIds({ after: 'a', afterKey: 'z' }), ['b', 'c'])
    })
  })
}
