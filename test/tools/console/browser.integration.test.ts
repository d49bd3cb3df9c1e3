import { randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import express from 'express'
import type { Browser, Page, Request, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCredentials } from '../../../src/core/applications/credentials/credentials.js'
import { smtpMailer } from '../../../src/features/emails/smtp.js'
import { describePortal } from '../../features/portal/in-chromium.js'
import { describeOperator } from '../operator/in-chromium.js'
import { describeMailScanners } from '../../features/portal/mail-scanners-in-chromium.js'
import { describeClaimPage } from '../../features/registration/claim-in-chromium.js'
import { describeDecisions } from '../../features/registration/decide-in-chromium.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { readMail, startMailServer, transportTo, type MailServer } from '../../support/smtp.js'
import { describeTargets } from '../../shared/web/targets-in-chromium.js'
import { describeOperatorForms } from '../../walks/operator-forms-in-chromium.js'
import { describeHostileTexts } from '../../walks/hostile-in-chromium.js'
import { describeAnswerTypes } from './answer-types-in-chromium.js'
import { launchChromium, sharePage, type UsePage } from './chromium.js'
import { readCatalogWithEveryState, serveEveryState } from './every-state.js'
import { openMockServer, type MockServer } from './mock-server.js'
import { findRealDocument } from './real-documents.js'
import {
  authorize,
  authorizeAndClose,
  call,
  findViolations,
  openOperation,
  openReference,
  operationOf,
  readAnswer,
  readFocus,
  readStatus,
} from './reference-driver.js'
import { DOCUMENTS, listen, openShop, useShop, type Shop } from './shop.js'
import { testPrivateKeys } from './private-key-in-chromium.js'
import { describeTheme } from './theme-in-chromium.js'

/** Each colour scheme and each width; in the long lane each combination. */
const VIEWS = (
  [
    ['light', 1280],
    ['dark', 390],
    ['light', 390],
    ['dark', 1280],
    ['light', 360],
  ] as const
).slice(0, IS_LONG_LANE ? 5 : 2)
/** A large document. GitHub's takes as long as all other tests here, so it is in the long lane only. */
const LARGE = IS_LONG_LANE
  ? ({
      name: 'github',
      operations: 1223,
      webhooks: 270,
      typed: ['r', 're', 'rep', 'repo', 'repos', 'repos webhook'],
      searched: 'emojis',
      path: '/emojis',
    } as const)
  : ({
      name: 'digitalocean',
      operations: 290,
      webhooks: 0,
      typed: ['d', 'da', 'dat', 'data', 'databases', 'databases cluster'],
      searched: 'account',
      path: '/v2/account',
    } as const)

// On a busy machine, all rules in every view of GitHub's reference take more than three minutes.
describe('in Chromium', { timeout: IS_LONG_LANE ? 600_000 : 180_000 }, () => {
  let browser: Browser
  let usePage: UsePage
  let useScriptlessPage: UsePage
  let mailServer: MailServer
  let shop: Shop
  let providers: MockServer
  let key: string
  let secret: string

  beforeAll(async () => {
    mailServer = await startMailServer()
    const transport = transportTo(mailServer)
    shop = await openShop({
      options: { mailer: smtpMailer({ transport, from: 'shop@example.com' }) },
      console: { documents: { ...DOCUMENTS, catalog: await readCatalogWithEveryState() } },
    })
    serveEveryState(shop)
    const names = ['petstore-31', 'petstore-yaml', 'webhooks', LARGE.name] as const
    providers = await openMockServer(new Map(names.map((name) => [name, findRealDocument(name)])))
    browser = await launchChromium()
    usePage = await sharePage(await browser.newContext())
    useScriptlessPage = await sharePage(await browser.newContext({ javaScriptEnabled: false }))
    const { credentials } = await shop.auth.applications.create({ name: 'Till', apis: ['orders', 'catalog'] })
    key = credentials.clientId
    secret = credentials.clientSecret!
  })
  afterAll(async () => {
    await browser?.close()
    await providers?.close()
    await shop?.close()
    await mailServer?.close()
  })

  const getBrowser = (): Browser => browser
  const scripted: UsePage = (allowed) => usePage(allowed)
  const scriptless: UsePage = (allowed) => useScriptlessPage(allowed)
  const referenceOf = (api: 'orders' | 'catalog'): string => `${shop.developers}/apis/${api}`
  const stateOf = (page: Page) => page.locator('header .state[role=status]')

  it('registers, reads the e-mail, authorizes once, calls every operation of both APIs, and forgets when the console is left', async () => {
    const page = usePage()
    await page.goto(shop.developers)
    await page.locator('main').getByRole('link', { name: 'Register an application' }).click()
    await page.getByLabel('Name of your application').fill('Counter')
    await page.getByLabel('E-mail address').fill('counter@example.com')
    await page.getByLabel('Orders').check()
    await page.getByLabel('Catalogue').check()
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()

    const [mail] = await vi.waitFor(() => {
      const mails = mailServer.mailsTo('counter@example.com')
      expect(mails).toHaveLength(1)
      return mails
    }, 60_000)
    const { text = '' } = await readMail(mail!)
    const mailedKey = /epa_key_\w+/.exec(text)![0]
    const mailedSecret = /epa_sec_\w+/.exec(text)![0]

    await page.getByRole('link', { name: 'Reference', exact: true }).click()
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    const wrongSecret = mailedSecret.slice(0, -1) + (mailedSecret.endsWith('x') ? 'y' : 'x')
    await authorize(page, { Key: mailedKey, Secret: wrongSecret })
    await page.getByRole('alert').getByText('The key or the secret is wrong.').waitFor()
    await authorize(page, { Secret: mailedSecret })
    await page.locator('dialog').getByText('Authorized.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await callEverything(page, ['placeOrder', 'listOrders', 'readOrder', 'changeOrder', 'cancelOrder'])).toEqual(
      ['201', '200', '200', '200', '204'],
    )

    // Links between pages of the console are followed without leaving the page.
    await page.getByRole('link', { name: 'Tea shop developers' }).first().click()
    await page.getByRole('heading', { name: 'Build with our APIs' }).waitFor()
    await page.getByRole('link', { name: 'Catalogue', exact: true }).click()
    await stateOf(page).getByText('saved, not checked yet').waitFor()
    expect(
      await callEverything(page, ['addProduct', 'listProducts', 'readProduct', 'changeProduct', 'removeProduct']),
    ).toEqual(['201', '200', '200', '200', '204'])
    await page.goBack()
    await page.goBack()
    expect(await call(page, 'listOrders')).toBe('200')

    expect(await page.context().cookies()).toEqual([])
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    expect(await page.evaluate('indexedDB.databases().then((all) => all.length)')).toBe(0)
    expect(page.url()).not.toMatch(/epa_|eyJ/)
    await page.reload()
    await stateOf(page).getByText('Not authorized').waitFor()
    expect(await call(page, 'listOrders')).toBe('401')
    await authorizeAndClose(page, { Key: mailedKey, Secret: mailedSecret })
    await page.goto(`${shop.developers}/register`)
    await page.goBack()
    await stateOf(page).getByText('Not authorized').waitFor()
  })

  it('shows the credentials behind a claim link', async () => {
    const claims = await useShop({ options: { delivery: 'claim-link' } })
    await claims.auth.registration.register({ name: 'Counter', contact: 'counter@example.com', apis: ['orders'] })
    const link = await vi.waitFor(() => /http\S+\/register\/claim#\S+/.exec(claims.mailer.emails[0]!.text)![0], 60_000)
    const page = usePage()
    await page.goto(link)
    await page.getByRole('button', { name: 'Show my credentials' }).click()
    await page.getByText('epa_sec_').first().waitFor()
    expect(page.url()).toBe(`${claims.developers}/register/claim`)
    expect(await findViolations(page)).toEqual([])
  })

  it('opens no log-in dialog of the browser for a wrong secret', async () => {
    const page = usePage()
    const session = await page.context().newCDPSession(page)
    onTestFinished(() => session.detach())
    const asked: string[] = []
    session.on('Fetch.requestPaused', ({ requestId }) => void session.send('Fetch.continueRequest', { requestId }))
    session.on('Fetch.authRequired', ({ requestId, request: { url } }) => {
      asked.push(url)
      void session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse: { response: 'CancelAuth' } })
    })
    await session.send('Fetch.enable', { handleAuthRequests: true })
    await openReference(page, referenceOf('orders'))
    await authorize(page, { Key: key, Secret: 'wrong' })
    await page.getByRole('alert').getByText('The key or the secret is wrong.').waitFor()
    expect(asked).toEqual([])
    // Control: a request that includes credentials does open the dialog.
    await page.evaluate(
      `fetch('${shop.baseUrl}/orders/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }) })`,
    )
    expect(asked).toEqual([`${shop.baseUrl}/orders/token`])
  })

  it('can be used with the keyboard alone, from arrival to an answered call', async () => {
    const page = usePage()
    await openReference(page, referenceOf('orders'))
    // An operation that is closed is one tab stop.
    const tabStops = await page.evaluate(
      `[...document.querySelectorAll('section.operation')].map((each) => [...each.querySelectorAll('a, button, input, select, textarea, summary, [tabindex]')].filter((stop) => stop.tabIndex >= 0 && stop.checkVisibility()).length)`,
    )
    expect(new Set(tabStops as number[])).toEqual(new Set([1]))

    await page.keyboard.press('/')
    expect(await page.evaluate(`document.activeElement.matches('.search')`)).toBe(true)
    // Several match by what the page has itself, before the other words have been loaded.
    await page.keyboard.type('order')
    const chosen = page.locator('[role=option][aria-selected=true]')
    await chosen.waitFor()
    const first = await chosen.getAttribute('data-key')
    await page.keyboard.press('ArrowDown')
    expect(await chosen.getAttribute('data-key')).not.toBe(first)
    await page.locator('.search').fill('listOrders')
    await expect.poll(() => chosen.getAttribute('data-key')).toBe('listOrders')
    await page.keyboard.press('Enter')
    const operation = operationOf(page, 'listOrders')
    await operation.locator('.execute:enabled').waitFor()
    expect(page.url()).toBe(`${referenceOf('orders')}#listOrders`)
    expect(await page.evaluate(`document.activeElement.closest('.operation')?.id`)).toBe('listOrders')

    await page.locator('header .authorize').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Authorize' }).waitFor()
    expect(await readFocus(page)).toBe('credentials-key')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await readFocus(page)).toBe('Authorize for Orders')
    await page.keyboard.press('Enter')
    await page.keyboard.type(key)
    await page.keyboard.press('Tab')
    await page.keyboard.type(secret)
    await page.keyboard.press('Enter')
    await page.locator('dialog').getByText('Authorized.').waitFor()
    expect(await readFocus(page)).toBe('Close')
    await page.keyboard.press('Enter')
    expect(await readFocus(page)).toBe('Change for Orders')

    await operation.locator('.toggle').focus()
    for (let presses = 0; presses < 20 && (await readFocus(page)) !== 'Send'; presses++) {
      await page.keyboard.press('Tab')
      expect(await readFocus(page)).not.toBe('BODY')
    }
    await page.keyboard.press('Enter')
    expect(await readStatus(operation)).toBe('200')
    expect(await readFocus(page)).toBe('Send')
  })

  it('loads the script of references into the page of samples when it is used, and then does what was asked for', async () => {
    const page = usePage(/net::ERR_FAILED/)
    const requested: string[] = []
    const record = (each: Request): void => void requested.push(each.url())
    page.on('request', record)
    onTestFinished(() => void page.off('request', record))
    const isLoaded = (): boolean =>
      requested.some((url) => /\/assets\/(?:reference|calls)\./.test(url) && url.endsWith('.js'))
    const open = async (): Promise<void> => {
      await page.goto('about:blank')
      requested.length = 0
      await page.goto(`${referenceOf('orders')}/samples`, { waitUntil: 'networkidle' })
      expect(isLoaded()).toBe(false)
    }
    const results = page.locator('[role=option]')

    await open()
    await page.locator('.copyable .copy').first().click()
    await expect.poll(() => page.locator('.copyable .copy').first().textContent()).toMatch(/opied/)
    expect(isLoaded()).toBe(false)
    await page.locator('.search').fill('placeOrder')
    await results.first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${referenceOf('orders')}/operations/placeOrder`)

    await open()
    await page.keyboard.press('/')
    await expect.poll(() => page.evaluate(`document.activeElement.matches('.search')`)).toBe(true)
    await page.keyboard.type('order')
    await results.first().waitFor()
    expect(await page.locator('.search').inputValue()).toBe('order')
    // There is one script by now: one press opens one dialog, and one list on phones.
    await authorize(page, { Key: key, Secret: secret })
    await page.locator('dialog').getByText('Authorized.').waitFor()

    await page.setViewportSize({ width: 390, height: 860 })
    await open()
    await page.locator('.menu').click()
    await page.locator('dialog.sheet[open] .search').waitFor()

    // Another press tries again.
    await page.setViewportSize({ width: 1280, height: 860 })
    await page.route('**/assets/reference.*.js', (route) => route.abort(), { times: 1 })
    await open()
    await page.locator('header .authorize').click()
    await expect.poll(isLoaded).toBe(true)
    await expect
      .poll(async () => {
        await page
          .locator('header .authorize')
          .click({ timeout: 500 })
          .catch(() => undefined)
        return page.getByRole('dialog', { name: 'Authorize' }).count()
      })
      .toBe(1)
  })

  it('opens, scrolls to and focuses the operation that the address names', async () => {
    const page = usePage()
    await openReference(page, `${referenceOf('catalog')}#removeProduct`)
    const focused = () => page.evaluate(`document.activeElement.closest('.operation')?.id`)
    const inView = (id: string) =>
      page.evaluate(
        `{ const { top } = document.getElementById('${id}').getBoundingClientRect(); top >= 0 && top < innerHeight }`,
      )
    await operationOf(page, 'removeProduct').locator('.execute:enabled').waitFor()
    await expect.poll(focused).toBe('removeProduct')
    await expect.poll(() => inView('removeProduct')).toBe(true)
    await page.locator('#sidebar a[data-key="findTeas"]').click()
    await operationOf(page, 'findTeas').locator('.execute:enabled').waitFor()
    await expect.poll(focused).toBe('findTeas')
    await expect.poll(() => inView('findTeas')).toBe(true)
    // A mouse click leaves no outline.
    expect(
      await page.evaluate(
        `document.activeElement.matches(':focus-visible') && getComputedStyle(document.activeElement).outlineStyle !== 'none'`,
      ),
    ).toBe(false)
  })

  it('shows every operation without scripts, on a page of its own', async () => {
    const page = useScriptlessPage()
    await page.setViewportSize({ width: 390, height: 900 })
    await page.goto(referenceOf('catalog'))
    await page.locator('#sidebar .groups a').first().waitFor()
    await operationOf(page, 'addTea').locator('.toggle').click()
    await page.waitForURL(`${referenceOf('catalog')}/operations/addTea`)
    expect(await page.locator('.operation-content .execute').isDisabled()).toBe(true)
    await page.getByText('curl').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  })

  it('works behind a proxy that strips a prefix, with and without a trailing slash', async () => {
    const stripped = await useShop({ path: '/' })
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
    const page = usePage(/status of 404|Refused to apply style/)
    for (const address of [`${developers}?from=mail`, `${developers}/?from=mail`]) {
      await page.goto(address)
      await page.waitForURL(`${developers}/?from=mail`)
      await page.getByRole('button', { name: 'Copy: Token URL' }).waitFor()
    }
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await openOperation(page, 'listOrders')
    expect(page.url()).toBe(`${developers}/apis/orders#listOrders`)
  })

  it('says what is known of a key: incomplete, saved, accepted, replaced, suspended', async () => {
    const { application, credentials } = await shop.auth.applications.create({ name: 'Scales', apis: ['catalog'] })
    const saved = / saved, not checked yet$/
    const page = usePage()
    const state = stateOf(page)
    const alert = page.locator('dialog [role=alert]')
    await openReference(page, referenceOf('catalog'))
    for (const wrong of [
      credentials.clientId.slice(0, -1),
      key.slice(0, -6) + credentials.clientId.slice(-6),
      secret,
    ]) {
      await authorize(page, { Key: wrong })
      await alert.getByText('This is not a complete key: characters are missing or wrong.').waitFor()
      expect(await state.innerText()).toBe('Not authorized')
    }
    // A key whose checksum is right, and which no application has.
    await authorizeAndClose(page, { Key: createCredentials('tea_shop', randomBytes(32)).mint('key', 0).plain })
    expect(await state.innerText()).toMatch(saved)
    expect(await call(page, 'listProducts')).toBe('401')
    await alert.getByText('The API refuses the key: it is unknown, or was replaced by a newer one.').waitFor()
    await authorizeAndClose(page, { Key: credentials.clientId })
    expect(await state.innerText()).toMatch(saved)
    expect(await call(page, 'listProducts')).toBe('200')
    await state
      .getByText(`Authorized as ${credentials.clientId.slice(0, credentials.clientId.indexOf('_key_') + 9)}…`)
      .waitFor()
    await shop.auth.applications.suspend(application.id)
    expect(await call(page, 'listProducts')).toBe('403')
    await alert.getByText('its application is suspended or may not use this API').waitFor()
    expect(await state.innerText()).toBe('Not authorized')
  })

  it('sends what was entered: enums, lists, examples, an edited body, an upload; and shows images', async () => {
    const page = usePage()
    await openReference(page, referenceOf('catalog'))
    await authorizeAndClose(page, { Key: key })

    // Nobody has chosen a kind yet.
    const kinds = await openOperation(page, 'readKind')
    expect(await kinds.locator('.samples pre').innerText()).toContain('/catalog/kinds/green')
    await kinds.getByLabel('kind').selectOption('black')
    await expect.poll(() => kinds.locator('.samples pre').innerText()).toContain('/catalog/kinds/black')

    const teas = await openOperation(page, 'findTeas')
    await teas.locator('.execute').click()
    const kind = teas.getByLabel('kind')
    expect(await kind.getAttribute('aria-invalid')).toBe('true')
    expect(await page.evaluate('document.activeElement.dataset.name')).toBe('kind')
    await teas.getByText('This is required.').waitFor()
    await kind.selectOption('black')
    await teas.getByLabel('sizes').selectOption(['50 g', '100 g'])
    await teas.locator('.execute').click()
    expect(await readStatus(teas)).toBe('200')
    expect(await readAnswer(page, 'findTeas')).toContain('kind=black&sizes=50%20g&sizes=100%20g')

    expect(await call(page, 'readPicture')).toBe('200')
    await page.getByRole('img', { name: 'Answer of GET /picture' }).waitFor()
    await expect.poll(() => page.evaluate(`document.querySelector('.answer img').naturalWidth`)).toBe(1)

    const tea = await openOperation(page, 'addTea')
    const body = tea.locator('[data-role=body]')
    const initial = await body.inputValue()
    await tea.locator('[data-role=example]').selectOption({ label: 'Black tea' })
    expect(await body.inputValue()).toContain('Assam')
    await body.fill('{ "name": ')
    await tea.locator('.execute').click()
    expect(await body.getAttribute('aria-invalid')).toBe('true')
    await body.fill('{ "name": "edited" }')
    await tea.locator('.execute').press('Enter')
    expect(await readStatus(tea)).toBe('200')
    expect(await readAnswer(page, 'addTea')).toContain('edited')
    expect(await readFocus(page)).toBe('Send')
    await tea.getByRole('button', { name: 'Reset' }).press('Enter')
    expect(await body.inputValue()).toBe(initial)
    expect(await readFocus(page)).toBe('Reset')

    const picture = await openOperation(page, 'addPicture')
    await picture.locator('.execute').click()
    await picture.getByText('Choose a file.').waitFor()
    await picture
      .locator('input[type=file]')
      .setInputFiles({ name: 'tea.txt', mimeType: 'text/plain', buffer: Buffer.from('tea') })
    await picture.getByLabel('title').fill('Sencha')
    await picture.locator('.execute').click()
    expect(await readStatus(picture)).toBe('200')
    expect(await readAnswer(page, 'addPicture')).toMatch(/filename=\\"tea.txt[^]*Sencha/)
  })

  it('calls the operations of real documents: OpenAPI 3.1 as JSON and YAML', async () => {
    const page = usePage()
    for (const api of ['petstore-31', 'petstore-yaml']) {
      await openReference(page, `${providers.developers}/apis/${api}`)
      await authorizeAndClose(page, { Key: providers.credentials.key, Secret: providers.credentials.secret })
      expect(await call(page, 'getPetById', '7')).toBe('200')
      expect(providers.received.at(-1)).toMatchObject({ method: 'GET', url: '/pet/7', status: 200 })
      const added = await openOperation(page, 'placeOrder')
      await added.locator('.execute').click()
      expect(await readStatus(added)).toBe('200')
      expect(providers.received.at(-1)!.headers['content-type']).toBe('application/json')
    }
    await page.goto(`${providers.developers}/apis/webhooks`)
    await page.getByText('newPet').first().waitFor()
  })

  it('finds operations of a large document while somebody types, and calls one', async () => {
    const page = usePage()
    const { operations, webhooks, typed, searched, path } = LARGE
    await openReference(page, `${providers.developers}/apis/${LARGE.name}`)
    expect(await page.locator('section.operation').count()).toBe(operations + webhooks)
    expect(await sumCounts(page)).toBeGreaterThanOrEqual(operations + webhooks)
    await page.keyboard.press('/')
    // Its other words are loaded when it is first focused.
    await page.waitForLoadState('networkidle')
    const milliseconds: number[] = []
    for (const words of typed) milliseconds.push(await measureSearch(page, words))
    process.stdout.write(
      `search among ${operations} operations: ${milliseconds.map(Math.round).join(', ')} ms per key\n`,
    )
    // 50 ms on an idle machine, with 1,223 operations.
    expect(Math.min(...milliseconds)).toBeLessThan(500)
    const options = page.locator('[role=option]')
    expect(await options.count()).toBe(31)
    const [, all = ''] = /^Show all (\d+)$/.exec((await options.last().textContent()) ?? '') ?? []
    expect(await page.locator('#sidebar .count').textContent()).toBe(`${all} matches, the best 30 are shown`)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect.poll(() => options.count()).toBe(Number(all))
    expect(await page.locator('#sidebar .count').textContent()).toBe(`${all} matches`)
    expect(await options.nth(30).getAttribute('aria-selected')).toBe('true')
    await page.locator('.search').fill(searched)
    await page.locator('[role=option][aria-selected=true]').filter({ hasText: path }).waitFor()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.evaluate(`document.activeElement.closest('.operation')?.querySelector('.path')?.textContent`))
      .toBe(path)
    if (IS_LONG_LANE) expect(await findViolations(page)).toEqual([])
    const { key: Key, secret: Secret } = providers.credentials
    await authorizeAndClose(page, LARGE.name === 'github' ? { Key } : { Key, Secret })
    const operation = page.locator('.operation:has(form.call)')
    await operation.locator('.execute').click()
    expect(await readStatus(operation)).toBe('200')
    expect(providers.received.at(-1)).toMatchObject({ method: 'GET', url: path, status: 200 })
  })

  it('keeps what somebody has chosen in a search, and all matches, while the other words are still being loaded', async () => {
    const page = usePage()
    const held: Route[] = []
    await page.route('**/search.json', (route) => void held.push(route))
    await openReference(page, `${providers.developers}/apis/${LARGE.name}`)
    await page.keyboard.press('/')
    await expect.poll(() => held.length).toBe(1)
    const options = page.locator('[role=option]')
    const chosen = page.locator('[role=option][aria-selected=true]')
    await page.locator('.search').fill(LARGE.typed[4])
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.locator('[role=option].more').waitFor({ state: 'detached' })
    for (let at = 0; at < 3; at++) await page.keyboard.press('ArrowDown')
    const key = await chosen.getAttribute('data-key')
    const before = await options.count()
    await held[0]!.continue()
    // Some operations have the word in their descriptions only.
    await expect.poll(() => options.count()).toBeGreaterThan(before)
    expect(await chosen.getAttribute('data-key')).toBe(key)
    expect(await page.locator('.search').getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(`document.activeElement.closest('.operation')?.id`)).toBe(key)
  })

  // Here, because each browser takes four seconds of processor time.
  describe.each<[string, () => void]>([
    ['the portal', () => describePortal(getBrowser, scriptless)],
    ['hostile texts', () => describeHostileTexts(getBrowser)],
    ['forms of the operator’s pages', () => describeOperatorForms(getBrowser)],
    ['the operator’s pages', () => describeOperator(getBrowser, scriptless)],
    ['mail scanners that open every link of every e-mail', () => describeMailScanners(scripted)],
    ['the page on which operators decide', () => describeDecisions(scripted, scriptless)],
    ['the page behind a claim link', () => describeClaimPage(scripted)],
    ['an answer', () => describeAnswerTypes(getBrowser)],
    ['controls on phones', () => describeTargets(getBrowser)],
    ['Authorize with a private key', () => testPrivateKeys(scripted)],
    ['light and dark pages', () => describeTheme(scripted, scriptless)],
  ])('%s', (_, describePart) => {
    describePart()
  })

  it('offers to authorize where a call carried no credential, and then sends it again', async () => {
    const page = usePage()
    await openReference(page, `${referenceOf('orders')}/operations/listOrders`)
    await page.locator('.execute').click()
    await page.getByRole('button', { name: 'Authorize and send again' }).click()
    await authorize(page, { Key: key, Secret: secret })
    await page.locator('.answer .outcome.good').waitFor()
    expect(await page.locator('dialog').count()).toBe(0)
    // Short JSON is copied: as a file it would be noise.
    expect(await page.locator('.answer .download').count()).toBe(0)
  })

  it('focuses the search when a phone opens the list of operations', async () => {
    const page = usePage()
    await page.setViewportSize({ width: 390, height: 900 })
    await openReference(page, referenceOf('orders'))
    await page.locator('header .menu').click()
    expect(await readFocus(page)).toBe('Search operations')
  })

  it('shows a phone the list of operations by its name, without the keyboard of a search over it', async () => {
    const page = usePage()
    await page.setViewportSize({ width: 390, height: 900 })
    for (const path of ['', '/operations/placeOrder', '/schemas', '/samples']) {
      await page.goto(referenceOf('orders') + path)
      const button = page.getByRole('button', { name: /^Operations \d+$/ })
      await button.click()
      await page.locator('dialog.sheet[open]').getByRole('link', { name: 'Overview' }).waitFor()
      expect(await readFocus(page)).toBe('Close')
      expect(await button.getAttribute('aria-expanded')).toBe('true')
      await page.keyboard.press('Escape')
      expect(await readFocus(page)).toMatch(/^Operations/)
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await expect.poll(() => page.locator('main .list').isVisible()).toBe(false)
  })

  it('shows the whole body in the editor, however its lines wrap', async () => {
    const page = usePage()
    await openReference(page, `${referenceOf('orders')}/operations/placeOrder`)
    await page.setViewportSize({ width: 320, height: 900 })
    const editor = page.locator('[data-role=body]')
    await editor.fill(JSON.stringify({ note: 'A gift, please wrap it. '.repeat(12) }, null, 2))
    expect(await editor.evaluate((each) => each.scrollHeight - each.clientHeight)).toBeLessThanOrEqual(0)
  })

  it('says in German what its script says, from one page to the next', async () => {
    const context = await browser.newContext({ locale: 'de-DE' })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await openReference(page, referenceOf('orders'))
    await page.getByRole('button', { name: 'Autorisieren für Orders' }).click()
    const dialog = page.locator('dialog.credentials')
    await dialog.getByRole('button', { name: 'Autorisieren' }).click()
    await dialog.getByRole('alert').getByText('Geben Sie den Schlüssel ein.').waitFor()
    await dialog.getByRole('button', { name: 'Abbrechen' }).click()
    await page.locator('header .home').click()
    await page.getByRole('link', { name: 'Catalogue', exact: true }).click()
    await page.getByText('Nicht autorisiert').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('list')
    await page.getByText('Treffer').first().waitFor()
  })

  const pages: [name: string, show: (page: Page) => Promise<unknown>][] = [
    ['index', (page) => page.goto(shop.developers)],
    ['register', (page) => page.goto(`${shop.developers}/register`)],
    ['claim', (page) => page.goto(`${shop.developers}/register/claim`)],
    [
      'an enum, examples, an upload, an image, a deprecated operation, an edited body, a problem of a field, answers',
      async (page) => {
        await openReference(page, referenceOf('catalog'))
        await authorizeAndClose(page, { Key: key })
        for (const each of ['addPicture', 'removeTeas', 'findTeas', 'addTea']) await openOperation(page, each)
        await call(page, 'readPicture')
        await operationOf(page, 'addTea').locator('[data-role=body]').fill('{}')
        await call(page, 'addTea')
        await operationOf(page, 'findTeas').locator('.execute').click()
        await page.getByText('This is required.').waitFor()
      },
    ],
    [
      'a wrong secret',
      async (page) => {
        await openReference(page, referenceOf('orders'))
        await authorize(page, { Key: key, Secret: 'wrong' })
        await page.getByRole('alert').getByText('The key or the secret is wrong.').waitFor()
      },
    ],
    [
      'a busy dialog',
      async (page) => {
        // The token endpoint does not answer.
        await page.route('**/orders/token', () => undefined)
        await openReference(page, referenceOf('orders'))
        await authorize(page, { Key: key, Secret: secret })
        await page.getByText('Authorizing…').waitFor()
      },
    ],
    [
      'the sidebar as a sheet',
      async (page) => {
        await page.setViewportSize({ width: 390, height: 900 })
        await openReference(page, referenceOf('orders'))
        await page.locator('header .menu').click()
        await page.locator('dialog.sheet #sidebar').waitFor()
      },
    ],
    ['a page of one operation', (page) => openReference(page, `${referenceOf('catalog')}/operations/addTea`)],
    ...(IS_LONG_LANE
      ? ([['1,223 operations', (page: Page) => openReference(page, `${providers.developers}/apis/github`)]] as const)
      : []),
  ] as [string, (page: Page) => Promise<unknown>][]

  it.each(pages)('has no accessibility violations: %s', async (name, show) => {
    const page = usePage()
    await show(page)
    const isSheet = name.includes('sheet')
    const views = VIEWS.filter(([, width]) => !isSheet || width < 1000)
    for (const [at, [colorScheme, width]] of views.entries()) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      // The colours of the other scheme fade.
      await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)))
      // What has scrolled below a head that stays in view is no smaller for that.
      await page.evaluate('scrollTo(0, 0)')
      expect(await page.evaluate('document.documentElement.scrollWidth'), `at ${width} pixels`).toBeLessThanOrEqual(
        width,
      )
      expect(await findMisplaced(page), `at ${width} pixels`).toEqual([])
      const rules = at === 0 || IS_LONG_LANE ? 'all' : 'colours'
      expect(await findViolations(page, { rules }), `${colorScheme}, ${width} pixels`).toEqual([])
    }
  })
})

/** Calls operations in that order: the first creates something, which the others name. */
async function callEverything(page: Page, keys: readonly string[]): Promise<string[]> {
  const statuses: string[] = []
  let made = ''
  for (const key of keys) {
    statuses.push(await call(page, key, made))
    const { id, sku } = JSON.parse((await readAnswer(page, key)) ?? '{}') as Record<string, string | undefined>
    made ||= sku ?? id ?? ''
  }
  return statuses
}

/** The counts of the groups in the sidebar, in all. */
async function sumCounts(page: Page): Promise<number> {
  const counts = await page.locator('#sidebar .groups summary .size').allInnerTexts()
  return counts.reduce((sum, count) => sum + Number(count), 0)
}

/** How long the script and the layout take for what a key press leads to; the best of three. */
async function measureSearch(page: Page, text: string): Promise<number> {
  return page.evaluate(`(() => {
    const input = document.querySelector('.search')
    return Math.min(...[1, 2, 3].map(() => {
      input.value = ''
      input.dispatchEvent(new Event('input', { bubbles: true }))
      document.body.offsetHeight
      const start = performance.now()
      input.value = ${JSON.stringify(text)}
      input.dispatchEvent(new Event('input', { bubbles: true }))
      document.body.offsetHeight
      return performance.now() - start
    }))
  })()`)
}

/** Copy buttons outside of what they copy, and texts of the start page's opening that do not begin at its left edge. */
function findMisplaced(page: Page): Promise<unknown> {
  return page.evaluate(() => {
    const isInside = (inner: DOMRect, outer: DOMRect): boolean =>
      inner.top >= outer.top && inner.bottom <= outer.bottom && inner.left >= outer.left && inner.right <= outer.right
    const copies = [...document.querySelectorAll('.copy')].filter((each) => each.getClientRects().length > 0)
    const outside = copies.filter((each) => {
      const box = each.closest('.examples') ?? each.closest('.copyable, .samples')
      return box !== null && !isInside(each.getBoundingClientRect(), box.getBoundingClientRect())
    })
    const opening = document.querySelector('.opening')
    const texts = opening ? [...opening.querySelectorAll(':scope > :is(h1, .lead, .steps)')] : []
    const shifted = texts.filter((each) => each.getBoundingClientRect().left !== opening!.getBoundingClientRect().left)
    return [...outside, ...shifted].map(({ className, textContent }) => `${className}: ${textContent}`)
  })
}
