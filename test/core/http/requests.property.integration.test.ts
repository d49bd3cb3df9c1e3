import { Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import express from 'express'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accessToken,
  basic,
  createApplication,
  createTokenForm,
  listen,
  ERROR_DESCRIPTION,
} from '../../support/http.js'
import { openPlatform } from '../../support/platform.js'

interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly text: string
}

describe('Random requests', () => {
  const { auth, logger } = openPlatform({ rateLimits: { failedAuthentication: false } })
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const reached: string[] = []
  let listening: Awaited<ReturnType<typeof listen>>
  /** Good credentials, from which almost good ones are made. */
  let good: { token: string; clientId: string; clientSecret: string }
  let tokenToRevoke: string

  beforeAll(async () => {
    const app = express().use(auth.router)
    app.all('/orders/items', auth.requireBearer('orders'), (req, res) => void res.end(String(reached.push(req.url))))
    app.all('/catalog/items', auth.requireApiKey('catalog'), (req, res) => void res.end(String(reached.push(req.url))))
    const shop = await createApplication(auth, ['orders', 'catalog'])
    good = { ...shop, token: await accessToken(app, 'orders', shop) }
    tokenToRevoke = await accessToken(app, 'orders', shop)
    listening = await listen(app)
  })
  afterAll(async () => {
    agent.destroy()
    await listening.close()
    await auth.close()
  })

  const send = (method: string, path: string, headers: OutgoingHttpHeaders, body: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = httpRequest({ agent, port: listening.port, host: '127.0.0.1', method, path, headers }, (res) => {
        let text = ''
        res.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
        res.on('end', () => resolve({ status: res.statusCode!, headers: res.headers, text }))
      })
      asked.on('error', reject).end(body)
    })

  /** Any value that a header may have on the wire. */
  const headerValue = fc.stringMatching(/^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]{0,40}[\x21-\x7e\x80-\xff])?$/)
  const scheme = fc.constantFrom('Bearer', 'bearer ', 'Basic', 'BASIC ', 'ApiKey', 'Digest', '')
  /** Where in a good credential characters are removed and inserted. */
  const change = fc.record({
    at: fc.nat({ max: 400 }),
    remove: fc.nat({ max: 2 }),
    insert: fc.oneof(headerValue, fc.constant('')),
  })
  const applyChange = (
    text: string,
    { at, remove, insert }: { at: number; remove: number; insert: string },
  ): string => {
    const position = at % (text.length + 1)
    return text.slice(0, position) + insert + text.slice(position + remove)
  }

  function expectAnswer({ status, headers, text }: Answer, statuses: readonly number[]): void {
    expect(statuses, `${status} ${text}`).toContain(status)
    if (status < 400) return
    const body = JSON.parse(text) as Record<string, string>
    expect(Object.keys(body)).toEqual(['error', 'error_description'])
    expect(body['error_description']).toMatch(ERROR_DESCRIPTION)
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    expect(status === 401).toBe('www-authenticate' in headers && !['400', '403'].includes(String(status)))
  }

  it('the endpoints answer with 200, 400 or 401, never with 500', async () => {
    const header = fc.option(
      fc.oneof(
        headerValue,
        fc.tuple(scheme, headerValue).map((parts) => parts.join(' ')),
      ),
      { nil: undefined },
    )
    const path = fc.constantFrom('/orders/token', '/orders/revoke', '/orders/introspect')
    await fc.assert(
      fc.asyncProperty(
        path,
        header,
        change,
        fc.option(headerValue, { nil: undefined, freq: 3 }),
        fc.boolean(),
        async (where, authorization, how, type, inBody) => {
          const form = new URLSearchParams(
            inBody ? createTokenForm(good, { token: tokenToRevoke }) : { grant_type: 'client_credentials', token: 'x' },
          ).toString()
          const sent = basic(good.clientId, good.clientSecret)
          const headers = {
            'content-type': type ?? 'application/x-www-form-urlencoded',
            ...(authorization !== undefined && { authorization }),
            ...(authorization === undefined && !inBody && { authorization: applyChange(sent, how) }),
          }
          expectAnswer(await send('POST', where, headers, applyChange(form, how)), [200, 400, 401])
        },
      ),
      { numRuns: 300 },
    )
    expect(logger.lines.filter((line) => line.includes('500'))).toEqual([])
  })

  it('the guards refuse every changed credential, and never answer with 500', async () => {
    const method = fc.constantFrom('GET', 'POST', 'OPTIONS', 'PATCH')
    await fc.assert(
      fc.asyncProperty(method, change, scheme, headerValue, async (verb, how, name, other) => {
        const before = reached.length
        const bearer = `Bearer ${good.token}`
        const authorizations = [applyChange(bearer, how), `${name} ${other}`.trim(), `${name} ${good.clientId}`.trim()]
        for (const authorization of authorizations) {
          const answer = await send(verb, '/orders/items', { authorization }, '')
          // The scheme may be in any case and followed by several spaces.
          const isGood = /^bearer +(.*)$/i.exec(authorization)?.[1] === good.token
          if (isGood) expect(answer.status).toBe(200)
          else expectGuardRefusal(answer)
        }
        for (const key of [applyChange(good.clientId, how), other, good.clientSecret]) {
          const answer = await send(verb, '/catalog/items', { 'x-api-key': key }, '')
          if (key.trim() === good.clientId) expect(answer.status).toBe(200)
          else expectGuardRefusal(answer)
        }
        expect(reached.length - before).toBeLessThanOrEqual(2)
      }),
      { numRuns: 150 },
    )
    expect(logger.lines.filter((line) => line.includes('500'))).toEqual([])
  })

  function expectGuardRefusal(answer: Answer): void {
    expect([400, 401], answer.text).toContain(answer.status)
    expect(answer.headers['www-authenticate']).toMatch(/^(Bearer realm="orders"|ApiKey realm="catalog")/)
    const { error } = JSON.parse(answer.text) as { error: string }
    expect(['unauthorized', 'invalid_request', 'invalid_token', 'invalid_api_key']).toContain(error)
  }
})
