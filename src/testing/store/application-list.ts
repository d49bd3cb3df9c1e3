import type { ApplicationQuery, ApplicationRecord } from '../../store.js'
import { application, audit, NOW } from './records.js'
import { assertEqual, createReaders, MALFORMED_CURSORS, type OpenedStores, type TestCollector } from './suite.js'

/** The filters, the order and the pages of `listApplications()`. */
export function applicationListContract({ describe, it }: TestCollector, opened: () => OpenedStores): void {
  const { listApplications, listIds, listInPages } = createReaders(opened)

  describe('list of applications', () => {
    /**
     * Makes a0 active on orders, p1 pending on both, s2 suspended on catalog, d3 deleted on orders, a4 active without APIs, and
     * so on.
     */
    async function populate(count: number): Promise<void> {
      const { store } = opened()
      const statuses = ['active', 'pending', 'suspended', 'deleted'] as const
      for (let i = 0; i < count; i++) {
        const status = statuses[i % 4] ?? 'active'
        const apis = [['orders'], ['orders', 'catalog'], ['catalog'], ['orders'], []][i % 5] ?? []
        const record = application(`${status[0]}${i}`, {
          status,
          apis: Object.fromEntries(apis.map((api) => [api, { scopes: [] }])),
        })
        await store.saveApplication(record, audit(record.id))
      }
    }

    const allIds = Array.from({ length: 20 }, (_, i) => `${'apsd'[i % 4]}${i}`)
    const uses = (api: 'orders' | 'catalog') => (id: string) => {
      const remainder = Number(id.slice(1)) % 5
      return api === 'orders' ? [0, 1, 3].includes(remainder) : [1, 2].includes(remainder)
    }
    const isLive = (id: string): boolean => !id.startsWith('d')

    it('is empty in a new store', async () => {
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
      it(`${which} is complete and in order of creation, in pages of any size`, async () => {
        await populate(20)
        const expected = allIds.filter(matches)
        assertEqual(await listIds(query), expected)
        for (const limit of [1, 2, 3, 7, 20]) assertEqual(await listInPages(query, limit), expected)
      })
    }

    it('of deleted applications that have something in decided is complete, in pages of any size', async () => {
      const { store } = opened()
      await populate(8)
      const decided = [{ requested: {}, requestedAt: NOW, outcome: 'deleted', at: NOW }] as const
      const save = (id: string, changes: Partial<ApplicationRecord>) =>
        store.saveApplication(application(id, { version: 2, decided, ...changes }), audit(id))
      await save('a0', {})
      for (const id of ['d3', 'd7', 'p1']) await save(id, { status: 'deleted' })
      const query = { status: 'deleted', hasDecided: true } as const
      for (const limit of [1, 2, 3]) assertEqual(await listInPages(query, limit), ['p1', 'd3', 'd7'])
      await save('d3', { version: 3, status: 'deleted', decided: [] })
      assertEqual(await listIds(query), ['p1', 'd7'])
      assertEqual(await listIds({ ...query, after: 'p1' }), ['d7'])
    })

    it('continues after an application that no longer matches', async () => {
      const { store } = opened()
      await populate(8)
      await store.saveApplication(application('p1', { version: 2, status: 'deleted' }), audit('p1'))
      assertEqual(await listIds({ after: 'p1', limit: 2 }), ['s2', 'a4'])
      assertEqual(await listIds({ after: 'p1', api: 'orders' }), ['p5', 's6'])
    })

    it('reflects every change of status and APIs', async () => {
      const { store } = opened()
      await populate(4)
      await store.saveApplication(application('a0', { version: 2, status: 'suspended' }), audit('a0'))
      assertEqual(await listIds({ status: 'active' }), [])
      assertEqual(await listIds({ status: 'suspended' }), ['a0', 's2'])
      assertEqual(await listIds({ api: 'orders' }), ['p1'])
      const allowed = application('a0', { version: 3, apis: { orders: { scopes: ['read'] } } })
      await store.saveApplication(allowed, audit('a0'))
      assertEqual(await listIds({ api: 'orders' }), ['a0', 'p1'])
      assertEqual(await listIds({ api: 'orders', status: 'active' }), ['a0'])
    })

    it('is empty after an application that does not exist', async () => {
      await populate(2)
      assertEqual(await listIds({ after: 'unknown' }), [])
      assertEqual(await listIds({ after: 'unknown', status: 'active' }), [])
      assertEqual(await listIds({ after: 'unknown', api: 'orders' }), [])
    })

    it('is empty after a malformed cursor', async () => {
      await populate(2)
      for (const after of MALFORMED_CURSORS) {
        for (const query of [{}, { status: 'active' }, { api: 'orders' }] as const) {
          assertEqual(await listIds({ ...query, after }), [], JSON.stringify(after))
        }
      }
    })
  })
}
