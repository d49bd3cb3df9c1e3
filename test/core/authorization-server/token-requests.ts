import type request from 'supertest'
import { expect } from 'vitest'
import type { ClientCredentials } from '../../support/http.js'

export const TOKEN = '/orders/token'
export const FORM = 'application/x-www-form-urlencoded'
export const CHALLENGE = { 'www-authenticate': 'Basic realm="orders", charset="UTF-8", error="invalid_client"' }
export const BOTH = 'orders:read orders:write'
export const KiB = 1024

export type KnownApplication = ClientCredentials & { readonly id: string }

/** Without the limit of failures, which these tests would exceed. */
export const UNLIMITED = { rateLimits: { failedAuthentication: false } } as const

export interface WholeAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Record<string, unknown>
  readonly text: string
}

export function whole(answer: request.Response): WholeAnswer {
  return answer
}

export async function expectToken(asked: Promise<request.Response>): Promise<void> {
  const { status, body, text } = await asked
  expect({ status, body: body as unknown }, text).toMatchObject({
    status: 200,
    body: { access_token: expect.any(String) as string, token_type: 'bearer', expires_in: 3600 },
  })
}

export function encode(form: Record<string, string>): string {
  return new URLSearchParams(form).toString()
}

export function escapeAll(text: string): string {
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

export function escapeUnderscores(text: string): string {
  return text.replaceAll('_', '%5F')
}
