import type { ApplicationQuery } from '../../../src/store.js'
import { NOW } from './records.js'
import { assertEqual, MALFORMED_CURSORS, type TestCollector, type TestContext } from './suite.js'

/** The filters, the order and the pages of `listApplications()`. */
export function applicationListContract({ describe, it }: TestCollector): void {
  describe('list of applications', () => {
    /**
     * Makes a0 active on orders, p1 pending on both, s2 suspended on catalog, d3 deleted on orders, a4 active without APIs, and
     * so on.
     */
    async function populate(save: TestContext['save'], count: number): Promise<void> {
      const statuses = ['active', 'pending', 'suspended', 'deleted'] as const
      for (let i = 0; i < count; i++) {
        const status = statuses[i % 4] ?? 'active'
        const apis = [['orders'], ['orders', 'catalog'], ['catalog'], ['orders'], []][i % 5] ?? []
        const grants = Object.fromEntries(apis.map((api) => [api, { scopes: [] }]))
        await save(`${status[0]}${i}`, { status, apis: grants })
      }
    }

    const allIds = Array.from({ length: 20 }, (_, i) => `${'apsd'[i % 4]}${i}`)
    const uses = (api: 'orders' | 'catalog') => (id: string) => {
      const remainder = Number(id.slice(1)) % 5
      return api === 'orders' ? [0, 1, 3].includes(remainder) : [1, 2].includes(remainder)
    }
    const isLive = (id: string): boolean => !id.startsWith('d')

    it('is empty in a new store', async ({ listApplications }) => {
      assertEqual(await listApplications(), [])
    })

    const cases: readonly (readonly [string, Partial<ApplicationQuery>, (id: string) => boolean])[] = [
      ['of all applications', {}, isLive],
      ['of one status', { status: 'pending' }, (id) => id.startsWith('p')],
      ['of deleted applications', { status: 'deleted' }, (id) => !isLive(id)],
      ['of one API', { api: 'orders' }, (id) => isLive(id) && uses('orders')(id)],
      ['of another API', { api: 'catalog' }, (id) => isLive(id) && uses('catalog')(id)],
      ['of one API and status', { api: 'orders', status: 'active' }, (id) => id.startsWith('a') && uses('orders')(id)],
      [
        'of deleted applications of one API',
        { api: 'orders', status: 'deleted' },
        (id) => !isLive(id) && uses('orders')(id),
      ],
      ['of an API without applications', { api: 'ORDERS' }, () => false],
    ]
    for (const [which, query, matches] of cases) {
      it(`${which} is complete and in order of creation, in pages of any size`, async (context) => {
        const { save, listIds, listInPages } = context
        await populate(save, 20)
        const expected = allIds.filter(matches)
        assertEqual(await listIds(query), expected)
        for (const limit of [1, 2, 3, 7, 20]) assertEqual(await listInPages(query, limit), expected)
      })
    }

    it('of deleted applications that have something in decided is complete, in pages of any size', async (context) => {
      const { save, listIds, listInPages } = context
      await populate(save, 8)
      const decided = [{ requested: {}, requestedAt: NOW, outcome: 'deleted', at: NOW }] as const
      await save('a0', { version: 2, decided })
      for (const id of ['d3', 'd7', 'p1']) await save(id, { version: 2, decided, status: 'deleted' })
      const query = { hasDecided: true } as const
      for (const limit of [1, 2, 3]) assertEqual(await listInPages(query, limit), ['p1', 'd3', 'd7'])
      await save('d3', { version: 3, status: 'deleted' })
      assertEqual(await listIds(query), ['p1', 'd7'])
      assertEqual(await listIds({ ...query, after: 'p1' }), ['d7'])
    })

    it('continues after an application that no longer matches', async ({ save, listIds }) => {
      await populate(save, 8)
      await save('p1', { version: 2, status: 'deleted' })
      assertEqual(await listIds({ after: 'p1', limit: 2 }), ['s2', 'a4'])
      assertEqual(await listIds({ after: 'p1', api: 'orders' }), ['p5', 's6'])
    })

    it('reflects every change of status and APIs', async ({ save, listIds }) => {
      await populate(save, 4)
      await save('a0', { version: 2, status: 'suspended' })
      assertEqual(await listIds({ status: 'active' }), [])
      assertEqual(await listIds({ status: 'suspended' }), ['a0', 's2'])
      assertEqual(await listIds({ api: 'orders' }), ['p1'])
      await save('a0', { version: 3, apis: { orders: { scopes: ['read'] } } })
      assertEqual(await listIds({ api: 'orders' }), ['a0', 'p1'])
      assertEqual(await listIds({ api: 'orders', status: 'active' }), ['a0'])
    })

    it('is empty after an application that does not exist', async ({ save, listIds }) => {
      await populate(save, 2)
      assertEqual(await listIds({ after: 'unknown' }), [])
      assertEqual(await listIds({ after: 'unknown', status: 'active' }), [])
      assertEqual(await listIds({ after: 'unknown', api: 'orders' }), [])
    })

    it('is empty after a malformed cursor', async ({ save, listIds }) => {
      await populate(save, 2)
      for (const after of MALFORMED_CURSORS) {
        for (const query of [{}, { status: 'active' }, { api: 'orders' }] as const) {
          assertEqual(await listIds({ ...query, after }), [], JSON.stringify(after))
        }
      }
    })
  })
}
