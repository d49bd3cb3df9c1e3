import { describe, expect, it, onTestFinished } from 'vitest'
import { emails } from '../../../src/features/emails/index.js'
import { registration } from '../../../src/features/registration/index.js'
import { createPlatformAuth } from '../../../src/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { openRegistration, postForm, postJson } from '../../features/registration/registration-app.js'
import { addApplication, openPortal, nextSignInEmail } from '../../features/portal/portal-app.js'
import { openPortalApp, visit } from '../../features/portal/pages-app.js'
import { createBrowser } from '../../features/portal/browser.js'
import { EXPRESSES } from '../../support/platform.js'
import { expectRefused } from './operator.js'

const ADDRESS = 'info@m\u00FCller.example'
const ASCII_ADDRESS = 'info@xn--mller-kva.example'
/** A hundred emoji, a Persian name with its non-joiner, a Hindi one with its joiner, a Japanese one with a variant. */
const NAMES = [
  '\u{1F600}'.repeat(100),
  '\u0634\u0631\u06A9\u062A\u200C\u0647\u0627',
  '\u0915\u094D\u200D\u0937',
  '\u845B\u{E0100}\u57CE\u5546\u4E8B',
  '\u{1F469}\u200D\u{1F4BB} Labs',
  "O'Neill & S\u00F8ns",
]

describe('names and addresses of the whole world', () => {
  const site = openRegistration(EXPRESSES['Express 5'])

  it('register, and the address has its domain in ASCII', async () => {
    for (const name of NAMES) {
      const answer = await postForm(site.app, [
        ['name', name],
        ['contact', ADDRESS],
        ['apis', 'catalog'],
      ])
      expect([answer.status, name]).toEqual([303, name])
    }
    const { items } = await site.auth.applications.list({ contact: ADDRESS })
    expect(items.map(({ name }) => name)).toEqual(NAMES)
    expect(new Set(items.map(({ contact }) => contact))).toEqual(new Set([ASCII_ADDRESS]))
  })

  it.each([
    [{ name: 'Sh\u200Bop' }, /U\+200B/],
    [{ name: '\u3164' }, /U\+3164/],
    [{ name: '\u{1F600}'.repeat(101) }, /101 characters/],
    [{ contact: 'm\u00FCller@example.com' }, /before the @/],
    [{ contact: 'info@m\u00ADueller.example' }, /U\+00AD/],
  ])('say why they are refused: %j', async (wrong, why) => {
    const given = { name: 'Shop', contact: 'dev@example.com', apis: ['catalog'], ...wrong }
    const form = await postForm(site.app, [
      ['name', given.name],
      ['contact', given.contact],
      ['apis', 'catalog'],
    ])
    expect([form.status, why.test(form.text)]).toEqual([400, true])
    const json = await postJson(site.app, given)
    expect([json.status, why.test((json.body as { error_description: string }).error_description)]).toEqual([400, true])
    await expectRefused(site.auth.applications.create({ ...given, apis: ['catalog'] }), 'invalid_argument', why)
  })

  it('are those of contacts who sign in', async () => {
    const portal = openPortal()
    await addApplication(portal.auth, ADDRESS)
    const browser = createBrowser(portal.app)
    await browser.get('/developers/applications')
    await browser.submit('/sign-in', { contact: 'Info@M\u00DCLLER.example' })
    expect((await nextSignInEmail(portal.mailer, 0)).to).toBe(ASCII_ADDRESS)
  })

  it('are those of contacts who invite', async () => {
    const portal = await openPortalApp()
    onTestFinished(portal.close)
    const id = await addApplication(portal.auth, ADDRESS)
    const anna = await visit(portal, ADDRESS)
    const form = await anna.open(`${id}/colleagues/invite`)
    expect((await anna.submit(form, { address: 'm\u00FCller@example.com' })).text).toContain('before the @')
    await anna.submit(form, { address: 'bob@m\u00FCller.example' })
    expect((await portal.auth.applications.get(id))?.invitations.map(({ address }) => address)).toEqual([
      'bob@xn--mller-kva.example',
    ])
  })

  it('are those of operators and of the brand', () => {
    const open =
      ({ operators, ...options }: { operators?: string[]; brand?: object }) =>
      () =>
        createPlatformAuth({
          baseUrl: 'http://localhost:3000',
          developersUrl: 'http://localhost:3000/developers',
          apis: { catalog: { scheme: 'apiKey' } },
          features: [emails({ mailer: memoryMailer() }), registration({ operators })],
          ...options,
        }).close()
    expect(open({ operators: [ADDRESS], brand: { name: NAMES[1] } })).not.toThrow()
    expect(open({ operators: ['m\u00FCller@example.com'] })).toThrow(/before the @/)
    expect(open({ brand: { name: 'Sh\u200Bop' } })).toThrow(/U\+200B/)
    expect(open({ brand: { name: '\u{1F600}'.repeat(60) } })).not.toThrow()
  })
})
