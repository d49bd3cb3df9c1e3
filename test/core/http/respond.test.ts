import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createDenial, OAuthError, type Denial } from '../../../src/shared/contracts/denial.js'
import { sendDenial } from '../../../src/core/http/respond.js'

/** The body that a response sends, and its headers. */
function send(denied: Denial): { readonly body: string; readonly headers: object } {
  const req = new IncomingMessage(new Socket())
  const res = new ServerResponse(req)
  let body = ''
  res.end = (chunk: unknown): ServerResponse => {
    body = String(chunk)
    return res
  }
  sendDenial(req, res, denied)
  return { body, headers: { ...res.getHeaders() } }
}

it('sends a refusal that was made at start-up as often as it is needed', () => {
  const denied = createDenial('invalid_token', 'The access token is invalid or expired', {
    'WWW-Authenticate': 'Bearer',
  })
  const body = '{"error":"invalid_token","error_description":"The access token is invalid or expired"}'
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'www-authenticate': 'Bearer',
    'content-length': body.length,
  }
  expect([send(denied), send(denied)]).toEqual([
    { body, headers },
    { body, headers },
  ])
})

it('sends a refusal that a host changes as it is now', () => {
  const error: { description: string } & Denial = new OAuthError('access_denied', 'No')
  expect(send(error).body).toBe('{"error":"access_denied","error_description":"No"}')
  error.description = 'Not on Sundays: é'
  const { body, headers } = send(error)
  expect(body).toBe('{"error":"access_denied","error_description":"Not on Sundays: é"}')
  expect(headers).toMatchObject({ 'content-length': body.length + 1 })
})
