import { expect, it } from 'vitest'
import { readPages } from '../../../src/shared/lib/own-members.js'
import { request } from '../../support/request.js'
import { onEveryPlatform } from '../../support/platform.js'

const DAY_MS = 24 * 3600 * 1000
const APIS = { orders: { scopes: [] }, catalog: { scopes: [] } }

onEveryPlatform((host) => {
  type Query = NonNullable<Parameters<typeof host.auth.applications.list>[0]>

  /** An application whose key and secret expire after as many days. */
  async function create(name: string, days: readonly number[]): Promise<string> {
    const { application } = await host.auth.applications.create({ name, apis: APIS })
    const credentials = [application.keys[0]!, ...application.secrets]
    for (const [i, { id }] of credentials.entries()) {
      const expiresAt = new Date(host.clock.now() + (days[i] ?? days[0]!) * DAY_MS)
      await host.auth.applications.updateCredential(application.id, id, { expiresAt })
    }
    return application.id
  }

  /** The names on each page. */
  async function listPages(query: Query, onPage?: (ids: readonly string[]) => Promise<void>): Promise<string[][]> {
    const pages: string[][] = []
    for await (const items of readPages((after) => host.auth.applications.list({ ...query, after }))) {
      pages.push(items.map(({ name }) => name))
      await onPage?.(items.map(({ id }) => id))
    }
    return pages
  }

  it('list({ name }) lists in the order of names, page by page, also if those listed get another name meanwhile', async () => {
    for (const name of ['Order c', 'ORDER B', 'order a', 'Order ü', 'order b']) await create(name, [400])
    const expected = [['order a', 'ORDER B'], ['order b', 'Order c'], ['Order ü']]
    expect(await listPages({ name: 'Order', limit: 2 })).toEqual(expected)
    const renamed = await listPages({ name: 'Order', limit: 2 }, async (ids) => {
      for (const id of ids) await host.auth.applications.update(id, { name: 'order' })
    })
    expect(renamed).toEqual(expected)
  })

  it('list({ expiringBefore }) lists what expires first, page by page, each once, also if time passes and those listed get new credentials', async () => {
    for (const [name, ...days] of [
      ['x 30', 30],
      ['x 10', 40, 10],
      ['x 20', 20],
      ['x 5', 5, 6],
      ['x 90', 90],
    ] as const)
      await create(name, days)
    const expiringBefore = new Date(host.clock.now() + 60 * DAY_MS)
    expect(await listPages({ expiringBefore, limit: 2 })).toEqual([
      ['x 5', 'x 10'],
      ['x 20', 'x 30'],
    ])
    expect(await listPages({ expiringBefore, name: 'x 3' })).toEqual([['x 30']])
    const rotated = await listPages({ expiringBefore, limit: 1 }, async ([id = '']) => {
      host.clock.advance(3 * 24 * 3600)
      await host.auth.applications.rotateKey(id)
      await host.auth.applications.rotateSecret(id)
    })
    expect(rotated).toEqual([['x 5'], ['x 10'], ['x 20'], ['x 30']])
  })

  it('list({ credential }) finds by the visible beginning of a key or secret, and refuses a whole one', async () => {
    const { application, credentials } = await host.auth.applications.create({ name: 'z', apis: APIS })
    await create('z 2', [100])
    for (const { prefix } of [...application.keys, ...application.secrets])
      for (const credential of [prefix, `${prefix}...`, `${prefix}…`])
        expect((await host.auth.applications.list({ credential })).items).toMatchObject([{ id: application.id }])
    const [{ prefix } = { prefix: '' }] = application.keys
    expect(await host.auth.applications.list({ credential: prefix.slice(0, -1) })).toEqual({ items: [] })
    for (const credential of [credentials.clientId, credentials.clientSecret!, '', '...'])
      await expect(host.auth.applications.list({ credential })).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('list({ usedSince, usedBefore, neverUsed }) lists by last use, longest ago first, page by page', async () => {
    const start = host.clock.now()
    host.app.get('/used', host.auth.requireApiKey('catalog'), (_req, res) => void res.sendStatus(204))
    for (const name of ['u 1', 'u 2', 'u 3', 'u 4']) {
      const { credentials } = await host.auth.applications.create({ name, apis: APIS })
      if (name === 'u 2') continue
      host.clock.advance(3600)
      expect((await request(host.app).get('/used').set('X-Api-Key', credentials.clientId)).status).toBe(204)
    }
    const usedSince = new Date(start)
    expect(await listPages({ usedSince, limit: 2 })).toEqual([['u 1', 'u 3'], ['u 4']])
    const usedBefore = new Date(start + 3 * 3600_000)
    expect(await listPages({ usedSince, usedBefore, limit: 1 })).toEqual([['u 1'], ['u 3']])
    expect(await listPages({ usedSince, name: 'U 4' })).toEqual([['u 4']])
    expect(await listPages({ neverUsed: true, name: 'u' })).toEqual([['u 2']])
    const { items } = await host.auth.applications.list({ usedSince, limit: 1 })
    expect(items[0]).toMatchObject({ name: 'u 1', lastUsedAt: new Date(start + 3600_000) })
    // The last use outlives the credential.
    await host.auth.applications.rotateKey(items[0]!.id, { overlap: 0 })
    expect(await listPages({ usedSince, usedBefore: new Date(start + 3600_001) })).toEqual([['u 1']])
    for (const query of [{ usedSince: 'now' }, { usedBefore: new Date(Number.NaN) }, { neverUsed: 'yes' }])
      await expect(host.auth.applications.list(query as never)).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('list() lists nothing after a cursor of another search, or a text that is none', async () => {
    for (const name of ['y 1', 'y 2', 'y 3']) await create(name, [100])
    const expiringBefore = new Date(host.clock.now() + 200 * DAY_MS)
    const searches: readonly Query[] = [{}, { name: 'y' }, { expiringBefore }]
    const cursors = await Promise.all(
      searches.map(async (query) => (await host.auth.applications.list({ ...query, limit: 1 })).next!),
    )
    const wrong = [
      '',
      ' ',
      'app_1',
      'name.',
      'name..',
      'name.eQ.app_1',
      'expiry.1.2.app_1',
      `expiry.1e3.9.${cursors[0]}`,
    ]
    for (const [i, query] of searches.entries()) {
      const { items } = await host.auth.applications.list({ ...query, after: cursors[i]! })
      expect(items).not.toEqual([])
      for (const after of [...cursors.filter((_, of) => of !== i), ...wrong])
        expect(await host.auth.applications.list({ ...query, after }), `${i}: ${after}`).toEqual({ items: [] })
    }
    const { items } = await host.auth.applications.list({ name: 'x', after: cursors[1]! })
    expect(items).toEqual([])
  })
})
