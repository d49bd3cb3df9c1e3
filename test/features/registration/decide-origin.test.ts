import { describe, expect, it, vi } from 'vitest'
import { EXPRESSES } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { expectPage, useRegistration, PATH, postJson } from './registration-app.js'

const express = EXPRESSES['Express 5']

const OPERATOR = 'apis@example.com'

describe('the decision page', () => {
  const open = async () => {
    const { app, auth, mailer } = useRegistration(express, { operators: [OPERATOR] })
    await postJson(app, { name: 'Shop', contact: 'dev@customer.example', apis: ['weather'] })
    await vi.waitFor(() => expect(mailer.emails.some(({ to }) => to === OPERATOR)).toBe(true), 60_000)
    const { text } = mailer.emails.find(({ to }) => to === OPERATOR)!
    const link = /\/register\/decide#([\w-]+\.[\w-]{43})\s/.exec(text)![1]!
    const post = (headers: Record<string, string>, fields: Record<string, string>) =>
      request(app)
        .post(`${PATH}/decide`)
        .type('form')
        .set(headers)
        .send(new URLSearchParams({ link, ...fields }).toString())
    const pending = async () => (await auth.applications.list({ status: 'pending' })).items.length
    return { post, pending, link }
  }

  const FOREIGN: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'https://www.example.com' },
    { Origin: 'https://evil.example' },
    { Origin: 'https://example.com.evil.example' },
    { Origin: 'null' },
  ]

  it('A8: a form of another site decides and shows nothing, and the operator gets a page that says so', async () => {
    const { post, pending, link } = await open()
    for (const headers of FOREIGN) {
      for (const fields of [{}, { decision: 'approve' }, { decision: 'deny', reason: 'No.' }]) {
        const answer = await post({ Accept: 'text/html', ...headers }, fields)
        expect([answer.status, headers]).toEqual([403, headers])
        expectPage(answer)
        expect(answer.text).toContain('was not sent from a page of this site')
        expect(answer.text).not.toContain(link)
        expect(answer.text).not.toContain('Shop')
      }
    }
    expect(await pending()).toBe(1)
  })

  it.each<Record<string, string>>([
    {},
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://example.com' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'https://example.com' },
  ])('A3: a form of its own page decides: %j', async (headers) => {
    const { post, pending } = await open()
    expect((await post(headers, { decision: 'approve' })).status).toBe(200)
    expect(await pending()).toBe(0)
  })
})
