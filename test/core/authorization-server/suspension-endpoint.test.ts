import express from 'express'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPlatform, type TestPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

// docs/http.md, T10: the token endpoint answers suspended applications as it answers wrong secrets.

let platform: TestPlatform
const app = express()

beforeAll(async () => {
  platform = openPlatform({ rateLimits: { failedAuthentication: { limit: 8, window: 60 } } })
  app.use(platform.auth.router)
  app.use('/suspended', platform.auth.suspensionRouter)
  await platform.auth.ready()
})
afterAll(() => platform.auth.close())

const ask = (id: string, secret: string) =>
  request(app).post('/suspended').type('form').send({ client_id: id, client_secret: secret })

async function createApplication(): Promise<{ id: string; key: string; secret: string }> {
  const { application, credentials } = await platform.auth.applications.create({ name: 'Till', apis: ['orders'] })
  return { id: application.id, key: credentials.clientId, secret: credentials.clientSecret! }
}

it('answers `suspended: true` only for the right secret of a suspended application', async () => {
  const [active, suspended, deleted] = await Promise.all([
    createApplication(),
    createApplication(),
    createApplication(),
  ])
  await platform.auth.applications.suspend(suspended.id)
  await platform.auth.applications.suspend(deleted.id)
  await platform.auth.applications.delete(deleted.id)
  for (const id of [suspended.key, suspended.id]) {
    const answer = await ask(id, suspended.secret).expect(200)
    expect([answer.body, answer.headers['cache-control']]).toEqual([{ suspended: true }, 'no-store'])
  }
  const others = await Promise.all([
    ask(suspended.key, active.secret),
    ask(suspended.key, `${suspended.secret}x`),
    ask('someone', suspended.secret),
    ask(deleted.key, deleted.secret),
    ask(active.key, active.secret),
  ])
  for (const { status, text } of others) expect([status, text]).toEqual([200, '{"suspended":false}'])
})

it('answers a right secret whatever others at its address did, and counts it as no failure', async () => {
  const { id, key, secret } = await createApplication()
  await platform.auth.applications.suspend(id)
  for (let count = 0; count < 20; count++) await ask(key, secret).expect(200, '{"suspended":true}')
  for (let count = 0; count < 8; count++) await ask(key, `wrong${count}`).expect(200, '{"suspended":false}')
  await ask(key, 'wrong').expect(429)
  await ask(key, secret).expect(200, '{"suspended":true}')
})

it('leaves the count of the token endpoint alone, so that a wrong secret in the console counts once', async () => {
  const { key, secret } = await createApplication()
  const requestToken = (wrong: string) =>
    request(app).post('/orders/token').auth(key, wrong).type('form').send({ grant_type: 'client_credentials' })
  for (let count = 0; count < 8; count++) {
    await requestToken(`wrong${count}`).expect(401)
    await ask(key, `wrong${count}`).expect(200, '{"suspended":false}')
  }
  await requestToken('wrong').expect(429)
  await ask(key, 'wrong').expect(429)
  await requestToken(secret).expect(200)
})

it('limits wrong secrets as the token endpoint does, and takes credentials in the body only', async () => {
  const { key, secret } = await createApplication()
  const statuses: number[] = []
  for (let count = 0; count < 9; count++) statuses.push((await ask(key, 'wrong')).status)
  expect(statuses.slice(0, 8).every((status) => status === 200)).toBe(true)
  expect(statuses[8]).toBe(429)
  await ask(key, secret).expect(200)
  await request(app).post(`/suspended?client_secret=${secret}`).type('form').send({ client_id: key }).expect(400)
  await request(app).post('/suspended').send({ client_id: key, client_secret: secret }).expect(400)
  await request(app).get('/suspended').expect(404)
})
