import express from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { authOf } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { openPlatform, STORES, type FullPlatform, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

const APIS = ['orders', 'catalog'] as const

describe.each(Object.entries(STORES))('metadata and externalId, on %s', (_, openStore) => {
  let auth: FullPlatform
  let close: () => Promise<void>
  beforeAll(async () => {
    const { store, remove } = await openStore()
    ;({ auth } = openPlatform({ store, mailer: memoryMailer() }))
    await auth.ready()
    close = async () => {
      await auth.close()
      await remove()
    }
  })
  afterAll(() => close())

  const create = (data: { externalId?: string; metadata?: object }) =>
    auth.applications.create({ name: 'Shop', apis: APIS, ...data })

  it('are given to create(), and are found by get() and list()', async () => {
    const metadata = { discount: 10, addresses: [{ city: 'Zürich' }, null] }
    const { application } = await create({ externalId: 'C-1', metadata })
    expect(application).toMatchObject({ externalId: 'C-1', metadata })
    expect(await auth.applications.get(application.id)).toMatchObject({ externalId: 'C-1', metadata })
    expect((await auth.applications.list({ externalId: 'C-1' })).items).toEqual([application])
    expect((await auth.applications.list({ externalId: 'c-1' })).items).toEqual([])
    expect((await create({})).application).toMatchObject({ externalId: undefined, metadata: undefined })
  })

  it('are given to register()', async () => {
    const registration = { name: 'Shop', contact: 'dev@shop.example', apis: APIS }
    const { application } = await auth.registration.register({ ...registration, externalId: 'R-1', metadata: { a: 1 } })
    expect(await auth.applications.get(application.id)).toMatchObject({ externalId: 'R-1', metadata: { a: 1 } })
    const refused = auth.registration.register({ ...registration, metadata: { a: Number.NaN } })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('are replaced as a whole by update(), and removed by null', async () => {
    const { id } = (await create({ externalId: 'C-2', metadata: { discount: 10, region: 'north' } })).application
    expect(await auth.applications.update(id, { metadata: { discount: 20 } })).toMatchObject({
      externalId: 'C-2',
      metadata: { discount: 20 },
    })
    expect((await auth.applications.get(id))?.metadata).toEqual({ discount: 20 })
    expect(await auth.applications.update(id, { name: 'Shop 2' })).toMatchObject({ metadata: { discount: 20 } })
    await auth.applications.update(id, { metadata: null, externalId: null })
    expect(await auth.applications.get(id)).toMatchObject({
      metadata: undefined,
      externalId: undefined,
      name: 'Shop 2',
    })
    expect((await create({ externalId: 'C-2' })).application.externalId).toBe('C-2')
  })

  it('have an external id that no other application has', async () => {
    const { id } = (await create({ externalId: 'C-3' })).application
    const conflict = { code: 'conflict', message: expect.stringContaining('externalId "C-3"') as string }
    await expect(create({ externalId: 'C-3' })).rejects.toMatchObject(conflict)
    const other = (await create({ externalId: 'C-4' })).application
    await expect(auth.applications.update(other.id, { externalId: 'C-3' })).rejects.toMatchObject(conflict)
    // Its own is no conflict. A deleted application has none.
    await auth.applications.update(id, { externalId: 'C-3', name: 'Other' })
    await auth.applications.delete(id)
    expect(await auth.applications.get(id)).toMatchObject({ externalId: undefined, metadata: undefined })
    await auth.applications.update(other.id, { externalId: 'C-3' })
    const refused = auth.applications.update(id, { metadata: {} })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_state' })
  })

  it('are in the audit log by name only', async () => {
    const { id } = (await create({ externalId: 'C-5', metadata: { discount: 10, region: 'north' } })).application
    await auth.applications.update(id, { externalId: 'C-6', metadata: { discount: 20, region: 'north' }, by: 'alice' })
    const { items } = await auth.audit.list({ applicationId: id })
    expect(items).toMatchObject([
      { type: 'application.registered', details: { externalId: true, metadata: ['discount', 'region'] } },
      {
        type: 'application.updated',
        by: 'alice',
        details: { changed: ['externalId', 'metadata'], metadata: ['discount'] },
      },
    ])
    expect(JSON.stringify(items)).not.toMatch(/C-5|C-6|north/)
  })

  it.each([
    [{ metadata: [] }, 'metadata must be a JSON object, and is a list.'],
    [{ metadata: { a: 'x'.repeat(5000) } }, 'metadata is larger than 4096 bytes of JSON.'],
    [{ externalId: '' }, 'externalId must be a string of 1 to 255 characters'],
    [{ externalId: 4711 }, 'externalId must be a string of 1 to 255 characters'],
  ])('are refused before anything is stored: %j', async (data, message) => {
    const { id } = (await create({})).application
    for (const call of [
      create(data as object),
      auth.applications.update(id, { name: 'Changed', ...(data as object) }),
    ]) {
      await expect(call).rejects.toMatchObject({ name: 'ApplicationError', code: 'invalid_argument' })
      await expect(call).rejects.toThrow(message)
    }
    expect((await auth.applications.get(id))?.name).toBe('Shop')
  })
})

describe('what handlers see of it', () => {
  const { auth } = usePlatform()
  const app = express().use(auth.router)
  app.get('/catalog/me', auth.requireApiKey('catalog'), (req, res) => {
    const { application } = authOf(req)
    const own = JSON.stringify(application)
    // What a handler changes is its own.
    Object.assign(application.metadata ?? {}, { discount: 99 })
    res.json({ own, changed: application.metadata })
  })
  let id: string
  let key: string
  beforeAll(() => auth.ready())
  beforeEach(async () => {
    const created = await auth.applications.create({
      name: 'Shop',
      apis: APIS,
      externalId: 'C-1',
      metadata: { discount: 10, list: [{ a: 1 }] },
    })
    id = created.application.id
    key = created.credentials.clientId
    return () => auth.applications.delete(id).then(() => undefined)
  })
  const read = async () => {
    const { body } = await request(app).get('/catalog/me').set('X-Api-Key', key).expect(200)
    const { own, changed } = body as { own: string; changed: object }
    return { own: JSON.parse(own) as object, changed }
  }

  it('is a copy of their own', async () => {
    const expected = { id, name: 'Shop', externalId: 'C-1', metadata: { discount: 10, list: [{ a: 1 }] } }
    for (let i = 0; i < 2; i++) {
      const { own, changed } = await read()
      expect(own).toEqual(expected)
      expect(changed).toMatchObject({ discount: 99 })
    }
  })

  it('is the last change of this process, at the next request', async () => {
    for (let discount = 1; discount <= 5; discount++) {
      await auth.applications.update(id, { metadata: { discount }, externalId: `C-${discount}` })
      expect((await read()).own).toMatchObject({ externalId: `C-${discount}`, metadata: { discount } })
    }
  })

  it('is undefined where nothing was given, and the same outside a request', async () => {
    await auth.applications.update(id, { metadata: null, externalId: null })
    expect((await auth.verifyApiKey('catalog', key)).application).toEqual({
      id,
      name: 'Shop',
      externalId: undefined,
      metadata: undefined,
    })
    expect((await read()).own).toEqual({ id, name: 'Shop' })
  })
})

describe('a schema for metadata', () => {
  const schema = z.object({ discount: z.number().max(50).default(0) })

  it('validates every write, and stores what it returns', async () => {
    const { auth } = usePlatform({ metadata: schema, mailer: memoryMailer() })
    const { application } = await auth.applications.create({ name: 'Shop', apis: APIS, metadata: {} })
    expect(application.metadata).toEqual({ discount: 0 })
    const wrong = { metadata: { discount: 90 } }
    const refusal = { code: 'invalid_argument', message: 'metadata.discount: Too big: expected number to be <=50' }
    await expect(auth.applications.update(application.id, wrong)).rejects.toMatchObject(refusal)
    await expect(auth.applications.create({ name: 'Shop', apis: APIS, ...wrong })).rejects.toMatchObject(refusal)
    const registration = { name: 'Shop', contact: 'dev@shop.example', apis: APIS, ...wrong }
    await expect(auth.registration.register(registration)).rejects.toMatchObject(refusal)
    expect((await auth.applications.list()).items).toHaveLength(1)
  })

  it('does not validate what is stored already', async () => {
    const { store, remove } = await STORES.SQLite()
    const former = openPlatform({ store }).auth
    const { application } = await former.applications.create({ name: 'Shop', apis: APIS, metadata: { discount: 90 } })
    const { auth } = openPlatform({ store, metadata: schema })
    expect((await auth.applications.get(application.id))?.metadata).toEqual({ discount: 90 })
    expect(await auth.applications.update(application.id, { name: 'Shop 2' })).toMatchObject({
      metadata: { discount: 90 },
    })
    await former.close()
    await auth.close()
    await remove()
  })

  it('validates without a platform too', async () => {
    const { store, remove } = await STORES.SQLite()
    const { auth } = openPlatform({ store })
    const { application } = await auth.applications.create({ name: 'Shop', apis: APIS })
    const admin = await openAdmin(store, { metadata: schema })
    const refused = admin.applications.update(application.id, { metadata: { discount: 90 } })
    await expect(refused).rejects.toThrow('metadata.discount: Too big')
    expect(await admin.applications.update(application.id, { metadata: {} })).toMatchObject({
      metadata: { discount: 0 },
    })
    await expect(openAdmin(store, { metadata: {} as typeof schema })).rejects.toThrow(
      /^metadata is not a Standard Schema\./,
    )
    await auth.close()
    await remove()
  })
})
