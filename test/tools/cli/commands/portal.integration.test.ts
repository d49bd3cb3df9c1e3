import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'
import { openLink, openPortal } from '../../../features/portal/portal-app.js'
import { createBrowser } from '../../../features/portal/browser.js'
import { CONFIG, createSite, expectRefused, runInProcess } from '../command-line.js'

const CONTACT = 'dev@shop.example'

afterEach(() => vi.unstubAllEnvs())

it('portal link prints a link that a running server accepts, and portal sign-out ends its session', async () => {
  let id = ''
  const site = await createSite(async ({ applications }) => {
    id = (await applications.create({ name: 'Shop', contact: CONTACT, apis: ['catalog'] })).application.id
  })
  vi.stubEnv('CLI_FILE', site.file)
  vi.stubEnv('CLI_MAIL', join(site.folder, 'emails'))
  const server = openPortal({ store: sqliteStore(site.file), now: Date.now })
  const links: string[] = []
  for (const args of [
    ['--contact', CONTACT],
    ['--application', id],
  ]) {
    const { code, stdout } = await runInProcess(['portal', 'link', ...args, '--config', CONFIG])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^https:\/\/example\.com\/developers\/applications\/sign-in#[A-Za-z0-9_-]{43}\n$/)
    links.push(stdout.trim())
  }
  const browser = createBrowser(server.app)
  await openLink(browser, links[0]!)
  expect(browser.page.text).toContain('Sign out')
  const signedOut = await runInProcess(['portal', 'sign-out', CONTACT, '--db', site.file])
  expect(signedOut).toMatchObject({ code: 0, stdout: `Signed ${CONTACT} out.\n` })
  expect((await browser.get()).text).not.toContain('Sign out')
  await openLink(browser, links[1]!)
  expect(browser.page.status).toBe(400)
  await server.auth.close()
})

it('portal link needs one contact or one application, which exists', async () => {
  const site = await createSite()
  vi.stubEnv('CLI_FILE', site.file)
  vi.stubEnv('CLI_MAIL', join(site.folder, 'emails'))
  const link = (...args: readonly string[]) => runInProcess(['portal', 'link', ...args, '--config', CONFIG])
  for (const args of [[], ['--contact', CONTACT, '--application', 'app_1']]) {
    const refused = {
      code: 2,
      stderr: expect.stringContaining('needs either --contact ADDRESS or --application ID') as unknown,
    }
    expect(await link(...args)).toMatchObject(refused)
  }
  const stderr: unknown = expect.stringContaining(`${CONTACT} is the contact of no application.`)
  expect(await link('--contact', CONTACT)).toMatchObject({ code: 1, stderr })
  vi.stubEnv('CLI_MAIL', '')
  const lacking: unknown = expect.stringContaining('The options have no portal(): add it to features')
  expect(await link('--contact', CONTACT)).toMatchObject({ code: 1, stderr: lacking })
  await expectRefused(['portal', 'sign-out', 'dev', '--db', site.file], 1, 'one plain e-mail address')
})
