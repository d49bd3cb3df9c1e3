import { createHash } from 'node:crypto'
import type { Express, RequestHandler } from 'express'
import { expect, onTestFinished, vi } from 'vitest'
import { ConfigurationError } from '../../../src/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { atEnd } from '../../support/at-end.js'
import { openPlatform, type EXPRESSES, type TestOptions } from '../../support/platform.js'
import { request, type Response } from '../../support/request.js'

const APIS = {
  orders: { scheme: 'oauth2', title: 'Orders <b>&"\'', description: 'All <i>orders</i>', registration: 'automatic' },
  catalog: { scheme: 'apiKey', title: 'Catalog' },
  weather: { scheme: 'apiKey', title: 'Weather', registration: 'manual' },
  payroll: { scheme: 'apiKey', title: 'Payroll', registration: 'closed' },
} as const

export const GOOD = { name: 'Shop', contact: 'dev@customer.example', apis: ['orders', 'catalog'] }
const NO_LIMIT = { rateLimits: { registration: false, allRegistrations: false } } as const

/** A platform with registration, in an app of that Express. */
export function openRegistration(
  express: (typeof EXPRESSES)['Express 5'],
  options: TestOptions = {},
  before: RequestHandler[] = [],
) {
  const mailer = memoryMailer()
  const { auth, logger } = openPlatform({
    developersUrl: 'https://example.com/developers',
    mailer,
    now: Date.now,
    ...NO_LIMIT,
    ...options,
    apis: APIS,
  })
  const app = express()
  app.disable('x-powered-by')
  for (const handler of before) app.use(handler)
  app.use('/developers/register', auth.registration.router, auth.emails.router)
  app.use((_req, res) => void res.status(404).json({ host: true }))
  return { app, auth, mailer, logger }
}

/** The same, which is closed at the end of the test, or outside of a test of the `describe()`; `list` resolves what is registered. */
export function useRegistration(...args: Parameters<typeof openRegistration>) {
  const opened = openRegistration(...args)
  atEnd(() => opened.auth.close())
  return { ...opened, list: async () => (await opened.auth.applications.list()).items }
}

/** Checks that a registration is answered with 503 when what the host is asked for it says nothing for five seconds. */
export async function expectPatience(
  { auth }: ReturnType<typeof openRegistration>,
  register: () => Promise<Response>,
  isAsked: () => boolean,
): Promise<void> {
  await auth.ready()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const answer = register()
  await vi.waitFor(() => expect(isAsked()).toBe(true), 60_000)
  await vi.advanceTimersByTimeAsync(5000)
  vi.useRealTimers()
  expect((await answer).status).toBe(503)
}

/** Checks that a value of an option of registration() is refused by the name of the option. */
export function expectRefusedOption(options: object, name: string): void {
  const create = () => openPlatform({ mailer: memoryMailer(), registration: options })
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(`registration.${name} `)
}

export const PATH = '/developers/register'

export function postForm(app: Express, fields: readonly (readonly [string, string])[] | string): Promise<Response> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields as [string, string][]).toString()
  return request(app)
    .post(PATH)
    .type('form')
    .send(body)
    .then((response) => response)
}

export const FORM = [
  ['name', 'Shop'],
  ['contact', 'dev@customer.example'],
  ['apis', 'orders'],
  ['apis', 'catalog'],
] as const

export async function postJson(app: Express, document: unknown): Promise<Response> {
  return request(app).post(PATH).type('json').send(JSON.stringify(document))
}

/** Checks that a page is neither cached nor framed, and has nothing that its policy forbids or that another host serves. */
export function expectPage({ headers, text }: Response): void {
  const got = headers as Record<string, string>
  expect(got).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // A form's page sends its origin with the form; others have nothing to send.
    'referrer-policy': expect.stringMatching(/^(?:same-origin|no-referrer)$/),
    'x-content-type-options': 'nosniff',
  })
  expect(got['set-cookie']).toBeUndefined()
  const policy = new Map(
    got['content-security-policy']!.split('; ').map((part) => [part.split(' ')[0]!, part.split(' ').slice(1)]),
  )
  expect(Object.fromEntries(policy)).toMatchObject({
    'default-src': ["'none'"],
    'form-action': ["'self'"],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  })
  const hashed = (kind: string): string[] =>
    [...text.matchAll(new RegExp(`<${kind}>(.*?)</${kind}>`, 'gs'))].map(
      ([, inner]) => `'sha256-${createHash('sha256').update(inner!).digest('base64')}'`,
    )
  for (const kind of ['style', 'script']) {
    for (const hash of hashed(kind)) expect(policy.get(`${kind}-src`)).toContain(hash)
  }
  expect(hashed('style')).toHaveLength(1)
  // The page loads and sends nothing before a click.
  const loaded = text
    .replaceAll(
      /<a (?:class="(?:home|button)" )?href="(?:https:\/\/example\.com\/developers(?:\/applications)?|#[\w.]+)" ?>/g,
      '',
    )
    // What was entered in the form.
    .replaceAll(/ value="[^"]*"/g, '')
  expect(loaded).not.toMatch(
    /<(?:script|style|link|img|iframe)\s|\sstyle=|\son\w+=|["']javascript:|(?:src|href|action)=|https?:|url\(|@import/i,
  )
}

export function expectRefusal({ headers, body }: Response, error: string, says: RegExp): void {
  const document = body as { error: string; error_description: string }
  expect(Object.keys(document)).toEqual(['error', 'error_description'])
  expect(document.error).toBe(error)
  expect(document.error_description).toMatch(says)
  // RFC 6749 5.2
  expect(document.error_description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/)
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
}

export function withoutDate({ headers }: Response): object {
  const { date: _, ...rest } = headers as Record<string, string>
  return rest
}
