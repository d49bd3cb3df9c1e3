import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { registration, type RegistrationOptions } from '../../src/features/registration/index.js'
import { FORM, openRegistration, postForm } from '../features/registration/registration-app.js'
import { EXPRESSES } from '../support/platform.js'
import { runBlock } from './run-block.js'

it('the captcha of docs/registration.md asks the service, and an outage of the service registers nothing', async () => {
  const asked: URLSearchParams[] = []
  let status = 200
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk) => (body += String(chunk)))
    req.on('end', () => {
      const form = new URLSearchParams(body)
      asked.push(form)
      res.writeHead(status, { 'Content-Type': 'application/json' })
      res.end(JSON.stringify({ success: form.get('response') === 'solved' }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo

  let given: RegistrationOptions | undefined
  await runBlock('docs/registration.md', 'A captcha', {
    variables: {
      process: { env: { TURNSTILE_SITE_KEY: 'site-key', TURNSTILE_SECRET: 'site-secret' } },
      registration: (options: RegistrationOptions) => (given = options) && registration(options),
      fetch: (url: string, init: RequestInit) => {
        const { pathname } = new URL(url)
        return fetch(`http://127.0.0.1:${port}${pathname}`, init)
      },
    },
  })
  const { app, auth } = openRegistration(EXPRESSES['Express 5'], { registration: given })
  onTestFinished(() => auth.close())
  const send = async (response: string) => (await postForm(app, [...FORM, ['cf-turnstile-response', response]])).status
  expect(await send('solved')).toBe(303)
  expect(await send('guessed')).toBe(400)
  status = 503
  expect(await send('solved')).toBe(503)
  expect(asked.map((form) => Object.fromEntries(form))).toEqual([
    { secret: 'site-secret', response: 'solved' },
    { secret: 'site-secret', response: 'guessed' },
    { secret: 'site-secret', response: 'solved' },
  ])
  expect((await auth.applications.list()).items).toHaveLength(1)
})
