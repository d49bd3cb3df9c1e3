import { createTokenForm } from '../support/http.js'
import { expect } from 'vitest'
import type { Example } from '../support/example-app.js'

/** The header with an access token for the demo application of an example app. */
export async function bearer({ baseUrl, credentials }: Example): Promise<{ Authorization: string }> {
  const body = new URLSearchParams(createTokenForm(await credentials()))
  const answer = await fetch(`${baseUrl}/orders/token`, { method: 'POST', body })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return { Authorization: `Bearer ${token}` }
}

export async function placeOrder(example: Example): Promise<unknown> {
  const headers = { ...(await bearer(example)), 'Content-Type': 'application/json' }
  const body = JSON.stringify({ product: 'TEA-MATCHA-30', quantity: 1 })
  const answer = await fetch(`${example.baseUrl}/orders/items`, { method: 'POST', headers, body })
  expect(answer.status).toBe(201)
  return answer.json()
}

export async function listOrders(example: Example): Promise<unknown[]> {
  const answer = await fetch(`${example.baseUrl}/orders/items`, { headers: await bearer(example) })
  return ((await answer.json()) as { items: unknown[] }).items
}
