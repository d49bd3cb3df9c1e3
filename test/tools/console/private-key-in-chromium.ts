import { generateKeyPairSync } from 'node:crypto'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { developerConsole } from '../../../src/tools/console/index.js'
import { listen } from '../../support/http.js'
import { openPlatform } from '../../support/platform.js'
import type { UsePage } from './chromium.js'

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Payments', version: '1' },
  paths: { '/list': { get: { summary: 'List payments', responses: { 200: { description: 'OK' } } } } },
}

async function openBank() {
  const app = express()
  const { port, close } = await listen(app)
  const baseUrl = `http://localhost:${port}`
  const { auth } = openPlatform({
    baseUrl,
    now: Date.now,
    apis: { payments: { scheme: 'oauth2', title: 'Payments', clientAuthentication: ['private_key_jwt'] } },
  })
  app.use(auth.router)
  app.get('/payments/list', auth.requireBearer('payments'), (_req, res) => void res.json(['paid']))
  app.use('/developers', developerConsole(auth, { documents: { payments: DOCUMENT } }))
  onTestFinished(async () => {
    await close()
    await auth.close()
  })
  await auth.ready()
  return { auth, developers: `${baseUrl}/developers` }
}

/** *Authorize* with a private key. */
export function testPrivateKeys(usePage: () => ReturnType<UsePage>): void {
  it('authorizes with a key pair made in the page, and with a pasted private key, which the page then no longer shows', async () => {
    const { auth, developers } = await openBank()
    const page = usePage()
    await page.goto(developers)
    await page.getByText('In openid-client, oauth4webapi,').waitFor()
    await page.goto(`${developers}/apis/payments`)
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    const dialog = page.getByRole('dialog')
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    const keySet = { jwks: { keys: [publicKey.export({ format: 'jwk' })] } }
    const { application } = await auth.applications.create({ name: 'Bank', apis: ['payments'], keySet })
    await dialog.getByLabel('Key', { exact: false }).first().fill(application.id)
    await dialog.getByText('Calls need the key or the id of your application, and its private key.').waitFor()
    expect(await dialog.getByLabel('Secret').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Authorize' }).click()
    await dialog.getByText('Enter a private key').waitFor()
    await dialog.getByRole('button', { name: 'Make a key pair' }).click()
    const made = JSON.parse(await dialog.locator('[role=status] code').innerText()) as object
    await dialog.getByRole('button', { name: 'Authorize' }).click()
    await dialog.getByText('Client authentication failed.').waitFor()
    await auth.applications.addKeySet(application.id, { name: 'page', jwks: made })
    await dialog.getByRole('button', { name: 'Authorize' }).click()
    await dialog.getByText('Authorized.').waitFor()
    await dialog.getByRole('button', { name: 'Forget' }).click()
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
    await dialog.getByLabel('Key', { exact: false }).first().fill(application.id)
    await dialog.getByLabel('Private key').fill(pem)
    await dialog.getByRole('button', { name: 'Authorize' }).click()
    await dialog.getByText('Authorized.').waitFor()
    expect(await page.content()).not.toContain(pem.slice(40, 80))
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByText('List payments').first().click()
    await page.getByRole('button', { name: 'Send' }).first().click()
    await page.getByText('paid').first().waitFor()
  })
}
