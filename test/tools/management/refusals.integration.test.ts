import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { management, managementApi, managementDocument } from '../../../src/tools/management/index.js'
import { failingStore } from '../../support/failing-store.js'
import { accessToken } from '../../support/http.js'
import { APIS, usePlatform } from '../../support/platform.js'
import { useManagement } from './site.js'

const shared = memoryStore()
const store = failingStore(shared)
const site = useManagement(async () => ({ store, remove: async () => undefined }), { usage: false, background: false })

it('answers whatever is refused, by the guard too, with a problem of its document', async () => {
  const call = await site.caller(['applications:read', 'applications:write', 'usage:read'])
  await site.auth.applications.update(call.id, { rateLimits: { management: { limit: 20, window: 1000 } } })
  const other = usePlatform({ apis: { ...APIS, management: managementApi }, store: shared, now: Date.now })
  const stranger = await other.auth.applications.create({ name: 'Stranger', apis: { management: {} } })
  const application = express().use(other.auth.router)
  const unknown = await accessToken(application, 'management', stranger.credentials as never)
  const at = `/applications/${stranger.application.id}`
  const authorized = (authorization: string) => ({ authorization })

  const table: readonly (readonly [string, unknown, Record<string, string>, number, string])[] = [
    ['GET /applications', undefined, authorized(''), 401, 'unauthorized'],
    ['GET /applications', undefined, authorized('Bearer x y'), 400, 'invalid_request'],
    ['GET /applications', undefined, authorized('Bearer x'), 401, 'invalid_token'],
    ['GET /audit', undefined, {}, 403, 'insufficient_scope'],
    ['POST /applications/x/keys', {}, {}, 403, 'insufficient_scope'],
    ['GET /applications/x', undefined, {}, 404, 'application_not_found'],
    ['GET /usage', undefined, {}, 404, 'not_offered'],
    ['PATCH /applications', {}, {}, 405, 'method_not_allowed'],
    ['POST /applications', {}, {}, 400, 'invalid_argument'],
    ['POST /applications', 'x', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    [`PATCH ${at}`, { name: 'x' }, {}, 403, 'protected_application'],
  ]
  for (const [line, body, headers, status, code] of table) {
    const answer = await call(line, body, headers)
    expect([line, answer.status, answer.body.status, answer.body.code]).toEqual([line, status, status, code])
    expect(answer.headers.get('content-type')).toMatch('application/problem+json')
    expect([line, answer.headers.has('www-authenticate')]).toEqual([
      line,
      /^GET \/audit|^POST .*keys$/.test(line) || status === 401 || code === 'invalid_request',
    ])
  }
  for (const [line, body, detail] of [
    ['GET /applications?staus=active&limit=x', undefined, '"staus". Did you mean "status"?'],
    ['DELETE /applications/x?revokeToken=true', undefined, '"revokeToken". There are: id.'],
    ['POST /applications', { nmae: 'x' }, '"nmae". Did you mean "name"?'],
    ['PATCH /applications/x', { nmae: 'x' }, '"nmae". Did you mean "name"?'],
  ] as const)
    expect((await call(line, body)).body.detail).toBe(`There is no member ${detail}`)

  const writer = await site.caller(['applications:write'])
  for (const by of [true, 1, null, [], {}, 'x']) {
    const { status, body } = await writer('POST /applications', { name: 'x', by })
    expect([status, body.detail]).toEqual([400, expect.stringContaining('There is no member "by".')])
  }

  const limited = async () => {
    for (;;) {
      const answer = await call('GET /applications')
      if (answer.status !== 200) return answer
    }
  }
  const answer = await limited()
  expect([answer.status, answer.body.code, answer.headers.has('retry-after')]).toEqual([429, 'too_many_requests', true])

  const reader = await site.caller()
  store.fail()
  onTestFinished(() => store.recover())
  // What the operation needs fails, and what the guard needs.
  for (const [headers, code] of [
    [{}, 'store_unavailable'],
    [authorized(`Bearer ${unknown}`), 'temporarily_unavailable'],
  ] as const) {
    const failed = await reader('GET /audit', undefined, headers)
    expect([failed.status, failed.body.code, failed.headers.has('retry-after')]).toEqual([503, code, true])
  }
})

it('is not made of anything but a platform and an API that is managementApi', () => {
  for (const make of [management, managementDocument]) {
    const open =
      (...given: unknown[]) =>
      () =>
        make(...(given as Parameters<typeof make>))
    for (const given of [undefined, {}, site.auth.router])
      expect(open(given, { api: 'management' })).toThrow(
        `() was given ${given === undefined ? 'nothing' : given === site.auth.router ? 'function' : '{}'}, which is no platform`,
      )
    for (const options of [undefined, {}, 'management', { api: undefined }])
      expect(open(site.auth, options)).toThrow(/^api is missing\. .*\(auth, { api: 'management' }\)/)
    expect(open(site.auth, { aip: 'management' })).toThrow('Did you mean "api"?')
    for (const api of ['orders', 'catalog', 'managment', 'toString'])
      expect(open(site.auth, { api })).toThrow(`api names "${api}", which is no API for management`)
  }
})
