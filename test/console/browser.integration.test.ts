import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { source as axe } from 'axe-core'
import express from 'express'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCredentials } from '../../src/applications/credentials.js'
import { smtpMailer } from '../../src/mailers/smtp.js'
import { describePortal } from '../portal/in-chromium.js'
import { readMail, startMailServer, transportTo, type MailServer } from '../support/smtp.js'
import { DOCUMENTS, listen, openShop } from './shop.js'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const available = existsSync(CHROMIUM)
const MISSING = `There is no ${CHROMIUM}. Debian's is installed by: apt-get install -y chromium. Or set CHROMIUM to where one is.`
// Without these flags, the browser looks for updates and waits for a network that tests must not need.
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] // prettier-ignore

if (!available) process.stderr.write(`test/console/browser.integration.test.ts is skipped, except in CI. ${MISSING}\n`)

describe.skipIf(!available && process.env['CI'] !== 'true')('in Chromium', { timeout: 180_000 }, () => {
  let browser: Browser
  let context: BrowserContext
  let mailServer: MailServer
  let shop: Awaited<ReturnType<typeof openShop>>
  let key: string
  let secret: string

  beforeAll(async () => {
    if (!available) throw new Error(MISSING)
    mailServer = await startMailServer()
    const transport = transportTo(mailServer, { socketTimeout: 10_000, greetingTimeout: 10_000 })
    shop = await openShop({
      options: { mailer: smtpMailer({ transport, from: 'shop@example.com' }) },
      console: { documents: { ...DOCUMENTS, catalog: await addPictures(DOCUMENTS.catalog) } },
    })
    servePictures(shop)
    browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET })
    // One for all tests, so that Swagger UI is loaded and compiled once.
    context = await browser.newContext()
    const { credentials } = await shop.auth.applications.create({ name: 'Till', apis: ['orders', 'catalog'] })
    key = credentials.clientId
    secret = credentials.clientSecret!
  })
  afterAll(async () => {
    await browser?.close()
    await shop?.close()
    await mailServer?.close()
  })

  /** A new page. The test fails at its end if a request left this host or the page violated its CSP. */
  async function newPage(allowed?: RegExp): Promise<Page> {
    const { page, errors } = await openPage(allowed)
    onTestFinished(async () => {
      await page.close()
      expect(errors).toEqual([])
    })
    return page
  }

  /** A new page, and what it does wrong. */
  async function openPage(allowed = /status of 40/): Promise<{ page: Page; errors: string[] }> {
    const page = await context.newPage()
    const errors: string[] = []
    page.on('request', (each) => {
      if (!/^(?:http:\/\/localhost:|data:|blob:)/.test(each.url())) errors.push(`request: ${each.url()}`)
    })
    page.on('console', (each) => {
      if (each.type() === 'error' && !allowed.test(each.text())) errors.push(each.text())
    })
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('dialog', (dialog) => errors.push(`dialog: ${dialog.message()}`))
    return { page, errors }
  }

  async function openReference(page: Page, api: string, { developers } = shop): Promise<void> {
    await page.goto(`${developers}/apis/${api}`)
    await page.locator('.opblock').first().waitFor()
  }

  async function authorize(page: Page, values: Record<string, string>): Promise<void> {
    if (!(await page.locator('dialog').isVisible()))
      await page.getByRole('button', { name: 'Authorize', exact: true }).click()
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label).fill(value)
    await page.locator('dialog').getByRole('button', { name: 'Authorize' }).click()
  }

  it('registers, reads the e-mail, authorizes, calls every operation, leaves and comes back without credentials', async () => {
    const page = await newPage()
    await page.goto(shop.developers)
    await page.getByRole('link', { name: 'Register an application' }).click()
    await page.getByLabel('Name of your application').fill('Counter')
    await page.getByLabel('E-mail address').fill('counter@example.com')
    await page.getByLabel('Orders').check()
    await page.getByLabel('Catalogue').check()
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()

    const [mail] = await vi.waitFor(() => {
      const mails = mailServer.mailsTo('counter@example.com')
      expect(mails).toHaveLength(1)
      return mails
    }, 15_000)
    const { text = '' } = await readMail(mail!)
    const mailedKey = /epa_key_\w+/.exec(text)![0]
    const mailedSecret = /epa_sec_\w+/.exec(text)![0]

    await page.getByRole('link', { name: 'All APIs' }).click()
    await page.getByRole('link', { name: 'Open the reference of Orders' }).click()
    const wrongSecret = mailedSecret.slice(0, -1) + (mailedSecret.endsWith('x') ? 'y' : 'x')
    await authorize(page, { Key: mailedKey, Secret: wrongSecret })
    await page.getByRole('alert').getByText('Client authentication failed').waitFor()
    await authorize(page, { Secret: mailedSecret })
    await page.locator('dialog').getByText('Authorized.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await callEverything(page, DOCUMENTS.orders, 'id')).toEqual({
      placeOrder: '201',
      listOrders: '200',
      readOrder: '200',
      changeOrder: '200',
      cancelOrder: '204',
    })

    await page.getByRole('link', { name: 'Tea shop developers' }).click()
    await page.getByRole('heading', { name: 'Tea shop developers' }).waitFor()
    await page.goBack()
    await page.getByText('Calls need key and secret of your application.').waitFor()
    expect(await call(page, 'listOrders')).toBe('401')

    await page.getByRole('link', { name: 'Tea shop developers' }).click()
    await page.getByRole('link', { name: 'Open the reference of Catalogue' }).click()
    expect(await call(page, 'listProducts')).toBe('401')
    await authorize(page, { Key: mailedKey })
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await callEverything(page, DOCUMENTS.catalog, 'sku')).toEqual({
      addProduct: '201',
      listProducts: '200',
      readProduct: '200',
      changeProduct: '200',
      removeProduct: '204',
    })
    expect(await page.context().cookies()).toEqual([])
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    expect(await page.evaluate('indexedDB.databases().then((all) => all.length)')).toBe(0)
    expect(page.url()).toBe(`${shop.developers}/apis/catalog`)
    await page.reload()
    await page.getByText('Calls need the key of your application.').waitFor()
  })

  it('shows the credentials behind a claim link', async () => {
    const claims = await openShop({ options: { delivery: 'claim-link' } })
    onTestFinished(() => claims.close())
    await claims.auth.applications.register({ name: 'Counter', contact: 'counter@example.com', apis: ['orders'] })
    const link = await vi.waitFor(() => /http\S+\/register\/claim#\S+/.exec(claims.mailer.emails[0]!.text)![0], 10_000)
    const page = await newPage()
    await page.goto(link)
    await page.getByRole('button', { name: 'Show my credentials' }).click()
    await page.getByText('epa_sec_').waitFor()
    expect(page.url()).toBe(`${claims.developers}/register/claim`)
    expect(await violations(page)).toEqual([])
  })

  it('opens no log-in dialog of the browser for a wrong secret', async () => {
    const page = await newPage()
    const session = await page.context().newCDPSession(page)
    const asked: string[] = []
    session.on('Fetch.requestPaused', ({ requestId }) => void session.send('Fetch.continueRequest', { requestId }))
    session.on('Fetch.authRequired', ({ requestId, request: { url } }) => {
      asked.push(url)
      void session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse: { response: 'CancelAuth' } })
    })
    await session.send('Fetch.enable', { handleAuthRequests: true })
    await openReference(page, 'orders')
    await authorize(page, { Key: key, Secret: 'wrong' })
    await page.getByRole('alert').getByText('Client authentication failed').waitFor()
    expect(asked).toEqual([])
    // Control: a request that includes credentials does open the dialog.
    await page.evaluate(
      `fetch('${shop.baseUrl}/orders/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }) })`,
    )
    expect(asked).toEqual([`${shop.baseUrl}/orders/token`])
  })

  it('can be used with the keyboard alone', async () => {
    const page = await newPage()
    await openReference(page, 'orders')
    const focused = (): Promise<unknown> =>
      page.evaluate(`document.activeElement.id || document.activeElement.textContent.trim()`)
    const button = page.getByRole('button', { name: 'Authorize', exact: true })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Authorize: Orders' }).waitFor()
    expect(await focused()).toBe('key')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await focused()).toBe('Authorize')
    await page.keyboard.press('Enter')
    await page.keyboard.type(key)
    await page.keyboard.press('Tab')
    await page.keyboard.type(secret)
    await page.keyboard.press('Enter')
    await page.locator('dialog').getByText('Authorized.').waitFor()
    expect(await focused()).toBe('Close')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Authorize')
  })

  it('works behind a proxy that strips a prefix, with and without a trailing slash', async () => {
    const stripped = await openShop({ path: '/' })
    onTestFinished(() => stripped.close())
    const proxy = createServer(
      express().use('/company/developers', (req, res) => {
        const { headers, method } = req
        req.pipe(
          request(stripped.baseUrl + req.url, { headers, method }, (answer) => {
            res.writeHead(answer.statusCode!, answer.headers)
            answer.pipe(res)
          }),
        )
      }),
    )
    const developers = `http://localhost:${await listen(proxy)}/company/developers`
    onTestFinished(() => void proxy.close())
    // Without the slash, the style sheet is requested beside the console.
    const page = await newPage(/status of 404|Refused to apply style/)
    for (const address of [`${developers}?from=mail`, `${developers}/?from=mail`]) {
      await page.goto(address)
      await page.waitForURL(`${developers}/?from=mail`)
      await page.getByRole('button', { name: 'Copy: Token address' }).waitFor()
    }
    await page.getByRole('link', { name: 'Open the reference of Orders' }).click()
    await page.locator('.opblock').first().waitFor()
  })

  it('says what is known of a key: incomplete, saved, accepted, replaced, suspended', async () => {
    const { application, credentials } = await shop.auth.applications.create({ name: 'Scales', apis: ['catalog'] })
    const saved = 'Key saved, not checked yet. Calls carry the key until you leave this page.'
    const page = await newPage()
    const state = page.locator('.authorize-bar [role=status]')
    const alert = page.getByRole('alert')
    await openReference(page, 'catalog')
    for (const wrong of [
      credentials.clientId.slice(0, -1),
      key.slice(0, -6) + credentials.clientId.slice(-6),
      secret,
    ]) {
      await authorize(page, { Key: wrong })
      await alert.getByText('This is not a complete key: characters are missing or wrong.').waitFor()
      expect(await state.innerText()).toBe('Calls need the key of your application.')
    }
    // A key whose checksum is right, and which no application has.
    await authorize(page, { Key: createCredentials('tea_shop', randomBytes(32)).mint('key', 0).plain })
    await page.locator('dialog').getByText(saved).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await call(page, 'listProducts')).toBe('401')
    await alert.getByText('The API refuses the key: it is unknown, or was replaced by a newer one.').waitFor()
    await authorize(page, { Key: credentials.clientId })
    await page.getByRole('button', { name: 'Close' }).click()
    await page.locator('[id$="-listProducts"]').getByRole('button', { name: 'Clear' }).click()
    expect(await state.innerText()).toBe(saved)
    expect(await call(page, 'listProducts')).toBe('200')
    await state.getByText('Authorized. Calls carry the key until you leave this page.').waitFor()
    await shop.auth.applications.suspend(application.id)
    await page.locator('[id$="-listProducts"]').getByRole('button', { name: 'Clear' }).click()
    expect(await call(page, 'listProducts')).toMatch(/^403/)
    await alert.getByText('its application is suspended or may not use this API').waitFor()
    expect(await state.innerText()).toBe('Calls need the key of your application.')
  })

  it('can always execute an operation, and reset its body, whatever was edited', async () => {
    const page = await newPage()
    await openReference(page, 'catalog')
    await authorize(page, { Key: key })
    await page.getByRole('button', { name: 'Close' }).click()
    // Executed as soon as there is a button, while Swagger UI still resolves the operation.
    const early = page.waitForRequest(`${shop.baseUrl}/catalog/picture`)
    await page.evaluate(`{
      const block = document.querySelector('[id$="-readPicture"]')
      new MutationObserver((_, observer) => {
        const execute = block.querySelector('.execute')
        if (execute) observer.disconnect()
        execute?.click()
      }).observe(block, { childList: true, subtree: true })
      block.querySelector('.opblock-summary-control').click()
    }`)
    await early
    // The CSP must allow images. Swagger UI gives them no name.
    const picture = page.getByRole('img', { name: 'Response body' })
    await picture.waitFor()
    await expect.poll(() => page.evaluate(`document.querySelector('img[alt]').naturalWidth`)).toBe(1)
    for (const [operationId, field] of [
      ['addProduct', 'textarea'],
      ['addPicture', 'input[type=text]'],
    ] as const) {
      const block = page.locator(`[id$="-${operationId}"]`)
      const buttons = (): Promise<string[]> => block.locator('.opblock-body .btn:visible').allInnerTexts()
      await block.locator('.opblock-summary-control').click()
      const input = block.locator(field)
      const initial = await input.inputValue()
      expect(await buttons()).toEqual(['Execute', 'Reset body'])
      await input.fill('edited')
      await block.getByRole('button', { name: 'Reset body' }).click()
      expect(await input.inputValue()).toBe(initial)
      expect(await buttons()).toEqual(['Execute', 'Reset body'])
      if (operationId === 'addPicture') {
        await block.locator('.execute').click()
        await page.getByRole('alert').getByText('The request body lacks a required value.').waitFor()
        await block
          .locator('input[type=file]')
          .setInputFiles({ name: 'tea.txt', mimeType: 'text/plain', buffer: Buffer.from('tea') })
      }
      await input.fill(operationId === 'addPicture' ? 'Sencha' : '{ "sku": "edited" }')
      await block.locator('.execute').press('Enter')
      await block.locator('.live-responses-table').waitFor()
      expect(await answerOf(page, operationId)).toContain(
        operationId === 'addPicture' ? 'filename=\\"tea.txt' : 'edited',
      )
      expect(await buttons()).toEqual(['Execute', 'Reset body', 'Clear'])
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Execute')
      await block.getByRole('button', { name: 'Clear' }).press('Enter')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Execute')
    }
  })

  describe('the portal', () => {
    describePortal(() => browser, violations)
  })

  // Each page is opened once, in light, and follows the change to dark.
  const opened = new Map<string, Awaited<ReturnType<typeof openPage>>>()

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    const pages: [name: string, show: (page: Page) => Promise<unknown>][] = [
      ['index', (page) => page.goto(shop.developers)],
      ['register', (page) => page.goto(`${shop.developers}/register`)],
      ['claim', (page) => page.goto(`${shop.developers}/register/claim`)],
      ['reference', (page) => openReference(page, 'orders')],
      [
        'wrong-secret',
        async (page) => {
          await openReference(page, 'orders')
          await authorize(page, { Key: key, Secret: 'wrong' })
          await page.getByRole('alert').waitFor()
        },
      ],
      [
        'called',
        async (page) => {
          await openReference(page, 'catalog')
          await authorize(page, { Key: key })
          await page.getByRole('button', { name: 'Close' }).click()
          await call(page, 'listProducts')
          await call(page, 'addProduct')
          await page.getByRole('button', { name: 'Schemas' }).click()
        },
      ],
    ]

    it.each(pages)('has no accessibility violations: %s', async (name, show) => {
      const { page, errors } = opened.get(name) ?? (await openPage())
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width: 1280, height: 900 })
      if (!opened.has(name)) await show(page)
      opened.set(name, { page, errors })
      // The colours of the other scheme fade.
      await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)))
      for (const width of [1280, 390, 360]) {
        await page.setViewportSize({ width, height: 900 })
        expect(await page.evaluate('document.documentElement.scrollWidth'), `at ${width} pixels`).toBeLessThanOrEqual(
          width,
        )
        expect(await violations(page), `at ${width} pixels`).toEqual([])
      }
      expect(errors).toEqual([])
    })
  })
})

/** The document with an operation that answers with an image, and one that takes a file. */
async function addPictures(file: string): Promise<object> {
  const document = JSON.parse(await readFile(file, 'utf8')) as { paths: object }
  const responses = { default: { description: 'A picture.' } }
  const fields = { file: { type: 'string', format: 'binary' }, title: { type: 'string', example: 'Tea' } }
  const form = { schema: { type: 'object', required: ['file'], properties: fields } }
  const requestBody = { required: true, content: { 'multipart/form-data': form } }
  const picture = {
    get: { operationId: 'readPicture', responses },
    post: { operationId: 'addPicture', requestBody, responses },
  }
  return { ...document, paths: { ...document.paths, '/picture': picture } }
}

/** Answers with a PNG of one pixel, or with the request. */
function servePictures({ app, auth }: Awaited<ReturnType<typeof openShop>>): void {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  app.use('/catalog/picture', auth.requireApiKey('catalog'))
  app.get('/catalog/picture', (_req, res) => void res.type('png').send(Buffer.from(png, 'base64')))
  app.post('/catalog/picture', express.text({ type: 'multipart/form-data' }), (req, res) => void res.json(req.body))
}

/** Every operation of a document: the one that creates first, the one that deletes last. */
async function callEverything(page: Page, file: string, id: 'id' | 'sku'): Promise<Record<string, string>> {
  const { paths } = JSON.parse(await readFile(file, 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>
  }
  const statuses: Record<string, string> = {}
  let made = ''
  for (const method of ['post', 'get', 'put', 'delete']) {
    for (const operations of Object.values(paths)) {
      const operationId = operations[method]?.operationId
      if (operationId === undefined) continue
      statuses[operationId] = await call(page, operationId, made)
      const { [id]: name } = JSON.parse((await answerOf(page, operationId)) || '{}') as Record<string, string>
      made ||= name!
    }
  }
  return statuses
}

/** Opens an operation if it is closed, executes it with that value for its path, and resolves the status shown. */
async function call(page: Page, operationId: string, value = ''): Promise<string> {
  const block = page.locator(`[id$="-${operationId}"]`)
  if ((await block.locator('.execute').count()) === 0) await block.locator('.opblock-summary-control').click()
  await block.locator('.opblock-loading-animation').waitFor({ state: 'detached' })
  const inPath = block.locator('.parameters tr[data-param-in="path"] input')
  if ((await inPath.count()) > 0) await inPath.fill(value)
  await block.locator('.execute').click()
  return (await block.locator('.live-responses-table tbody .response-col_status').innerText()).trim()
}

async function answerOf(page: Page, operationId: string): Promise<string | undefined> {
  const answer = page.locator(`[id$="-${operationId}"] .live-responses-table .highlight-code pre`)
  return (await answer.count()) > 0 ? answer.first().innerText() : undefined
}

/** The violations that axe-core finds: WCAG 2.2 AA and best practices. */
async function violations(page: Page): Promise<unknown> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const { violations: found } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] })`,
  )
  return found.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))])
}
