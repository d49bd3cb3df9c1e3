import express from 'express'
import { beforeAll, afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { IssuedCredentials, PlatformEvent } from '../../../src/index.js'
import { createCaller, type Caller } from '../../support/caller.js'
import { openPlatform, type TestPlatform } from '../../support/platform.js'

describe('A credential that has expired (docs/http.md T10, I4 and G11)', () => {
  let platform: TestPlatform
  let caller: Caller
  const events: PlatformEvent[] = []

  beforeAll(() => {
    platform = openPlatform({ rateLimits: { failedAuthentication: false } })
    const { auth } = platform
    const app = express().use(auth.router)
    app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
    caller = createCaller({ ...platform, app })
    for (const type of ['token.refused', 'request.denied'] as const) {
      auth.events.on(type, (event: PlatformEvent) => void events.push(event))
    }
  })
  beforeEach(() => void events.splice(0))
  afterAll(() => platform.auth.close())

  const createShop = async (): Promise<{ id: string; credentials: IssuedCredentials & { clientSecret: string } }> => {
    const { application, credentials } = await platform.auth.applications.create({
      name: 'Shop',
      apis: ['orders', 'catalog'],
    })
    return { id: application.id, credentials: credentials as IssuedCredentials & { clientSecret: string } }
  }
  /** Replaces both credentials, whose former values expire in a minute. */
  const replace = async (id: string): Promise<{ clientId: string; clientSecret: string }> => ({
    ...(await platform.auth.applications.rotateKey(id, { overlap: 60 })).credentials,
    ...(await platform.auth.applications.rotateSecret(id, { overlap: 60 })).credentials,
  })

  it('is refused from that millisecond on, although its application is cached', async () => {
    const { id, credentials } = await createShop()
    const replaced = await replace(id)
    const statuses = async (sent: IssuedCredentials, token: string): Promise<number[]> => [
      (await caller.key('/catalog/items', sent.clientId)).status,
      (await caller.token('orders', sent)).status,
      (await caller.introspect('orders', sent, token)).status,
      (await caller.revoke('orders', sent, 'no token')).status,
    ]
    const token = await caller.accessToken('orders', credentials)
    platform.clock.advance(59.999)
    expect(await statuses(credentials, token)).toEqual([200, 200, 200, 200])
    platform.clock.advance(0.001)
    expect(await statuses(credentials, token)).toEqual([401, 401, 401, 401])
    expect(await statuses(replaced, token)).toEqual([200, 200, 200, 200])
  })

  it('is no obstacle to the public id: with that, a live secret is enough (T25)', async () => {
    const { id, credentials } = await createShop()
    const { keys } = (await platform.auth.applications.get(id))!
    await platform.auth.applications.updateCredential(id, keys[0]!.id, {
      expiresAt: new Date(platform.clock.now() + 1000),
    })
    platform.clock.advance(1)
    expect((await caller.token('orders', { ...credentials, clientId: id })).status).toBe(200)
    expect((await caller.token('orders', credentials)).status).toBe(401)
  })

  it('gets the answer of one that never existed; only operators learn that it has expired', async () => {
    const { id, credentials } = await createShop()
    const { clientId, clientSecret } = await replace(id)
    platform.clock.advance(60)
    const answers: string[] = []
    const show = ({ status, headers, body }: { status: number; headers: object; body: unknown }): void =>
      void answers.push(JSON.stringify([status, body, (headers as Record<string, string>)['www-authenticate']]))
    for (const sent of [
      { clientId: credentials.clientId, clientSecret },
      { clientId, clientSecret: credentials.clientSecret },
      { clientId: id, clientSecret: credentials.clientSecret },
      { clientId, clientSecret: 'wrong' },
      { clientId: `epa_key_${'0'.repeat(34)}`, clientSecret },
    ]) {
      show(await caller.token('orders', sent))
    }
    expect(new Set(answers).size).toBe(1)
    answers.length = 0
    show(await caller.key('/catalog/items', credentials.clientId))
    show(await caller.key('/catalog/items', 'unknown'))
    expect(new Set(answers).size).toBe(1)
    const former = credentials.clientId.slice(0, 12)
    expect(events.map(({ reason, client, applicationId }) => [reason, client, applicationId])).toEqual([
      ['expired_key', former, id],
      ['expired_secret', clientId.slice(0, 12), id],
      ['expired_secret', id, id],
      ['wrong_secret', clientId.slice(0, 12), id],
      ['unknown_client', undefined, undefined],
      ['expired_key', former, id],
      ['unknown_client', undefined, undefined],
    ])
  })
})
