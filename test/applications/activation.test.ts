import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import type { Mailer } from '../../src/index.js'
import { attemptsOver, broughtBy, openProvider, type Brought, type Provider, type Test } from './applicant.js'

/** A platform whose emails arrive without anybody knowing: `sent` is what their readers got. */
function openUncertain(test: Test): Provider & { sent: Brought[] } {
  const sent: Brought[] = []
  const mailer: Mailer = {
    async send(email) {
      sent.push(broughtBy(email))
      throw Object.assign(new Error('lost'), { code: 'ECONNECTION' })
    },
  }
  return { ...openProvider(test, { mailer }), sent }
}

const USES: readonly [name: string, use: (provider: Provider, brought: Brought) => Promise<number>, status: number][] =
  [
    ['at a token endpoint', (provider, brought) => provider.tokenStatus(brought), 200],
    ['at a key API', (provider, brought) => provider.keyStatus(brought), 200],
    [
      'of the key, at an API that is not theirs',
      (provider, brought) => provider.keyStatus(brought, '/weather/now'),
      403,
    ],
    ['by verifyApiKey()', ({ auth }, { clientId }) => auth.verifyApiKey('catalog', clientId).then(() => 200), 200],
  ]

describe.concurrent('the first use of credentials that may have arrived', () => {
  it.for(USES)('%s activates the application', async ([, use, status], { expect, onTestFinished }) => {
    const provider = openUncertain({ onTestFinished })
    const { id } = await provider.register()
    await attemptsOver(provider, id, 1)
    expect(await provider.statusOf(id)).toBe('pending')
    provider.clock.advance(1)

    expect(await use(provider, provider.sent[0]!)).toBe(status)
    expect(await provider.statusOf(id)).toBe('active')
    expect(provider.happened(id)).toEqual(['registered', 'activated'])
    const { items: records } = await provider.auth.audit.list({ applicationId: id })
    expect(records.at(-1)).toMatchObject({ type: 'application.activated', at: new Date(provider.clock.now()) })
    expect(await provider.emailsOf(id)).toEqual([])
    provider.clock.advance(3600)
    await sleep(1200)
    expect(provider.sent).toHaveLength(1)
  })

  it('happens once, however many come at the same time', async ({ expect, onTestFinished }) => {
    const provider = openUncertain({ onTestFinished })
    const { id } = await provider.register()
    await attemptsOver(provider, id, 1)
    const [brought] = provider.sent
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? provider.tokenStatus(brought!) : provider.keyStatus(brought!))),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(provider.happened(id)).toEqual(['registered', 'activated'])
    const { items: records } = await provider.auth.audit.list({ applicationId: id })
    expect(records.filter(({ type }) => type === 'application.activated')).toHaveLength(1)
  })

  it('is no use where the secret is wrong', async ({ expect, onTestFinished }) => {
    const provider = openUncertain({ onTestFinished })
    const { id } = await provider.register()
    await attemptsOver(provider, id, 1)
    const [brought] = provider.sent
    expect(await provider.tokenStatus({ ...brought!, clientSecret: brought!.clientId })).toBe(401)
    expect(await provider.statusOf(id)).toBe('pending')
  })

  it('is nothing that waits for approval can do: it has no credentials', async ({ expect, onTestFinished }) => {
    const provider = openUncertain({ onTestFinished })
    const { id } = await provider.register(['weather'])
    await sleep(50)
    expect(await provider.record(id)).toMatchObject({ status: 'pending', keys: [], secrets: [] })
    expect(provider.sent).toEqual([])
  })
})
