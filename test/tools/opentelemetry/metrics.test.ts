import { metrics } from '@opentelemetry/api'
import { AggregationTemporality, MeterProvider } from '@opentelemetry/sdk-metrics'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { observe } from '../../../src/tools/opentelemetry/index.js'
import { installContextManager, resetTelemetry, createMeters, type Series } from '../../support/telemetry.js'
import { makeAllHappen, openObserved } from './observed.js'

beforeEach(installContextManager)
afterEach(resetTelemetry)

const API = 'platform_auth.api.name'
const CHANGE = 'platform_auth.change.type'
const ERROR = 'error.type'

/** Of a platform whose mail server and clock are right, and whose only e-mail, if there was one, has failed for good. */
const MAIL_AND_CLOCK: readonly Series[] = [
  { name: 'platform_auth.mail.available', attributes: {}, value: 1 },
  { name: 'platform_auth.clock.available', attributes: {}, value: 1 },
  { name: 'platform_auth.email.waiting', attributes: {}, value: 0 },
  { name: 'platform_auth.email.deferred', attributes: {}, value: 0 },
  { name: 'platform_auth.email.oldest.age', attributes: {}, value: 0 },
]

/** The counts that `makeAllHappen` causes, without the outage's duration. */
const ALL: readonly Series[] = [
  { name: 'platform_auth.requests', attributes: { [API]: 'orders' }, value: 2 },
  { name: 'platform_auth.requests', attributes: { [API]: 'orders', [ERROR]: 'invalid_token' }, value: 1 },
  { name: 'platform_auth.requests', attributes: { [API]: 'invoices' }, value: 0 },
  { name: 'platform_auth.requests', attributes: { [API]: 'catalog' }, value: 1 },
  { name: 'platform_auth.requests', attributes: { [API]: 'catalog', [ERROR]: 'invalid_api_key' }, value: 1 },
  { name: 'platform_auth.requests', attributes: { [API]: 'weather' }, value: 0 },
  { name: 'platform_auth.reported.requests', attributes: { [API]: 'catalog', [ERROR]: 'invalid_api_key' }, value: 1 },
  { name: 'platform_auth.token.requests', attributes: { [API]: 'orders' }, value: 1 },
  { name: 'platform_auth.token.requests', attributes: { [API]: 'orders', [ERROR]: 'invalid_client' }, value: 1 },
  { name: 'platform_auth.token.requests', attributes: { [API]: 'invoices' }, value: 0 },
  { name: 'platform_auth.token.revocations', attributes: { [API]: 'orders' }, value: 1 },
  ...Object.entries({
    registered: 3,
    imported: 1,
    approved: 1,
    activated: 1,
    updated: 1,
    suspended: 1,
    resumed: 1,
    deleted: 1,
    access_changed: 1,
    access_rejected: 1,
    access_requested: 1,
    contact_added: 1,
    contact_invited: 1,
    contact_removed: 1,
    credential_rotated: 1,
    credential_added: 1,
    credential_updated: 1,
    credential_ended: 1,
    recovered: 1,
    quota_reached: 1,
    key_set_unavailable: 1,
    key_set_available: 1,
    tokens_revoked: 1,
  }).map(([change, value]) => ({ name: 'platform_auth.application.changes', attributes: { [CHANGE]: change }, value })),
  { name: 'platform_auth.email.deliveries', attributes: {}, value: 1 },
  { name: 'platform_auth.email.deliveries', attributes: { [ERROR]: 'EENVELOPE 550' }, value: 1 },
  // revoke() replaces the current key before it removes it.
  { name: 'platform_auth.signing_key.changes', attributes: { [CHANGE]: 'rotated' }, value: 2 },
  { name: 'platform_auth.signing_key.changes', attributes: { [CHANGE]: 'revoked' }, value: 1 },
  { name: 'platform_auth.session_secret.changes', attributes: { [CHANGE]: 'replaced' }, value: 1 },
  { name: 'platform_auth.store.available', attributes: {}, value: 1 },
  { name: 'platform_auth.store.writes.available', attributes: {}, value: 1 },
  { name: 'platform_auth.limits.available', attributes: {}, value: 1 },
  ...MAIL_AND_CLOCK,
]

const DURATION = 'platform_auth.store.outage.duration'
const DURATIONS = ['store', 'store.writes', 'limits', 'mail', 'clock'].map(
  (part) => `platform_auth.${part}.outage.duration`,
)

function sorted(series: readonly Series[]): string[] {
  return series
    .filter(({ name }) => !DURATIONS.includes(name))
    .map((each) => JSON.stringify(each))
    .toSorted()
}

describe('metrics', () => {
  it('count every event once, by API, type of change and error, also where the global provider is set late', async (test) => {
    const observed = await openObserved(test)
    observe(observed.auth)
    await observed.caller.key('/catalog/items', 'unknown').expect(401)
    const { provider, series } = createMeters()
    metrics.setGlobalMeterProvider(provider)
    const hidden = await makeAllHappen(observed)
    const found = await series()
    expect(sorted(found)).toEqual(sorted(ALL))
    expect(found.filter(({ name }) => name === DURATION)).toEqual([
      { name: DURATION, attributes: {}, value: expect.objectContaining({ count: 1 }) as unknown },
    ])
    const text = JSON.stringify(found)
    for (const each of hidden) expect(text).not.toContain(each)
  })

  it('go to the given provider instead of the global one', async (test) => {
    const [global, given] = [createMeters(), createMeters()]
    metrics.setGlobalMeterProvider(global.provider)
    const observed = await openObserved(test)
    observe(observed.auth, { meterProvider: given.provider })
    await observed.caller.key('/catalog/items', 'unknown').expect(401)
    expect(await global.series()).toEqual([])
    expect(await given.series()).toContainEqual({
      name: 'platform_auth.requests',
      attributes: { [API]: 'catalog', [ERROR]: 'invalid_api_key' },
      value: 1,
    })
  })

  it('start the series of every API at zero, and report the store as available', async (test) => {
    const { provider, series } = createMeters()
    const observed = await openObserved(test)
    observe(observed.auth, { meterProvider: provider })
    expect(sorted(await series())).toEqual(
      sorted([
        ...['orders', 'invoices', 'catalog', 'weather'].map((api) => ({
          name: 'platform_auth.requests',
          attributes: { [API]: api },
          value: 0,
        })),
        ...['orders', 'invoices'].map((api) => ({
          name: 'platform_auth.token.requests',
          attributes: { [API]: api },
          value: 0,
        })),
        { name: 'platform_auth.store.available', attributes: {}, value: 1 },
        { name: 'platform_auth.store.writes.available', attributes: {}, value: 1 },
        { name: 'platform_auth.limits.available', attributes: {}, value: 1 },
        ...MAIL_AND_CLOCK,
      ]),
    )
  })

  it('have the application id only with perApplication, and only on request counters', async (test) => {
    const { provider, series } = createMeters()
    const observed = await openObserved(test)
    observe(observed.auth, { meterProvider: provider, perApplication: true })
    const { application, credentials } = await observed.auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    await observed.caller.key('/catalog/items', credentials.clientId).expect(200)
    await observed.caller.key('/catalog/items', 'unknown').expect(401)
    const found = await series()
    const id = 'platform_auth.application.id'
    expect(found.filter(({ attributes }) => id in attributes)).toEqual([
      { name: 'platform_auth.requests', attributes: { [API]: 'catalog', [id]: application.id }, value: 1 },
    ])
  })

  it('report an outage of the store while it lasts, and its duration afterwards', async (test) => {
    const { provider, series } = createMeters()
    const observed = await openObserved(test)
    observe(observed.auth, { meterProvider: provider })
    const named = async (name: string): Promise<unknown[]> =>
      (await series()).filter((each) => each.name === name).map(({ value }) => value)
    expect(await named('platform_auth.store.available')).toEqual([1])
    observed.store.fail()
    await expect(observed.auth.applications.list()).rejects.toThrow('unavailable')
    const began = performance.now()
    expect(await named('platform_auth.store.available')).toEqual([0])
    expect(await named(DURATION)).toEqual([])
    await new Promise((later) => setTimeout(later, 150))
    observed.store.recover()
    await observed.auth.applications.list()
    const longest = (performance.now() - began) / 1000 + 1
    expect(await named('platform_auth.store.available')).toEqual([1])
    const [duration] = (await named(DURATION)) as [{ count: number; sum: number }]
    expect(duration.count).toBe(1)
    expect(duration.sum).toBeGreaterThan(0.14)
    expect(duration.sum).toBeLessThan(longest)
  })

  it('end with stop(): no listener remains, and nothing is observed', async (test) => {
    // Delta temporality: a gauge that is no longer observed is missing from the next collection.
    const { provider, series } = createMeters(AggregationTemporality.DELTA)
    const observed = await openObserved(test)
    const { events } = observed.auth
    const listeners = (): number[] => events.eventNames().map((name) => events.listenerCount(name))
    const before = listeners()
    const stop = observe(observed.auth, { meterProvider: provider })
    expect(listeners().slice(0, before.length)).toEqual(before.map((count) => count + 1))
    expect(await series()).toHaveLength(14)
    expect(await series()).toHaveLength(8)
    stop()
    stop()
    expect(listeners()).toEqual(before)
    await observed.caller.key('/catalog/items', 'unknown').expect(401)
    expect(await series()).toEqual([])
  })

  it('never fail a request when the SDK throws', async (test) => {
    const observed = await openObserved(test)
    const provider = new MeterProvider()
    const broken = {
      getMeter(name: string) {
        const meter = provider.getMeter(name)
        meter.createCounter = () => ({
          add(value) {
            if (value > 0) throw new Error('The exporter is gone.')
          },
        })
        return meter
      },
    }
    observe(observed.auth, { meterProvider: broken })
    const { credentials } = await observed.auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    await observed.caller.key('/catalog/items', credentials.clientId).expect(200)
    expect(observed.logger.lines.join('\n')).toContain(
      'A listener of request.allowed failed. Error: The exporter is gone.',
    )
  })

  it('reject an object that is no meter or tracer provider', async (test) => {
    const { auth } = await openObserved(test)
    expect(() => observe(auth, { meterProvider: {} as never })).toThrow(/meterProvider has no getMeter/)
    expect(() => observe(auth, { tracerProvider: {} as never })).toThrow(/tracerProvider has no getTracer/)
  })
})
