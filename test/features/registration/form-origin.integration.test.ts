import { describe, expect, it } from 'vitest'
import { EXPRESSES } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { useRegistration } from './registration-app.js'

const express = EXPRESSES['Express 4']

const FORM = 'name=Shop&contact=dev%40customer.example&apis=orders'

describe('the registration form', () => {
  const open = () => {
    const { app, list } = useRegistration(express, { developersUrl: 'https://api.example.com/developers' })
    const post = (path: string, headers: Record<string, string>, body = FORM) =>
      request(app).post(path).type('form').set(headers).send(body)
    const count = async () => (await list()).length
    return { app, post, count }
  }

  it.each<[Record<string, string>]>([
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    [{ 'Sec-Fetch-Site': 'same-site', Origin: 'https://www.example.com' }],
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ Origin: 'https://evil.example' }],
    [{ Origin: 'null' }],
  ])('R20: is refused from another site, and registers nothing: %j', async (headers) => {
    const { post, count } = open()
    const answer = await post('/developers/register', headers)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('was not sent from a page of this site')
    expect(await count()).toBe(0)
  })

  it.each<[Record<string, string>]>([
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    [{ 'Sec-Fetch-Site': 'same-site' }],
    [{ Origin: 'https://api.example.com.evil.example' }],
    [{ Origin: 'null' }],
  ])(
    'R20: JSON and claims of another site are refused, also where the host lets every origin in: %j',
    async (headers) => {
      const { app, count } = open()
      const send = (path: string, body: object) => request(app).post(path).set(headers).send(body)
      const registration = { name: 'Shop', contact: 'dev@customer.example', apis: ['orders'] }
      const answers = [
        await send('/developers/register', registration),
        await send('/developers/register/claim', { token: 'x'.repeat(43) }),
      ]
      for (const { status, body } of answers) {
        expect(status).toBe(403)
        expect(body).toMatchObject({ error: 'access_denied' })
      }
      expect(await count()).toBe(0)
    },
  )

  it.each<[Record<string, string>]>([
    [{}],
    [{ 'Sec-Fetch-Site': 'same-origin', Origin: 'https://api.example.com' }],
    [{ 'Sec-Fetch-Site': 'none' }],
    [{ Origin: 'https://api.example.com' }],
  ])('R8: is accepted from its own page and from programs: %j', async (headers) => {
    const { post, count } = open()
    expect((await post('/developers/register', headers)).status).toBe(303)
    expect(await count()).toBe(1)
  })

  it('R8: leads to a page below its own path, wherever it is mounted, and never to another host', async () => {
    const { post } = open()
    for (const [path, location] of [
      ['/developers/register', /^\.\/register\/thanks\?for=[\w-]+$/],
      ['/developers/register/', /^\.\/thanks\?for=[\w-]+$/],
      ['/developers/register?x=//evil.example', /^\.\/register\/thanks\?for=[\w-]+$/],
    ] as const)
      expect((await post(path, {})).headers['location']).toMatch(location)
  })
})
