import { expect, it } from 'vitest'
import { registration, type RegistrationOptions } from '../../src/features/registration/index.js'
import { FORM, postForm, useRegistration } from '../features/registration/registration-app.js'
import { useServer } from '../support/http.js'
import { EXPRESSES } from '../support/platform.js'
import { runBlock } from './run-block.js'

it('the captcha of docs/registration.md asks the service, and an outage of the service registers nothing', async () => {
  const asked: URLSearchParams[] = []
  let status = 200
  const { url: service } = await useServer((req, res) => {
    let body = ''
    req.on('data', (chunk) => (body += String(chunk)))
    req.on('end', () => {
      const form = new URLSearchParams(body)
      asked.push(form)
      res.writeHead(status, { 'Content-Type': 'application/json' })
      res.end(JSON.stringify({ success: form.get('response') === 'solved' }))
    })
  })

  let given: RegistrationOptions | undefined
  await runBlock('docs/registration.md', 'A captcha', {
    variables: {
      process: { env: { TURNSTILE_SITE_KEY: 'site-key', TURNSTILE_SECRET: 'site-secret' } },
      registration: (options: RegistrationOptions) => (given = options) && registration(options),
      fetch: (url: string, init: RequestInit) => fetch(new URL(new URL(url).pathname, service), init),
    },
  })
  const { app, auth } = useRegistration(EXPRESSES['Express 5'], { registration: given })
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
