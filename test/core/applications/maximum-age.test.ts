import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'
import { expectRefused } from './operator.js'

const DAY = 86_400
const DAY_MS = DAY * 1000
const APIS = {
  orders: { scheme: 'oauth2' },
  payments: { scheme: 'oauth2', credentialMaxAge: 10 },
  catalog: { scheme: 'apiKey', credentialMaxAge: 30 },
  weather: { scheme: 'apiKey' },
} as const

function openAging(options: TestOptions = { credentials: { maxAge: 90 } }) {
  const { auth, clock } = openPlatform({ ...options, apis: APIS })
  onTestFinished(() => auth.close())
  const { applications } = auth
  const create = async (apis: readonly (keyof typeof APIS)[]): Promise<string> =>
    (await applications.create({ name: 'Shop', apis })).application.id
  /** In how many days keys and secrets expire, newest first. */
  const daysOf = async (id: string): Promise<(number | undefined)[]> => {
    const { keys, secrets } = (await applications.get(id))!
    return [...keys, ...secrets].map(({ expiresAt }) => expiresAt && (expiresAt.getTime() - clock.now()) / DAY_MS)
  }
  const after = (days: number): Date => new Date(clock.now() + days * DAY_MS)
  return { applications, clock, create, daysOf, after }
}

describe('a maximum age', () => {
  it('ends new credentials: the earliest of the platform and of the APIs where they can be used', async () => {
    const { create, daysOf } = openAging()
    expect(await daysOf(await create(['weather', 'orders']))).toEqual([90, 90])
    expect(await daysOf(await create(['catalog', 'orders']))).toEqual([30, 90])
    expect(await daysOf(await create(['weather', 'orders', 'payments']))).toEqual([90, 10])
  })

  it('is none where there is none', async () => {
    const { create, daysOf } = openAging({})
    expect(await daysOf(await create(['weather', 'orders']))).toEqual([undefined, undefined])
    expect(await daysOf(await create(['catalog', 'orders']))).toEqual([30, undefined])
  })

  it('ends further credentials, and only those that can be used at its API', async () => {
    const { applications, create, after } = openAging()
    const id = await create(['orders', 'payments', 'catalog', 'weather'])
    const whole = await applications.addSecret(id, { name: 'whole' })
    const restricted = await applications.addSecret(id, { name: 'orders', apis: ['orders'] })
    const given = await applications.addKey(id, { name: 'given', expiresAt: after(3) })
    expect([whole, restricted, given].map(({ credential }) => credential.expiresAt)).toEqual([
      after(10),
      after(90),
      after(3),
    ])
  })

  it('refuses a later expiry, with the latest possible one', async () => {
    const { applications, create, after } = openAging()
    const id = await create(['catalog', 'orders'])
    const message = `the maximum age of credentials allows; the latest is ${after(30).toISOString()}.`
    const late = new Date(after(30).getTime() + 1)
    for (const call of [
      applications.addKey(id, { name: 'late', expiresAt: late }),
      applications.rotateKey(id, { expiresAt: late }),
      applications.updateCredential(id, (await applications.get(id))!.keys[0]!.id, { expiresAt: late }),
    ]) {
      await expectRefused(call, 'invalid_argument', new RegExp(message.replaceAll('.', String.raw`\.`)))
    }
    await applications.addKey(id, { name: 'latest', expiresAt: after(30) })
    const { credential } = await applications.addKey(id, { name: 'never', expiresAt: null })
    expect(credential.expiresAt).toEqual(after(30))
  })

  it('begins anew with a rotation, and an expiry that was set by hand is inherited', async () => {
    const { applications, clock, create, daysOf, after } = openAging()
    const id = await create(['catalog'])
    clock.advance(20 * DAY)
    await applications.rotateKey(id, { overlap: DAY })
    expect(await daysOf(id)).toEqual([30, 1])
    const byHand = (await applications.get(id))!.keys[0]!
    await applications.updateCredential(id, byHand.id, { expiresAt: after(25) })
    clock.advance(5 * DAY)
    await applications.rotateKey(id, { overlap: 0 })
    expect(await daysOf(id)).toEqual([20])
    await applications.rotateKey(id, { overlap: 0, expiresAt: null })
    expect(await daysOf(id)).toEqual([30])
  })

  it('does not extend the former credential of a rotation', async () => {
    const { applications, clock, create, daysOf } = openAging()
    const id = await create(['catalog'])
    clock.advance(28 * DAY)
    await applications.rotateKey(id, { overlap: 10 * DAY })
    expect(await daysOf(id)).toEqual([30, 2])
  })

  it('ends the credentials that can be used at an API from when that is allowed', async () => {
    const { applications, clock, create, daysOf } = openAging()
    const id = await create(['orders', 'weather'])
    clock.advance(DAY)
    await applications.allow(id, 'payments')
    expect(await daysOf(id)).toEqual([89, 10])
    clock.advance(DAY)
    await applications.allow(id, 'payments', { scopes: [] })
    expect(await daysOf(id)).toEqual([88, 9])
  })

  it('leaves credentials alone that were made before it: they may get an expiry, and none later than both', async () => {
    const store = memoryStore()
    const before = openAging({ store })
    const id = await before.create(['weather'])
    const { applications, daysOf } = openAging({ store, credentials: { maxAge: 90 }, now: before.clock.now })

    const { keys } = await applications.update(id, { name: 'Renamed' })
    expect(await daysOf(id)).toEqual([undefined])
    await applications.updateCredential(id, keys[0]!.id, { expiresAt: before.after(200) })
    await expectRefused(
      applications.updateCredential(id, keys[0]!.id, { expiresAt: before.after(201) }),
      'invalid_argument',
    )
    await applications.updateCredential(id, keys[0]!.id, { expiresAt: before.after(100) })
    await expectRefused(
      applications.updateCredential(id, keys[0]!.id, { expiresAt: before.after(101) }),
      'invalid_argument',
    )
  })
})
