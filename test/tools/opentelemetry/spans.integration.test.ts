import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import express from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { observe } from '../../../src/tools/opentelemetry/index.js'
import { createCaller } from '../../support/caller.js'
import { installContextManager, resetTelemetry, createTracers } from '../../support/telemetry.js'
import { request } from '../../support/request.js'
import { CONTACT, makeAllHappen, NAME, openObserved, type Observed } from './observed.js'

beforeEach(installContextManager)
afterEach(resetTelemetry)

const API = 'platform_auth.api.name'
const APPLICATION = 'platform_auth.application.id'
const CHANGE = 'platform_auth.change.type'
const REQUEST = 'platform_auth.request.id'
const ERROR = 'error.type'
const REASON = 'platform_auth.reason'
const CLIENT = 'platform_auth.client'
const CALLER = { 'client.address': '127.0.0.1' }

/** The host's tracing with the platform's spans. */
async function openTraced(test: Parameters<typeof openObserved>[0], options?: Parameters<typeof openObserved>[1]) {
  const { provider, exporter } = createTracers()
  trace.setGlobalTracerProvider(provider)
  const observed = await openObserved(test, options)
  observe(observed.auth)
  const ours = (): ReadableSpan[] =>
    exporter.getFinishedSpans().filter(({ instrumentationScope: { name } }) => name === 'express-platform-auth')
  const hosts = async (count: number): Promise<ReadableSpan[]> => {
    const found = (): ReadableSpan[] => exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER)
    await expect.poll(() => found().length).toBe(count)
    return found()
  }
  return { ...observed, exporter, ours, hosts }
}

const shop = (observed: Observed) =>
  observed.auth.applications.create({ name: NAME, contact: CONTACT, apis: ['orders', 'catalog'] })

describe('the span of a request', () => {
  it('gets API, application and request id, also after the token endpoint has awaited the store', async (test) => {
    const traces = await openTraced(test)
    const { application, credentials } = await shop(traces)
    // The caches are empty: every answer comes from the store, some of them delayed.
    traces.store.slowDown(20)
    await traces.caller.token('orders', credentials).set('X-Request-Id', 'r1').expect(200)
    traces.store.recover()
    const [span] = await traces.hosts(1)
    expect(span).toMatchObject({ name: 'POST /orders/token', status: { code: SpanStatusCode.UNSET } })
    expect(span!.attributes).toEqual({
      [API]: 'orders',
      [APPLICATION]: application.id,
      [REQUEST]: 'r1',
      [CLIENT]: credentials.clientId.slice(0, 12),
      ...CALLER,
    })
  })

  it('gets only its own attributes when several requests await the same answer of the store', async (test) => {
    const traces = await openTraced(test)
    const { credentials } = await shop(traces)
    const ids = Array.from({ length: 12 }, (_, i) => `r${i}`)
    traces.store.slowDown(20)
    await Promise.all(
      ids.map((id, i) =>
        i % 2
          ? traces.caller.key('/catalog/items', credentials.clientId).set('X-Request-Id', id).expect(200)
          : traces.caller.token('orders', credentials).set('X-Request-Id', id).expect(200),
      ),
    )
    traces.store.recover()
    const spans = await traces.hosts(ids.length)
    expect(spans.map(({ attributes }) => String(attributes[REQUEST])).toSorted()).toEqual(ids.toSorted())
    expect(new Set(spans.map(({ name, attributes }) => `${name} ${String(attributes[API])}`))).toEqual(
      new Set(['POST /orders/token orders', 'GET /catalog/items catalog']),
    )
  })

  it('gets the refusal as error.type, and keeps the status that the host sets', async (test) => {
    const traces = await openTraced(test)
    const { application, credentials } = await shop(traces)
    await traces.caller.token('orders', { ...credentials, clientSecret: 'wrong' }).expect(401)
    await traces.caller.token('orders', credentials, { scope: 'more' }).expect(400)
    await traces.caller.bearer('/orders/items', 'not.our.token').expect(401)
    await traces.caller.key('/catalog/items', credentials.clientId).expect(200)
    await traces.caller.key('/catalog/reported', 'unknown').expect(200)
    const spans = await traces.hosts(5)
    const known = { [APPLICATION]: application.id, [CLIENT]: credentials.clientId.slice(0, 12), ...CALLER }
    expect(spans.map(({ attributes }) => attributes)).toEqual([
      { [API]: 'orders', [ERROR]: 'invalid_client', [REASON]: 'wrong_secret', ...known },
      { [API]: 'orders', [ERROR]: 'invalid_scope', ...known },
      { [API]: 'orders', [ERROR]: 'invalid_token', ...CALLER },
      { [API]: 'catalog', ...known },
      { [API]: 'catalog', 'platform_auth.reported.reason': 'unknown_client', ...CALLER },
    ])
    for (const { status } of spans) expect(status).toEqual({ code: SpanStatusCode.UNSET })
  })

  it('is the only span of a token request and of a guarded request', async (test) => {
    const traces = await openTraced(test)
    const { credentials } = await shop(traces)
    traces.exporter.reset()
    await traces.caller.bearer('/orders/items', await traces.caller.accessToken('orders', credentials)).expect(200)
    await traces.caller.key('/catalog/items', credentials.clientId).expect(200)
    await traces.caller.key('/catalog/items', 'unknown').expect(401)
    await traces.hosts(4)
    expect(traces.exporter.getFinishedSpans()).toHaveLength(4)
  })

  it('may be missing', async (test) => {
    const traces = await openTraced(test)
    const { credentials } = await shop(traces)
    const app = express().use(traces.auth.router)
    app.get('/catalog/items', traces.auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
    traces.exporter.reset()
    await createCaller({ app }).token('orders', credentials).expect(200)
    await createCaller({ app }).key('/catalog/items', 'unknown').expect(401)
    expect(traces.exporter.getFinishedSpans()).toEqual([])
    expect(traces.logger.lines.filter((line) => line.includes('listener'))).toEqual([])
  })
})

describe('a separate span', () => {
  it('is recorded for every change of an application and of a signing key, without a credential, name or address', async (test) => {
    const traces = await openTraced(test)
    const hidden = await makeAllHappen(traces)
    const names = traces.ours().map(({ name }) => name)
    expect(new Set(names)).toEqual(
      new Set([
        ...(
          'registered imported approved activated updated suspended resumed deleted recovered quota_reached ' +
          'key_set_unavailable key_set_available access_changed access_rejected access_requested contact_added ' +
          'contact_invited contact_removed credential_rotated credential_added credential_updated credential_ended ' +
          'tokens_revoked'
        )
          .split(' ')
          .map((change) => `platform_auth.application.${change}`),
        ...['rotated', 'revoked'].map((change) => `platform_auth.signing_key.${change}`),
        'platform_auth.mail.outage',
        'platform_auth.clock.outage',
        'platform_auth.session_secret.replaced',
        'platform_auth.email.delivered',
        'platform_auth.email.delivery_failed',
        'platform_auth.store.outage',
        'platform_auth.store.writes.outage',
        'platform_auth.limits.outage',
      ]),
    )
    const suspended = traces.ours().find(({ name }) => name === 'platform_auth.application.suspended')
    expect(suspended?.attributes).toEqual({ [APPLICATION]: expect.any(String) as unknown, [CHANGE]: 'suspended' })
    const failed = traces.ours().find(({ name }) => name === 'platform_auth.email.delivery_failed')
    expect(failed?.attributes).toMatchObject({ [ERROR]: 'EENVELOPE 550' })
    expect(failed?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'EENVELOPE 550' })
    const exported = traces.exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => JSON.stringify({ name, attributes, events, status }))
      .join('\n')
    // Spans may contain the application's public id.
    for (const each of hidden.filter((text) => !text.startsWith('app_'))) expect(exported).not.toContain(each)
    expect(exported).toContain('"app_')
  })

  it('belongs to the trace of the request that made the change, and has its request id', async (test) => {
    const traces = await openTraced(test)
    const body = { name: NAME, contact: CONTACT, apis: ['catalog'] }
    await request(traces.app).post('/register').set('X-Request-Id', 'r1').send(body).expect(202)
    const [host] = await traces.hosts(1)
    const registered = traces.ours().find(({ name }) => name === 'platform_auth.application.registered')
    expect(registered?.parentSpanContext?.spanId).toBe(host!.spanContext().spanId)
    expect(registered?.attributes).toMatchObject({ [CHANGE]: 'registered', [REQUEST]: 'r1' })
  })

  it('is recorded for the outcome of an e-mail, outside the trace of the request that caused it', async (test) => {
    const traces = await openTraced(test)
    const body = { name: NAME, contact: CONTACT, apis: ['catalog'] }
    await request(traces.app).post('/register').set('X-Request-Id', 'r1').send(body).expect(202)
    const named = (name: string): ReadableSpan | undefined => traces.ours().find((span) => span.name === name)
    await expect.poll(() => named('platform_auth.application.activated')).toBeDefined()
    for (const name of ['platform_auth.email.delivered', 'platform_auth.application.activated']) {
      expect(named(name)?.parentSpanContext, name).toBeUndefined()
      expect(named(name)?.attributes, name).not.toHaveProperty([REQUEST])
    }
  })

  it('is recorded for an outage of the store with its duration, outside the trace of the request that noticed it', async (test) => {
    const traces = await openTraced(test, { maxStaleness: 1 })
    const { credentials } = await shop(traces)
    const before = Date.now()
    traces.store.fail()
    await request(traces.app).post('/orders/token').type('form').send({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
    })
    await expect.poll(() => traces.events.some(({ type }) => type === 'store.unavailable')).toBe(true)
    const began = Date.now()
    await new Promise((later) => setTimeout(later, 250))
    expect(traces.ours().map(({ name }) => name)).not.toContain('platform_auth.store.outage')
    const ended = Date.now()
    traces.store.recover()
    const noticing = trace.setSpan(context.active(), trace.getTracer('host').startSpan('GET /health'))
    await context.with(noticing, () => traces.auth.health())
    const after = Date.now()
    const spans = traces.ours().filter(({ name }) => name === 'platform_auth.store.outage')
    expect(spans).toHaveLength(1)
    const [span] = spans as [ReadableSpan]
    const milliseconds = ([seconds, nanoseconds]: [number, number]): number => seconds * 1000 + nanoseconds / 1e6
    expect(milliseconds(span.startTime)).toBeGreaterThanOrEqual(before)
    expect(milliseconds(span.startTime)).toBeLessThanOrEqual(began)
    // Start time by the system clock, duration by the monotonic clock.
    expect(milliseconds(span.endTime)).toBeGreaterThan(ended - 50)
    expect(milliseconds(span.endTime)).toBeLessThan(after + 50)
    expect(milliseconds(span.duration)).toBeGreaterThan(240)
    expect(span.attributes).toEqual({ [ERROR]: 'store_unavailable' })
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: 'connect ECONNREFUSED 10.1.2.3:5432' })
    expect(span.parentSpanContext).toBeUndefined()
  })
})

describe('traces', () => {
  it('record events after the global tracer provider was set, even if it is set late', async (test) => {
    const observed = await openObserved(test)
    observe(observed.auth)
    await observed.auth.applications.create({ name: NAME, apis: ['catalog'] })
    const { provider, exporter } = createTracers()
    trace.setGlobalTracerProvider(provider)
    await observed.auth.applications.create({ name: NAME, apis: ['catalog'] })
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['platform_auth.application.registered'])
  })

  it('go to the given provider instead of the global one', async (test) => {
    const [global, given] = [createTracers(), createTracers()]
    trace.setGlobalTracerProvider(global.provider)
    const observed = await openObserved(test)
    const stop = observe(observed.auth, { tracerProvider: given.provider })
    await observed.auth.signingKeys.rotate()
    stop()
    await observed.auth.applications.create({ name: NAME, apis: ['catalog'] })
    expect(global.exporter.getFinishedSpans()).toEqual([])
    expect(given.exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['platform_auth.signing_key.rotated'])
  })
})
