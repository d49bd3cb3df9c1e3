import { afterAll, describe, expect, it } from 'vitest'
import { createSharedKeys, SOURCE_PATH } from '../../../src/tools/remote/answer-proof.js'
import { plans } from '../../../src/features/plans/index.js'
import { accessToken, basic, createApplication } from '../../support/http.js'
import { ask, openSite, PROOF, startAnswerProxy } from './site.js'

type Json = Readonly<Record<string, unknown>>

const POLL = { timeout: 30_000 }
const PLANS = plans({ wide: { requests: [{ limit: 1_000_000, per: 'month' }] } })

const site = await openSite({ usage: { routes: true }, plans: PLANS })
afterAll(() => site.close())

/** A platform of another version: a proxy that has the resource server's credentials, changes what is answered, and proves it. */
function startOtherVersion(change: (answer: Json) => Json, changeRequest?: (given: Json) => Json): Promise<string> {
  const { prove } = createSharedKeys(basic(site.server.clientId, site.server.clientSecret))
  return startAnswerProxy(
    site.url,
    (answered, path, sent) => {
      if (answered.status !== 200) return answered
      const body = JSON.stringify(change(JSON.parse(answered.body.toString()) as Json))
      const { nonce } = JSON.parse(sent) as { nonce: string }
      const proof = prove({ nonce, call: path.slice(SOURCE_PATH.length), body })
      return { ...answered, headers: { [PROOF]: proof }, body: Buffer.from(body) }
    },
    (sent) => (changeRequest ? JSON.stringify(changeRequest(JSON.parse(sent) as Json)) : sent),
  )
}

describe('a service whose platform has another version', () => {
  it.each([
    [
      'older than all',
      undefined,
      /answers version 0 .* of version 1: update express-platform-auth at the platform first\./,
    ],
    ['older', [0, 0], /answers version 0 .* of version 1: update express-platform-auth at the platform first\./],
    ['newer', [2, 3], /answers versions 2 to 3 .* of version 1: update express-platform-auth here\./],
  ])('says so at the start, and starts when it is replaced: %s', async (_, given, expected) => {
    let versions: readonly number[] | undefined = given
    const address = await startOtherVersion((answer) => ({ ...answer, versions }))
    const { auth, url, logger } = await site.startService({ address })
    const { clientId } = await createApplication(site.auth, { catalog: {} })
    await expect(auth.ready({ retry: false })).rejects.toThrow(expected)
    expect(await ask(`${url}/catalog/items`, clientId)).toMatch(/^503/)
    const { ok, problems } = await auth.health()
    expect([ok, problems.at(-1)]).toEqual([false, expect.stringMatching(expected)])
    expect(logger.lines.filter((line) => expected.test(line))).toHaveLength(1)
    versions = [0, 1]
    await auth.ready()
    expect(await ask(`${url}/catalog/items`, clientId)).toBe('200')
    expect(await auth.health()).toEqual({ ok: true, problems: [] })
  })

  it('takes it for an outage where the platform is replaced meanwhile, and names both versions', async () => {
    let versions = [1, 2]
    const address = await startOtherVersion((answer) => ({ ...answer, versions }))
    const { auth, url } = await site.openService({ address, maxStaleness: 60 })
    const [known, stranger] = [
      await createApplication(site.auth, { catalog: {} }),
      await createApplication(site.auth, { catalog: {} }),
    ]
    expect(await ask(`${url}/catalog/items`, known.clientId)).toBe('200')
    // The first use has changed it, which is read before the platform is replaced.
    await auth.health()
    expect(await ask(`${url}/catalog/items`, known.clientId)).toBe('200')
    versions = [2, 2]
    await expect.poll(() => ask(`${url}/catalog/items`, stranger.clientId), POLL).toMatch(/^503/)
    expect(await ask(`${url}/catalog/items`, known.clientId)).toBe('200')
    expect((await auth.health()).problems.join()).toMatch(
      /version 2 .* of version 1: update express-platform-auth here/,
    )
    versions = [1, 2]
    await expect.poll(() => ask(`${url}/catalog/items`, stranger.clientId), POLL).toBe('200')
    await expect.poll(auth.health, POLL).toEqual({ ok: true, problems: [] })
  })

  it('ignores what newer calls have more, on both sides', async () => {
    const address = await startOtherVersion(
      (answer) => addMembers({ ...answer, versions: [1, 5], ...addChange(answer) }) as Json,
      (given) => addMembers(given) as Json,
    )
    const { auth, url } = await site.openService({ address })
    const { id, ...client } = await createApplication(site.auth, { orders: {}, catalog: {} })
    await site.auth.plans.set(id, 'wide')
    const token = await accessToken(site.app, 'orders', client)
    expect(await ask(`${url}/catalog/items`, client.clientId)).toBe('200')
    expect(await ask(`${url}/orders/items`, token)).toBe('200')
    await auth.flush()
    expect((await site.auth.usage.list({ applicationId: id, api: 'orders' })).items).toMatchObject([{ allowed: 1 }])
    expect((await site.auth.plans.usage(id)).quotas).toMatchObject([{ used: 2 }])
    await site.auth.applications.suspend(id)
    await expect.poll(() => ask(`${url}/catalog/items`, client.clientId), POLL).toMatch(/^403/)
    // On a busy machine an answer may have been slow.
    await expect.poll(() => auth.health(), POLL).toEqual({ ok: true, problems: [] })
  })
})

/** A change of a kind that is not known, in every list of changes that is not empty. */
function addChange({ changes }: Json): Json {
  return Array.isArray(changes) && changes.length > 0 ? { changes: [...(changes as unknown[]), { kind: 'moon' }] } : {}
}

/** A member more in every object: but where members are names. */
function addMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(addMembers)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, each]) => [name, NAMED.has(name) ? each : addMembers(each)])
  return { ...Object.fromEntries(members), added: { later: [1, { much: true }] } }
}

const NAMED = new Set(['apis', 'rateLimits', 'metadata', 'publicJwk', 'details'])
