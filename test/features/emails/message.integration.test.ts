import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { EmailMessage } from '../../../src/features/emails/index.js'
import { smtpMailer } from '../../../src/features/emails/smtp.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { useServer } from '../../support/http.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'
import { readMail, startMailServer, transportTo, type MailServer, type ReceivedMail } from '../../support/smtp.js'
import {
  KEY,
  openProvider,
  readCredentials,
  SECRET_VALUE,
  waitForEmails,
  type APIS,
} from '../../core/applications/applicant.js'

type ApiNames = readonly (keyof typeof APIS)[]

/** The e-mail of a registration. */
async function receiveEmail(apis: ApiNames, options: TestOptions = {}, name = 'Shop'): Promise<EmailMessage> {
  const mailer = memoryMailer()
  const { auth } = openProvider({ onTestFinished }, { mailer, ...options })
  const { application } = await auth.registration.register({ name, contact: 'dev@customer.example', apis })
  if (apis.includes('invoices')) await auth.applications.approve(application.id)
  await waitForEmails(mailer.emails, 1)
  return mailer.emails[0]!
}

/** The commands in an e-mail. */
function listCommands({ text }: { readonly text: string }): string[] {
  return text.split('\n').flatMap((line) => (/^(?:ACCESS_TOKEN=\$\()?curl /.test(line.trim()) ? [line.trim()] : []))
}

/** The text of an HTML e-mail, as a reader sees it. */
function renderText(html: string): string {
  return html
    .replaceAll(/<(title|style)>.*?<\/\1>/gs, '')
    .replaceAll('<br />', '\n')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}

describe('the e-mail of a registration', () => {
  it('has key and secret, token addresses, the header name, the console’s address, and what it is about', async () => {
    const email = await receiveEmail(['orders', 'invoices', 'catalog'])
    expect(email).toMatchObject({ to: 'dev@customer.example', subject: 'Your credentials for api.example.com' })
    const { clientId, clientSecret } = readCredentials(email)
    for (const shown of [email.text, renderText(email.html)]) {
      expect(shown).toContain('Your application “Shop” is registered at api.example.com.')
      expect(shown).toContain(clientId)
      expect(shown).toContain(clientSecret)
      expect(shown.split('\n').map((line) => line.trim())).toEqual(
        expect.arrayContaining([
          'https://api.example.com/orders/token',
          'https://api.example.com/invoices/token',
          'X-Api-Key',
          assignToken(`${clientId}:${clientSecret}`, 'orders'),
          assignToken(`${clientId}:${clientSecret}`, 'invoices'),
          CALL_WITH_TOKEN,
          `curl -H "X-Api-Key: ${clientId}" https://api.example.com/catalog/RESOURCE_PATH`,
        ]),
      )
      expect(shown).toMatch(/You can use it as client_id; it is not secret[^]*?\s(app_[0-9a-f]{32})\s/)
      for (const api of ['orders', 'invoices', 'catalog'])
        expect(shown).toContain(`https://example.com/developers#api-${api}`)
      expect(shown).toMatch(/Orders\s[^]*Get access tokens at:[^]*Catalog\s[^]*Send your key in the header:/)
    }
    expect(email.text).toContain('\n    https://example.com/developers\n')
    expect(email.html).toMatch(/<a [^>]*href="https:\/\/example\.com\/developers"/)
  })

  it('has no secret, and does not mention one, for an application without oauth2 APIs', async () => {
    const email = await receiveEmail(['catalog'])
    expect(email.text).toMatch(KEY)
    for (const shown of [email.text, email.html, email.subject]) {
      expect(shown).not.toMatch(SECRET_VALUE)
      expect(shown).not.toMatch(/secret|token|app_/i)
    }
  })

  it('names only the application’s APIs', async () => {
    const { text } = await receiveEmail(['orders'])
    expect(text).not.toMatch(/Invoices|Catalog|Weather|Payroll/)
  })

  it('has no console’s address without developersUrl', async () => {
    const { text, html } = await receiveEmail(['catalog'], { developersUrl: undefined })
    expect(text + html).not.toMatch(/undefined|developers/)
  })

  it('has addresses below the path of baseUrl', async () => {
    const email = await receiveEmail(['orders'], { baseUrl: 'https://example.com/platform/v1/' })
    expect(email.subject).toBe('Your credentials for example.com')
    expect(email.text).toContain('    https://example.com/platform/v1/orders/token\n')
  })

  it('has commands in plain ASCII, and neither tabs nor carriage returns', async () => {
    const { text } = await receiveEmail(['orders', 'catalog'])
    expect(text).not.toMatch(/[\t\r]/)
    expect(text.endsWith('.\n')).toBe(true)
    for (const line of listCommands({ text })) expect(line).toMatch(/^[\x20-\x7E]+$/)
  })
})

/** The command that puts an access token into `$ACCESS_TOKEN`. */
function assignToken(user: string, api: string): string {
  const request = `curl -sSf -u ${user} -d grant_type=client_credentials https://api.example.com/${api}/token`
  return String.raw`ACCESS_TOKEN=$(${request} | sed 's/.*"access_token":"\{0,1\}\([^",}]*\).*/\1/')`
}

const CALL_WITH_TOKEN = 'curl -H "Authorization: Bearer $ACCESS_TOKEN" https://api.example.com/orders/RESOURCE_PATH'

describe('the e-mail of a rotation', () => {
  it('has variables in its commands for credentials that the reader has already, and the id instead of the key', async () => {
    const mailer = memoryMailer()
    const { auth, create } = openProvider({ onTestFinished }, { mailer })
    const { application, credentials } = await create()
    await auth.applications.rotateSecret(application.id, { deliver: 'email' })
    await waitForEmails(mailer.emails, 1)
    const { clientSecret } = readCredentials(mailer.emails[0]!)
    expect(listCommands(mailer.emails[0]!)).toEqual([
      assignToken(`${application.id}:${clientSecret}`, 'orders'),
      CALL_WITH_TOKEN,
    ])
    await auth.applications.rotateKey(application.id, { deliver: 'email' })
    await waitForEmails(mailer.emails, 2)
    const { clientId } = readCredentials(mailer.emails[1]!)
    expect(listCommands(mailer.emails[1]!)).toEqual([
      assignToken(`"${clientId}:$CLIENT_SECRET"`, 'orders'),
      CALL_WITH_TOKEN,
      `curl -H "X-Api-Key: ${clientId}" https://api.example.com/catalog/RESOURCE_PATH`,
    ])
    for (const { text, html } of mailer.emails) {
      expect(text + html).not.toContain(credentials.clientId)
      expect(text + html).not.toContain(credentials.clientSecret)
    }
  })
})

describe('the commands of an e-mail', () => {
  it('run in a shell as the mail program shows them', async () => {
    const mailServer = await startMailServer()
    onTestFinished(() => mailServer.close())
    const { url: baseUrl } = await useServer((req, res) => app(req, res))
    const mailer = smtpMailer({ transport: transportTo(mailServer), from: 'developers@example.com' })
    const { auth, app } = openProvider({ onTestFinished }, { baseUrl, mailer })
    app.get('/orders/RESOURCE_PATH', auth.requireBearer('orders'), (_req, res) => void res.json({ orders: [] }))
    app.get('/catalog/RESOURCE_PATH', auth.requireApiKey('catalog'), (_req, res) => void res.json({ items: [] }))
    await auth.registration.register({ name: 'Shop', contact: 'dev@customer.example', apis: ['orders', 'catalog'] })
    await waitForEmails(mailServer.mails, 1)

    const { text = '', html = '' } = await readMail(mailServer.mails[0]!)
    for (const shown of [text, renderText(html)]) {
      const lines = listCommands({ text: shown })
      expect(lines).toHaveLength(3)
      expect(await paste(lines)).toBe('{"orders":[]}{"items":[]}')
    }

    // The e-mail of a new secret: nothing has to be filled in.
    const [first] = (await auth.applications.list()).items
    const { id } = first!
    await auth.applications.rotateSecret(id, { deliver: 'email' })
    await waitForEmails(mailServer.mails, 2)
    expect(await paste(listCommands({ text: (await readMail(mailServer.mails[1]!)).text ?? '' }))).toBe('{"orders":[]}')
  })
})

/** Resolves what a shell prints where these commands are pasted one after the other. */
async function paste(commands: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', commands.join('\n')])
  return stdout
}

describe('what a developer enters at registration', () => {
  let server: MailServer
  let auth: ReturnType<typeof openMailing>
  let tagsOfPlainName: readonly string[]
  beforeAll(async () => {
    // Otherwise it accepts 253 octets at most, one less than RFC 5321 does.
    server = await startMailServer({ lenientAddressParsing: true })
    auth = openMailing(server)
    await auth.ready()
    tagsOfPlainName = listTags((await readMail(await receiveMail('Shop', 'dev@customer.example'))).html ?? '')
  })
  afterAll(async () => {
    await auth.close()
    await server.close()
  })

  function openMailing(mailServer: MailServer) {
    return openPlatform({
      now: Date.now,
      mailer: smtpMailer({
        transport: transportTo(mailServer),
        from: { name: 'Müller & Söhne, "Developers"', address: 'developers@example.com' },
      }),
      apis: {
        catalog: { scheme: 'apiKey', title: `<img src=x onerror=alert(1)> & "Co" 'KG'` },
        orders: { scheme: 'oauth2', registration: 'automatic' },
      },
    }).auth
  }

  const HEADERS = [
    'Auto-Submitted',
    'X-Auto-Response-Suppress',
    'From',
    'To',
    'Subject',
    'Message-ID',
    'Date',
    'MIME-Version',
    'Content-Type',
  ]

  /** The e-mail for it, after a check of all headers. */
  async function receiveMail(name: string, contact: string): Promise<ReceivedMail> {
    const before = server.mails.length
    await auth.registration.register({ name, contact, apis: ['catalog', 'orders'] })
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
    'Shop',
    '"',
    `'; DROP TABLE x; --`,
    '<script>alert(1)</script>',
    '</title><img src=x onerror=alert(1)>',
    '&amp;lt;',
    'Café Ω 店 🛒',
    'שלום עולם',
    'مرحبا',
    '. ',
    '..',
    '-- ',
    "' onmouseover='alert(1)",
    '${name} {{name}} %s %d',
    '$(reboot) `reboot`',
    'x'.repeat(100),
    'Ω'.repeat(100),
    '🛒'.repeat(50),
    'a'.repeat(50) + ' ' + 'b'.repeat(49),
    '=20=0D=0A.=0D=0A',
    '&#60;b&#62;',
    'Acme Inc. Shop 2.0',
    'U.S. Store',
    'Tills @ Acme',
  ])('as the name %j is only a name in the e-mail: no markup, header or recipient', async (name) => {
    const shown = name.trim()
    const {
      from,
      to,
      cc,
      bcc,
      subject,
      text = '',
      html = '',
      attachments,
    } = await readMail(await receiveMail(name, 'dev@customer.example'))
    expect({ from, to, cc, bcc, attachments }).toEqual({
      from: { name: 'Müller & Söhne, "Developers"', address: 'developers@example.com' },
      to: [{ name: '', address: 'dev@customer.example' }],
      cc: undefined,
      bcc: undefined,
      attachments: [],
    })
    // Not the name, which would be the first words that the reader sees.
    expect(subject).toBe('Your credentials for api.example.com')
    const introduction = `Your application “${shown}” is registered at api.example.com.`
    expect(text.split('\n')[0]).toBe(introduction)
    expect(renderText(html)).toContain(introduction)
    expect(listTags(html)).toEqual(tagsOfPlainName)
  })

  it.each([
    'dev@customer.example',
    `o'brien@customer.example`,
    'bcc:dev@customer.example'.slice(4),
    'a+b_c.d@x-y.customer.example',
    'DEV@customer.example',
    `${'l'.repeat(64)}@customer.example`,
    `${'l'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(61)}`,
  ])('as the contact %s is exactly one recipient', async (contact) => {
    const { to, cc, bcc } = await readMail(await receiveMail('Shop', contact))
    expect({ to, cc, bcc }).toEqual({ to: [{ name: '', address: contact }], cc: undefined, bcc: undefined })
  })
})

/** The tags of an HTML e-mail; all must be the template's, with no attribute but its own. */
function listTags(html: string): readonly string[] {
  const tags = html.match(/<[^>]*>/g) ?? []
  const attribute =
    /\s+(?:lang|charset|name|content|class|style|role|width|cellpadding|cellspacing|border|align)="[\w\s.,:;#%=/-]*"/g
  const allowed = /^<(?:!doctype html|\/?(?:html|head|title|style|body|table|tr|td|span|h1|h2|code)|meta \/)>$/
  expect(tags.filter((tag) => !allowed.test(tag.replaceAll(attribute, '').replace(/\s+>$/, '>')))).toEqual([])
  return tags
}
