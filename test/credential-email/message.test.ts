import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createPlatformAuth, memoryStore, type EmailMessage, type PlatformAuthOptions } from '../../src/index.js'
import { smtpMailer } from '../../src/mailers/smtp.js'
import { memoryMailer } from '../../src/testing/index.js'
import { recordingLogger, SECRET } from '../support/platform.js'
import { readMail, startMailServer, transportTo, type MailServer, type ReceivedMail } from '../support/smtp.js'
import {
  type APIS,
  readCredentials,
  KEY,
  waitForEmails,
  openProvider,
  SECRET_VALUE,
} from '../applications/applicant.js'

type ApiNames = readonly (keyof typeof APIS)[]

/** The email that a registration brings. */
async function emailFor(
  apis: ApiNames,
  options: Partial<PlatformAuthOptions> = {},
  name = 'Shop',
): Promise<EmailMessage> {
  const mailer = memoryMailer()
  const { auth } = openProvider({ onTestFinished }, { mailer, ...options })
  const { application } = await auth.applications.register({ name, contact: 'dev@customer.example', apis })
  if (apis.includes('invoices')) await auth.applications.approve(application.id)
  await waitForEmails(mailer.emails, 1)
  return mailer.emails[0]!
}

/** The lines of a email that can be pasted. */
function curlLines({ text }: { readonly text: string }): string[] {
  return text.split('\n').flatMap((line) => (line.trim().startsWith('curl ') ? [line.trim()] : []))
}

/** The text of a email's HTML, as a reader sees it. */
function shownBy(html: string): string {
  return html
    .replaceAll(/<title>.*?<\/title>/gs, '')
    .replaceAll('<br>', '\n')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}

describe('the email of a registration', () => {
  it('holds key and secret, the exact addresses and the header, where the console is, and what it is about', async () => {
    const email = await emailFor(['orders', 'invoices', 'catalog'])
    expect(email).toMatchObject({
      to: 'dev@customer.example',
      subject: 'Your credentials for Shop (api.example.com)',
    })
    const { clientId, clientSecret } = readCredentials(email)
    for (const shown of [email.text, shownBy(email.html)]) {
      expect(shown).toContain('Your application “Shop” is registered at api.example.com.')
      expect(shown).toContain(clientId)
      expect(shown).toContain(clientSecret)
      expect(shown.split('\n').map((line) => line.trim())).toEqual(
        expect.arrayContaining([
          'https://api.example.com/orders/token',
          'https://api.example.com/invoices/token',
          'X-Api-Key',
          'https://example.com/developers',
          `curl -u "${clientId}:${clientSecret}" -d grant_type=client_credentials "https://api.example.com/orders/token"`,
          `curl -u "${clientId}:${clientSecret}" -d grant_type=client_credentials "https://api.example.com/invoices/token"`,
          `curl -H "X-Api-Key: ${clientId}" "https://api.example.com/catalog"`,
        ]),
      )
      expect(shown).toContain('Orders: get access tokens at')
      expect(shown).toContain('Catalog: send your key in the header')
    }
    expect(email.html).toContain('<a href="https://example.com/developers">')
  })

  it('holds no secret where there is no oauth2 API to use it at', async () => {
    const email = await emailFor(['catalog'])
    expect(email.text).toMatch(KEY)
    for (const shown of [email.text, email.html, email.subject]) {
      expect(shown).not.toMatch(SECRET_VALUE)
      expect(shown).not.toMatch(/secret|token/i)
    }
  })

  it('names no API that was not asked for', async () => {
    const { text } = await emailFor(['orders'])
    expect(text).not.toMatch(/Invoices|Catalog|Weather|Payroll/)
  })

  it('needs no console', async () => {
    const { text, html } = await emailFor(['catalog'], { developersUrl: undefined })
    expect(text + html).not.toMatch(/undefined|developers/)
  })

  it('has addresses below the path of baseUrl', async () => {
    const email = await emailFor(['orders'], { baseUrl: 'https://example.com/platform/v1/' })
    expect(email.subject).toBe('Your credentials for Shop (example.com)')
    expect(email.text).toContain('    https://example.com/platform/v1/orders/token\n')
  })

  it('has lines of plain ASCII, paragraphs apart', async () => {
    const { text } = await emailFor(['orders', 'catalog'])
    expect(text).not.toMatch(/[\t\r]/)
    expect(text.endsWith('.\n')).toBe(true)
    for (const line of curlLines({ text })) expect(line).toMatch(/^[\x20-\x7E]+$/)
  })
})

describe('the email of a rotation', () => {
  it('leaves in its lines what its reader has got already', async () => {
    const mailer = memoryMailer()
    const { auth } = openProvider({ onTestFinished }, { mailer })
    const { application, credentials } = await auth.applications.create({
      name: 'Shop',
      contact: 'dev@customer.example',
      apis: ['orders', 'catalog'],
    })
    await auth.applications.rotateSecret(application.id, { deliver: 'email' })
    await waitForEmails(mailer.emails, 1)
    const { clientSecret } = readCredentials(mailer.emails[0]!)
    expect(curlLines(mailer.emails[0]!)).toEqual([
      `curl -u "YOUR_KEY:${clientSecret}" -d grant_type=client_credentials "https://api.example.com/orders/token"`,
    ])
    await auth.applications.rotateKey(application.id, { deliver: 'email' })
    await waitForEmails(mailer.emails, 2)
    const { clientId } = readCredentials(mailer.emails[1]!)
    expect(curlLines(mailer.emails[1]!)).toEqual([
      `curl -u "${clientId}:YOUR_SECRET" -d grant_type=client_credentials "https://api.example.com/orders/token"`,
      `curl -H "X-Api-Key: ${clientId}" "https://api.example.com/catalog"`,
    ])
    for (const { text, html } of mailer.emails) {
      expect(text + html).not.toContain(credentials.clientId)
      expect(text + html).not.toContain(credentials.clientSecret)
    }
  })
})

describe('the lines of a email', () => {
  it('can be pasted into a shell as the mail program shows them', async () => {
    const mailServer = await startMailServer()
    onTestFinished(() => mailServer.close())
    const http = createServer((req, res) => app(req, res)).listen(0, '127.0.0.1')
    onTestFinished(() => void http.close())
    await once(http, 'listening')
    const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    const mailer = smtpMailer({
      transport: transportTo(mailServer, { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 5000 }),
      from: 'developers@example.com',
    })
    const { auth, app } = openProvider({ onTestFinished }, { baseUrl, mailer })
    app.get('/catalog', auth.requireApiKey('catalog'), (_req, res) => void res.json({ items: [] }))
    await auth.applications.register({ name: 'Shop', contact: 'dev@customer.example', apis: ['orders', 'catalog'] })
    await waitForEmails(mailServer.mails, 1)

    const { text = '', html = '' } = await readMail(mailServer.mails[0]!)
    for (const shown of [text, shownBy(html)]) {
      const lines = curlLines({ text: shown })
      expect(lines).toHaveLength(2)
      const [token, items] = await Promise.all(lines.map(async (line) => JSON.parse(await run(line)) as object))
      expect(token).toMatchObject({ token_type: 'bearer', scope: 'orders:read' })
      expect(items).toEqual({ items: [] })
    }
  })
})

async function run(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent --show-error`])
  return stdout
}

describe('nothing that an applicant writes', () => {
  let server: MailServer
  let auth: ReturnType<typeof openPlatform>
  beforeAll(async () => {
    // It takes 253 octets for the most that RFC 5321 allows.
    server = await startMailServer({ lenientAddressParsing: true })
    auth = openPlatform(server)
    await auth.ready()
  })
  afterAll(async () => {
    await auth.close()
    await server.close()
  })

  function openPlatform(mailServer: MailServer) {
    return createPlatformAuth({
      baseUrl: 'https://api.example.com',
      store: memoryStore(),
      secret: SECRET,
      logger: recordingLogger(),
      mailer: smtpMailer({
        transport: transportTo(mailServer, { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 5000 }),
        from: { name: 'Müller & Söhne, "Developers"', address: 'developers@example.com' },
      }),
      apis: {
        catalog: { scheme: 'apiKey', title: `<img src=x onerror=alert(1)> & "Co" 'KG'` },
        orders: { scheme: 'oauth2', registration: 'automatic' },
      },
    })
  }

  const HEADERS = ['From', 'To', 'Subject', 'Message-ID', 'Date', 'MIME-Version', 'Content-Type']

  /** What came for it, after a look at every header. */
  async function mailFor(name: string, contact: string): Promise<ReceivedMail> {
    const before = server.mails.length
    await auth.applications.register({ name, contact, apis: ['catalog', 'orders'] })
    await waitForEmails(server.mails, before + 1)
    const mail = server.mails.at(-1)!
    expect(mail).toMatchObject({ sender: 'developers@example.com', recipients: [contact] })
    expect(mail.raw).not.toMatch(/[^\r]\n|\r[^\n]/)
    const [head = '', ...rest] = mail.raw.split('\r\n\r\n')
    expect(rest.length).toBeGreaterThan(0)
    const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
    expect(unfolded.map((line) => line.split(':', 1).join())).toEqual(HEADERS)
    for (const line of head.split('\r\n')) expect(line).toMatch(/^[\x20-\x7E]{1,998}$/)
    return mail
  }

  it.each([
    'Shop', '"', `'; DROP TABLE x; --`, '<script>alert(1)</script>', '</title><img src=x onerror=alert(1)>', '&amp;lt;', '=?utf-8?q?=0D=0ABcc:=20all@evil.example?=',
    'Bcc: all@evil.example', 'a, b <all@evil.example>', 'Café Ω 店 🛒', 'שלום עולם', 'مرحبا', '\\r\\nBcc: all@evil.example', '%0D%0ABcc: all@evil.example',
    '. ', '..', '-- ', '"><a href=javascript:alert(1)>', "' onmouseover='alert(1)", '${name} {{name}} %s %d', '$(reboot) `reboot`', 'x'.repeat(100), 'Ω'.repeat(100), '🛒'.repeat(50),
    'a'.repeat(50) + ' ' + 'b'.repeat(49), '=20=0D=0A.=0D=0A', 'To: all@evil.example', '&#60;b&#62;',
  ])('as a name, such as %j, is anything but a name in a email', async (name) => {
    const shown = name.trim()
    const { from, to, cc, bcc, subject, text = '', html = '', attachments } = await readMail(await mailFor(name, 'dev@customer.example'))
    expect({ from, to, cc, bcc, attachments }).toEqual({
      from: { name: 'Müller & Söhne, "Developers"', address: 'developers@example.com' },
      to: [{ name: '', address: 'dev@customer.example' }],
      cc: undefined,
      bcc: undefined,
      attachments: [],
    })
    // An encoded word (RFC 2047) would be decoded by who reads it.
    expect(subject).toBe(`Your credentials for ${shown.replaceAll('=?', '= ?')} (api.example.com)`)
    const introduction = `Your application “${shown}” is registered at api.example.com.`
    expect(text.split('\n')[0]).toBe(introduction)
    expect(shownBy(html)).toContain(introduction)
    expectOnlyOurTags(html)
  }) // prettier-ignore

  it.each([
    'dev@customer.example', `o'brien@customer.example`, "!#$%&'*+/=?^_`{|}~-@customer.example", 'bcc:dev@customer.example'.slice(4), 'a+b=c.d@x-y.customer.example',
    'DEV@customer.example', '$(reboot)'.replace(/[()]/g, '') + '@customer.example', `${'l'.repeat(64)}@customer.example`,
    `${'l'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(61)}`,
  ])('as a contact, such as %s, is anything but one recipient', async (contact) => {
    const { to, cc, bcc } = await readMail(await mailFor('Shop', contact))
    expect({ to, cc, bcc }).toEqual({ to: [{ name: '', address: contact }], cc: undefined, bcc: undefined })
  }) // prettier-ignore

  it.each([
    'dev@customer.example\r\nBcc: all@evil.example', 'dev@customer.example\nBcc: all@evil.example', 'a@customer.example,all@evil.example', 'a@customer.example;all@evil.example',
    'Dev <dev@customer.example>', 'group:all@evil.example;', '<dev@customer.example>', '"dev"@customer.example', 'dev@customer.example (all@evil.example)', 'dev@[127.0.0.1]',
    'dev\u202E@customer.example', 'dév@customer.example', 'dev@xn--.example.', `${'l'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(62)}`, 'dev@customer.example>\r\nRCPT TO:<all@evil.example',
  ])('reaches anybody as the contact %j', async (contact) => {
    const before = server.mails.length
    await expect(auth.applications.register({ name: 'Shop', contact, apis: ['catalog'] })).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(server.mails).toHaveLength(before)
  }) // prettier-ignore

  it.each([
    'two\nlines',
    'two\r\nBcc: all@evil.example',
    'nul\0',
    'turned \u202E around',
    'zero\u200Bwidth',
    'line\u2028break',
    '\uD800',
    '',
  ])('gets as far as a email as the name %j', async (name) => {
    await expect(
      auth.applications.register({ name, contact: 'dev@customer.example', apis: ['catalog'] }),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})

/** Tags and attributes of ours alone, whatever stands between them. */
function expectOnlyOurTags(html: string): void {
  const tags = html.match(/<[^>]*>/g) ?? []
  const allowed = /^<(?:!doctype html|html lang="en"|meta charset="utf-8"|br|\/?(?:head|title|body|p|code|html))>$/
  expect(tags.filter((tag) => !allowed.test(tag))).toEqual([])
}
