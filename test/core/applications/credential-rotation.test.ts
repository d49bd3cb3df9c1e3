import { describe, expect, it } from 'vitest'
import type { RevokeTokensOptions } from '../../../src/index.js'
import { describeCredential, expectRefused, onEveryHost } from './operator.js'

onEveryHost((host, { caller, createApplication, listAudit }) => {
  describe('rotateSecret()', () => {
    it('keeps the old secret valid for a day, and no second longer', async () => {
      const { id, credentials: old } = await createApplication()
      host.clock.advance(10)
      const { application, credentials } = await host.auth.applications.rotateSecret(id)
      const fresh = { ...old, ...credentials }
      expect(credentials).toEqual({ clientSecret: expect.any(String) })
      expect(credentials.clientSecret).not.toBe(old.clientSecret)
      expect(application.secrets).toEqual([
        describeCredential(fresh.clientSecret, host.clock.now()),
        describeCredential(old.clientSecret!, host.clock.now() - 10_000, host.clock.now() + 86_400_000),
      ])
      await caller.token('orders', old).expect(200)
      await caller.token('orders', fresh).expect(200)

      host.clock.advance(86_399)
      await caller.token('orders', old).expect(200)
      host.clock.advance(1)
      await caller.token('orders', old).expect(401, /invalid_client/)
      await caller.token('orders', fresh).expect(200)
      expect((await host.auth.applications.get(id))!.secrets).toHaveLength(1)
    })

    it.each(['suspend', 'rotateSecret', 'rotateKey'] as const)(
      'with revokeTokens, as suspend() and rotateKey(), ends access tokens in the same change: %s()',
      async (call) => {
        const { applications, events } = host.auth
        const { id, credentials } = await createApplication()
        const accessToken = await caller.accessToken('orders', credentials)
        const revoked: unknown[] = []
        const listener = ({ applicationId }: { applicationId?: string | undefined }): void =>
          void revoked.push(applicationId)
        events.on('application.tokensRevoked', listener)
        const change: (id: string, options: RevokeTokensOptions) => Promise<unknown> = applications[call]
        await expectRefused(change(id, { revokeTokens: 'yes' as never }), 'invalid_argument')
        await change(id, { revokeTokens: true, by: 'ann' })
        events.off('application.tokensRevoked', listener)
        if (call === 'suspend') await applications.resume(id)
        await caller.bearer('/orders/items', accessToken).expect(401, /no longer valid/)
        expect(revoked).toEqual([id])
        const changes = (await listAudit(id)).slice(1, 2)
        expect(changes).toMatchObject([{ by: 'ann', details: { tokensRevoked: true } }])
        await caller.bearer('/orders/items', await caller.accessToken('orders', credentials)).expect(200)
      },
    )

    it('ends neither access tokens nor the key', async () => {
      const { id, credentials } = await createApplication()
      const accessToken = await caller.accessToken('orders', credentials)
      await host.auth.applications.rotateSecret(id, { overlap: 0 })
      await caller.bearer('/orders/items', accessToken).expect(200)
      await caller.key('/catalog/items', credentials.clientId).expect(200)
    })

    it('ends the oldest secret with the third: at most two are live', async () => {
      const { id, credentials: first } = await createApplication()
      const second = (await host.auth.applications.rotateSecret(id)).credentials
      await caller.token('orders', first).expect(200)
      const { application, credentials: third } = await host.auth.applications.rotateSecret(id)
      expect(application.secrets).toEqual([
        describeCredential(third.clientSecret, host.clock.now()),
        describeCredential(second.clientSecret, host.clock.now(), host.clock.now() + 86_400_000),
      ])
      await caller.token('orders', first).expect(401)
      await caller.token('orders', { ...first, ...second }).expect(200)
      await caller.token('orders', { ...first, ...third }).expect(200)
    })

    it('never extends the overlap of an earlier rotation', async () => {
      const { id, credentials: first } = await createApplication()
      await host.auth.applications.rotateSecret(id, { overlap: 100 })
      await host.auth.applications.rotateSecret(id, { overlap: 0 })
      await caller.token('orders', first).expect(401)

      const { id: other, credentials: old } = await createApplication()
      const { credentials: middle } = await host.auth.applications.rotateSecret(other, { overlap: 100 })
      const { application } = await host.auth.applications.rotateSecret(other, { overlap: 50 })
      expect(application.secrets[1]).toEqual(
        describeCredential(middle.clientSecret, host.clock.now(), host.clock.now() + 50_000),
      )
      await caller.token('orders', old).expect(401)
    })

    it.each([-1, 0.5, NaN, Infinity, 31_536_001, '60', null])(
      'rejects the overlap %j, and so does rotateKey()',
      async (overlap) => {
        const { id } = await createApplication()
        const options = { overlap: overlap as number }
        await expectRefused(host.auth.applications.rotateSecret(id, options), 'invalid_argument', /^overlap /)
        await expectRefused(host.auth.applications.rotateKey(id, options), 'invalid_argument', /^overlap /)
        expect(await listAudit(id)).toHaveLength(1)
      },
    )
  })

  describe('rotateKey()', () => {
    it('keeps the old key valid for a day, as client_id and as X-Api-Key', async () => {
      const { id, credentials: old } = await createApplication()
      const { application, credentials } = await host.auth.applications.rotateKey(id)
      const fresh = { ...old, ...credentials }
      expect(credentials).toEqual({ clientId: expect.any(String) })
      expect(application.id).toBe(id)
      for (const each of [old, fresh]) {
        await caller.token('orders', each).expect(200)
        const { body } = await caller.key('/catalog/items', each.clientId).expect(200)
        expect(body).toMatchObject({ application: { id } })
      }
      host.clock.advance(86_400)
      await caller.token('orders', old).expect(401, /invalid_client/)
      await caller.key('/catalog/items', old.clientId).expect(401, /invalid_api_key/)
      await caller.token('orders', fresh).expect(200)
      await caller.key('/catalog/items', fresh.clientId).expect(200)
    })

    it('ends the oldest key with the third, and no access token', async () => {
      const { id, credentials: first } = await createApplication()
      const accessToken = await caller.accessToken('orders', first)
      const { credentials: second } = await host.auth.applications.rotateKey(id)
      const { credentials: third } = await host.auth.applications.rotateKey(id)
      await caller.key('/catalog/items', first.clientId).expect(401)
      await caller.key('/catalog/items', second.clientId).expect(200)
      await caller.key('/catalog/items', third.clientId).expect(200)
      await caller.bearer('/orders/items', accessToken).expect(200)
    })
  })
})
