import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryMailer } from 'express-platform-auth/testing'
import PostalMime from 'postal-mime'
import supertest from 'supertest'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApp } from '../../example-app/app.js'
import { openDatabase, type Database } from '../../example-app/database/database.js'
import { openMail } from '../../example-app/mail/mail.js'
import { openMailbox } from '../../example-app/mail/mailbox.js'
import { createPlatform } from '../../example-app/platform.js'
import { readMode, useExampleApps, type Example } from '../support/example-app.js'
import { freePort } from '../support/free-port.js'
import { SECRET } from '../support/platform.js'
import { freshDatabase } from '../support/postgres.js'
import { readMail, startMailServer, type MailServer } from '../support/smtp.js'

const apps = useExampleApps()
const NEW_CONTACT = 'new-developer@example.com'

describe('A new developer at the example app', () => {
  /** Below the path of PLATFORM_URL; the tests of SMTP_URL have none. */
  const shared = useExampleApps({ shared: true })
  let example: Example
  beforeAll(async () => {
    const port = await freePort()
    const PLATFORM_URL = `http://localhost:${port}/v1`
    example = await shared.start({ PORT: String(port), PLATFORM_URL, MAIL_FROM: 'shop@tea.example' })
  })

  it('registers on the page, reads the e-mail in the mailbox, runs its commands, and finds a file that only the owner of the server can read', async () => {
    const { baseUrl, output } = example
    const register = /^ {2}register +(\S+)$/m.exec(output())?.[1]
    const mailbox = /^ {2}mailbox.* (\S+)$/m.exec(output())?.[1]
    expect({ register, mailbox }).toEqual({ register: `${baseUrl}/developers/register`, mailbox: `${baseUrl}/mailbox` })
    const empty = await page(`${baseUrl}/mailbox`)
    expect(empty).toContain(`href="${baseUrl}/developers/register"`)
    await registerAt(baseUrl)

    const text = await emailInMailbox(baseUrl)
    await pasteLines(text, baseUrl)
    expect(text).toContain(`\n${baseUrl}/developers\n`)
    const log = output().slice(output().indexOf('npm run example:client\n'))
    expect(log).not.toMatch(/epa_(?:key|sec)_|eyJ/)
    await expectEmailFile(join(shared.folder(), 'var/mail'), baseUrl, text)
  })

  it('finds the console, the registration and the mailbox from the start page', async () => {
    const { baseUrl } = example
    const home = await page(baseUrl)
    for (const address of ['developers/', 'mailbox']) {
      expect(home).toContain(`href="${baseUrl}/${address}"`)
      expect((await fetch(`${baseUrl}/${address}`)).status).toBe(200)
    }
    const json = await (await fetch(baseUrl)).json()
    expect(json).toMatchObject({ developers: `${baseUrl}/developers/`, mailbox: `${baseUrl}/mailbox` })
    const console = await page(`${baseUrl}/developers/`)
    for (const link of ['register', 'apis/orders', 'apis/catalog']) expect(console).toContain(`href="${link}"`)
  })

  it('lets the staff sign in with the printed password, and nobody else', async () => {
    const { baseUrl, output } = example
    const [, address = '', password = ''] = /^ {2}for operators +(\S+) \(password: (\S+)\)$/m.exec(output())!
    const signIn = (given: string) =>
      fetch(`${address}/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ name: 'operator@example.com', password: given }),
      })
    expect(address).toBe(`${baseUrl}/operator`)
    expect([(await fetch(address)).status, (await signIn(`${password}x`)).status]).toEqual([401, 401])
    const { status, headers } = await signIn(password)
    expect([status, headers.get('location')]).toEqual([303, '/v1/operator'])
    const [cookie = ''] = headers.getSetCookie()
    expect(cookie).toMatch(/; Path=\/v1\/operator; .*HttpOnly; SameSite=Lax$/)
    const [session = ''] = cookie.split(';')
    const forged = session.replace(/=[^.]*/, `=${Buffer.from('["mallory",9999999999999]').toString('base64url')}`)
    const open = async (value: string) => fetch(`${address}/applications`, { headers: { cookie: value } })
    expect((await open(forged)).status).toBe(401)
    const opened = await open(session)
    expect(opened.status).toBe(200)
    expect(await opened.text()).toMatch(/action="\/v1\/operator\/sign-out">\s*<span>operator@example\.com/)
    const signOut = async (headers: Record<string, string>) =>
      fetch(`${address}/sign-out`, { method: 'POST', redirect: 'manual', headers })
    expect((await signOut({})).headers.getSetCookie()).toEqual([])
    expect((await signOut({ cookie: session })).headers.getSetCookie()[0]).toMatch(
      /^shop_staff=; Path=\/v1\/operator; Expires=Thu, 01 Jan 1970/,
    )
    // Guesses are bounded, 20 in each minute of the clock, of which the tries may be in two.
    const guesses: number[] = []
    for (let i = 0; i < 41; i += 1) guesses.push((await signIn(`${password}${i}`)).status)
    expect(new Set(guesses)).toEqual(new Set([401, 429]))
    expect(guesses.filter((each) => each === 401).length).toBeLessThanOrEqual(40)
    // Who is signed in stays so.
    expect((await open(session)).status).toBe(200)
  })
})

describe('The mailbox', () => {
  async function openApp() {
    const mailbox = openMailbox(join(apps.folder(), 'var/mail'))
    const baseUrl = 'http://localhost:3000'
    const database = await openDatabase(join(apps.folder(), 'example.sqlite'))
    const auth = createPlatform({ baseUrl, store: database.store, secret: SECRET, mailer: memoryMailer() })
    onTestFinished(async () => {
      await auth.close()
      await database.close()
    })
    return { mailbox, api: supertest(createApp({ auth, database, mailbox, baseUrl })) }
  }

  it('shows e-mails as text, on pages without scripts that are not cached', async () => {
    const { mailbox, api } = await openApp()
    const nasty = `"><script>alert('&')</script>`
    const head = `From: <"<b>"@example.com>\r\nTo: "${NEW_CONTACT}"\r\nSubject: ${nasty}\r\nDate: never\r\n`
    mailbox.keep(
      `${head}Content-Type: text/plain\r\n\r\n${nasty}\r\n\r\n    ${nasty}\r\n\r\n    javascript:alert(1)\r\n`,
    )
    const [{ id } = { id: '' }] = await mailbox.list()
    for (const path of ['/mailbox', `/mailbox/${id}`]) {
      const { text, headers } = await api.get(path).expect(200)
      expect(text).toContain('&#62;&#60;script&#62;alert(&#39;&#38;&#39;)&#60;/script&#62;')
      expect(text).not.toMatch(/<script|<b>|href="javascript/)
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+=';/)
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(headers['content-security-policy']).not.toContain('unsafe')
    }
  })

  it('shows the newest e-mail first, and no other files', async () => {
    const { mailbox, api } = await openApp()
    for (const subject of ['First', 'Second']) {
      mailbox.keep(`Subject: ${subject}\r\n\r\nText\r\n`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect((await mailbox.list()).map(({ subject }) => subject)).toEqual(['Second', 'First'])
    for (const id of ['..%2Fexample.sqlite', '..%2F..%2Fexample', '%2Fetc%2Fpasswd', 'nothing', 'a%00b']) {
      await api.get(`/mailbox/${id}`).expect(404)
      await api.get(`/mailbox/${id}.eml`).expect(404)
    }
  })

  it('answers only requests from this machine, under a name of this machine', async () => {
    const { api } = await openApp()
    await api.get('/mailbox').expect(200)
    await api.get('/mailbox').set('Host', 'localhost:3000').expect(200)
    for (const [name, value] of [
      ['Host', 'rebound.example:3000'],
      ['X-Forwarded-Host', 'rebound.example'],
      ['X-Forwarded-For', '203.0.113.7'],
    ] as const) {
      const answer = await api.get('/mailbox').set(name, value).expect(403)
      expect(answer.body.error).toBe('access_denied')
      await api.get('/mailbox/1.eml').set(name, value).expect(403)
    }
  })
})

describe('With SMTP_URL, the example app', () => {
  async function mailServer(): Promise<MailServer> {
    const server = await startMailServer({ authOptional: true })
    onTestFinished(() => server.close())
    return server
  }

  function recordStages(server: MailServer): readonly string[] {
    const stages: string[] = []
    server.fault = (stage) => void stages.push(stage)
    return stages
  }

  it('logs in with the password of SMTP_URL, sends its e-mails, also in production, and stores none', async () => {
    const server = await mailServer()
    const stages = recordStages(server)
    const { baseUrl, output } = await apps.start({
      NODE_ENV: 'production',
      SMTP_URL: `smtp://platform:correct%20horse@127.0.0.1:${server.port}?requireTLS=false`,
      MAIL_FROM: 'shop@tea.example',
    })
    expect(output()).not.toContain('mailbox')
    expect(await page(baseUrl)).not.toContain('mailbox')
    expect((await fetch(`${baseUrl}/mailbox`)).status).toBe(404)
    await registerAt(baseUrl)
    await vi.waitFor(() => expect(server.mailsTo(NEW_CONTACT)).toHaveLength(1), 60_000)
    const [mail] = server.mailsTo(NEW_CONTACT)
    expect(stages).toContain('AUTH')
    expect(mail?.sender).toBe('shop@tea.example')
    const { from, text = '' } = await readMail(mail!)
    expect(from).toEqual({ name: 'The tea and coffee shop', address: 'shop@tea.example' })
    await pasteLines(text, baseUrl)
    expect(await readdir(join(apps.folder(), 'var'))).not.toContain('mail')
  })

  it('sends no password without TLS, unless requireTLS=false', async () => {
    const server = await mailServer()
    const stages = recordStages(server)
    const smtpUrl = `smtp://platform:correct%20horse@127.0.0.1:${server.port}`
    const { mailer } = await openMail({ smtpUrl, mailFrom: 'shop@tea.example', mailFolder: '', production: false })
    await expect(mailer.send({ to: NEW_CONTACT, subject: '', text: '', html: '', headers: {} })).rejects.toThrow()
    expect(stages).toContain('EHLO')
    expect(stages).not.toContain('AUTH')
    expect(server.mails).toEqual([])
  })
})

describe('In production without SMTP_URL, the example app', () => {
  it('does not start, and prints how to set SMTP_URL', async () => {
    const { code, stdout, stderr } = await apps.tryServer({ NODE_ENV: 'production' })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^SMTP_URL is missing\..*SMTP_URL=smtps:\/\/.* npm start\n$/)
  })
})

describe('On PostgreSQL, the example app', () => {
  async function database(): Promise<string> {
    const fresh = await freshDatabase()
    onTestFinished(fresh.remove)
    return fresh.url
  }

  it('starts in two processes at once on an empty database, stores everything there, and has it after a restart', async () => {
    const env = { DATABASE_URL: await database(), PLATFORM_AUTH_SECRET: SECRET }
    const [first, other] = await Promise.all([
      apps.start(env),
      apps.start({ ...env, EXAMPLE_VAR: join(apps.folder(), 'other') }),
    ])
    for (const { baseUrl } of [first, other]) expect((await fetch(`${baseUrl}/health`)).status).toBe(200)
    // Either process would send the e-mail, each to its own mailbox.
    expect(await other.end('SIGTERM')).toBe(0)
    await registerAt(first.baseUrl)
    const text = await emailInMailbox(first.baseUrl)
    await pasteLines(text, first.baseUrl)
    expect(await apps.client(first.baseUrl)).toMatchObject({ code: 0, stderr: '' })
    const bearer = { Authorization: `Bearer ${await tokenBy(text)}` }
    const key = { 'X-Api-Key': keyIn(text) }
    const json = { 'Content-Type': 'application/json' }
    const orders: unknown[] = []
    for (const quantity of [1, 2, 3]) {
      const body = JSON.stringify({ product: 'TEA-MATCHA-30', quantity, note: 'Für dich ☕' })
      const answer = await fetch(`${first.baseUrl}/orders/items`, {
        method: 'POST',
        headers: { ...bearer, ...json },
        body,
      })
      expect(answer.status).toBe(201)
      orders.push(await answer.json())
    }
    const matcha = '/catalog/items/TEA-MATCHA-30'
    expect((await fetch(first.baseUrl + matcha, { method: 'DELETE', headers: key })).status).toBe(204)
    // PostgreSQL cannot store U+0000 in text.
    expect((await fetch(`${first.baseUrl}/orders/items/a%00`, { headers: bearer })).status).toBe(404)
    expect((await fetch(`${first.baseUrl}/catalog/items/a%00`, { headers: key })).status).toBe(404)
    expect((await fetch(`${first.baseUrl}/catalog/items?search=a%00`, { headers: key })).status).toBe(400)
    expect(await first.end('SIGTERM')).toBe(0)
    expect(await readdir(join(apps.folder(), 'var'))).not.toContain('example.sqlite')

    // On the same port: the base URL is the issuer of the access tokens.
    const second = await apps.start({ ...env, PORT: String(first.port) })
    const list = await fetch(`${second.baseUrl}/orders/items`, { headers: bearer })
    expect(list.status).toBe(200)
    expect(await list.json()).toMatchObject({ items: orders })
    expect((await fetch(second.baseUrl + matcha, { headers: key })).status).toBe(404)
    await pasteLines(text, second.baseUrl)
    expect(await second.end('SIGTERM')).toBe(0)
  })

  it('answers the same as on SQLite', async () => {
    const answers = []
    for (const url of [join(apps.folder(), 'example.sqlite'), await database()]) {
      const opened = await openDatabase(url)
      try {
        answers.push(await collectAnswers(opened))
      } finally {
        await opened.close()
      }
    }
    const [sqlite, postgres] = answers
    expect(postgres).toEqual(sqlite)
  })

  it('prints one line for a database that cannot be opened, without the password', async () => {
    const there = new URL(await database())
    there.pathname = 'platform_auth_nowhere'
    for (const [url, says] of [
      ['postgres://me:sesame@127.0.0.1:1/shop', "PostgreSQL at 127.0.0.1:1 can't be used: "],
      [there.href, 'database "platform_auth_nowhere" does not exist'],
      ['postgres://me:sesame@:x/shop', 'DATABASE_URL is not a URL. '],
    ] as const) {
      const { code, stdout, stderr } = await apps.tryServer({ DATABASE_URL: url })
      expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 })
      expect(stderr).toContain(says)
      expect(stderr).not.toContain('sesame')
    }
  })
})

/** Sends the form of the page, as a browser does. */
async function registerAt(baseUrl: string, contact = NEW_CONTACT): Promise<void> {
  const address = `${baseUrl}/developers/register`
  const form = await page(address)
  const apis = [...form.matchAll(/<input type="checkbox" name="apis" value="(\w+)"[^>]*>/g)].map(([, api = '']) => api)
  expect(apis).toEqual(['orders', 'catalog'])
  const body = new URLSearchParams([['name', 'Till'], ['contact', contact], ...apis.map((api) => ['apis', api])])
  const answer = await fetch(address, { method: 'POST', body })
  // The form leads to a page that a reload only shows again.
  expect([answer.status, new URL(answer.url).pathname]).toEqual([200, `${new URL(address).pathname}/thanks`])
  expect(await answer.text()).toContain('We have received your registration')
}

async function page(address: string): Promise<string> {
  const answer = await fetch(address, { headers: { Accept: 'text/html' } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  return answer.text()
}

/** The text of the e-mail, found through the mailbox. */
async function emailInMailbox(baseUrl: string): Promise<string> {
  const link = await vi.waitFor(async () => {
    const [, path] = /<a href="([^"]+)">Your credentials for /.exec(await page(`${baseUrl}/mailbox`)) ?? []
    expect(path).toBeDefined()
    return path!
  }, 60_000)
  const source = await page(new URL(link, baseUrl).href)
  return source.replace(/<[^>]*>/g, '\n').replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

/** The file of the only e-mail, in a format for every mail program. */
async function expectEmailFile(folder: string, baseUrl: string, text: string): Promise<void> {
  const names = await readdir(folder)
  expect(names).toEqual([expect.stringMatching(/^[\w-]+\.eml$/)])
  const [name = ''] = names
  expect(await readMode(folder)).toBe('700')
  expect(await readMode(join(folder, name))).toBe('600')

  const file = await readFile(join(folder, name))
  const email = await PostalMime.parse(file)
  expect(email.from?.address).toBe('shop@tea.example')
  expect(email.to).toEqual([{ name: '', address: NEW_CONTACT }])
  expect(email.html).toMatch(/<code style="[^"]*"\s*>epa_key_/)
  expect(keyIn(email.text ?? '')).toBe(keyIn(text))

  const download = await fetch(`${baseUrl}/mailbox/${name}`)
  expect(Object.fromEntries(download.headers)).toMatchObject({
    'content-type': 'message/rfc822',
    'content-disposition': `attachment; filename=${name}`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(Buffer.from(await download.arrayBuffer())).toEqual(file)
}

function linesIn(text: string): { tokenLine: string; callLine: string; keyLine: string } {
  const lines = [...text.matchAll(/^ *((?:ACCESS_TOKEN=\$\()?curl .*)$/gm)].map(([, line = '']) => line)
  expect(lines).toEqual([
    expect.stringContaining('/orders/token'),
    expect.stringContaining('Bearer $ACCESS_TOKEN'),
    expect.stringContaining('X-Api-Key'),
  ])
  const [tokenLine = '', callLine = '', keyLine = ''] = lines
  return { tokenLine, callLine, keyLine }
}

function keyIn(text: string): string {
  return /epa_key_\w+/.exec(text)?.[0] ?? ''
}

async function tokenBy(text: string): Promise<string> {
  const { code, stdout } = await apps.paste(`${linesIn(text).tokenLine}\necho "$ACCESS_TOKEN"`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^eyJ[\w.-]+\n$/) as string })
  return stdout.trim()
}

/** Pastes the commands of the e-mail one after the other, with paths in place of their placeholders. */
async function pasteLines(text: string, baseUrl: string): Promise<void> {
  const catalog = await apps.paste(linesIn(text).keyLine.replace('/RESOURCE_PATH', ''))
  expect({ code: catalog.code, answer: JSON.parse(catalog.stdout) }).toMatchObject({
    code: 0,
    answer: { links: { items: `${baseUrl}/catalog/items` } },
  })
  const { tokenLine, callLine } = linesIn(text)
  for (const path of ['', '/items']) {
    const orders = await apps.paste(`${tokenLine}\n${callLine.replace('/RESOURCE_PATH', path)}`)
    expect(orders).toMatchObject({ code: 0, stdout: expect.stringContaining('"items"') })
  }
  expect((await fetch(`${baseUrl}/catalog`)).status).toBe(401)
  expect((await fetch(`${baseUrl}/orders`)).status).toBe(401)
}

/** The answers of a database to every kind of call, without ids and times. */
async function collectAnswers({ orders, products }: Database): Promise<unknown> {
  const all = { limit: 100, after: '' }
  const fields = { product: 'TEA-MATCHA-30', quantity: 1, note: '' }
  const placed = []
  for (const note of ['é ☕ 😀', "'; DROP TABLE shop_orders; --", '%_\\']) {
    placed.push(await orders.add('a', { ...fields, note }))
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const [first = { id: '' }, second = { id: '' }] = placed
  const product = { name: 'ümlaut_', category: 'Z', description: '100%', priceInCents: 0 }
  const answers = [
    placed,
    await orders.list('a', all),
    await orders.list('a', { limit: 1, after: first.id }),
    await orders.list('b', all),
    [await orders.find('a', second.id), await orders.find('b', second.id), await orders.find('a', 'x')],
    [await orders.replace('a', second.id, { ...fields, quantity: 1000 }), await orders.replace('b', second.id, fields)],
    [await orders.remove('b', first.id), await orders.remove('a', first.id), await orders.remove('a', first.id)],
    await orders.list('a', all),
    await products.list('', all),
    await products.list('GREEN tea', { limit: 2, after: 'TEA-J' }),
    [await products.add('A-1', product), await products.add('A-1', product), await products.add('A1', product)],
    [await products.list('%', all), await products.list('_', all), await products.list('a-1 ü', all)],
    [await products.find('A-1'), await products.find('a-1')],
    [await products.replace('A-1', { ...product, priceInCents: 1_000_000 }), await products.replace('B', product)],
    [await products.remove('A-1'), await products.remove('A-1')],
    await products.list('', all),
  ]
  const ids = placed.map(({ id }) => id)
  const text = JSON.stringify(answers, (name, value: unknown) => {
    if (name === 'createdAt' || name === 'updatedAt') return /^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/.test(String(value))
    return name === 'id' ? ids.indexOf(String(value)) : value
  })
  return JSON.parse(text)
}
