import { describe, expect, it } from 'vitest'
import type { Language } from '../../../src/index.js'
import { FRAME_TEXTS } from '../../../src/shared/web/page-frame.js'
import { TEXTS, type PortalTexts } from '../../../src/features/portal/texts/languages.js'
import { usePortalApp, visit } from './pages-app.js'
import type { Page } from './visitor.js'

const LANGUAGES: readonly Language[] = ['en', 'de', 'fr', 'es']
const APIS = { orders: { scopes: ['orders:read'] }, catalog: {} } as const

/** Texts that languages share: names, and words that are the same in them. */
const SHARED = /^(|Name|Active|APIs?|Actions?|Application|Scopes?|Status|Secret|Code|Contacts|Plan|Portal|Error: .*)$/

const app = await usePortalApp()

/** All texts, with names in place of values. */
function listTexts(texts: object): string[] {
  return Object.values(texts).flatMap((text: unknown) => {
    if (typeof text === 'string') return [text]
    return typeof text === 'object' && text !== null ? listTexts(text) : []
  })
}

async function createApplication(language: Language | undefined, contact = `anna-${language}@example.com`) {
  const { application, credentials } = await app.auth.applications.create({
    name: 'Shop',
    contact,
    apis: APIS,
    language,
  })
  return { ...application, key: credentials.clientId, secret: credentials.clientSecret! }
}

async function load(path: string, languages: string, body?: URLSearchParams): Promise<string> {
  const headers = { 'Accept-Language': languages, ...(body && { Origin: app.baseUrl }) }
  const response = await fetch(`${app.baseUrl}/developers/applications${path}`, {
    headers,
    ...(body && { method: 'POST', body }),
  })
  return response.text()
}

/** Words of another language on a page, except those that this language shares. */
function findForeignTexts(page: string, language: Language): string[] {
  const visible = page
    .replaceAll(/<(style|script)\b.*?<\/\1>/gs, '')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  const shown = [...visible.matchAll(/>([^<>]+)<|(?:aria-label|title|data-[a-z-]+)="([^"]*)"/g)].map(
    ([, text = '', attribute = '']) => (text || attribute).replaceAll(/\s+/g, ' ').trim(),
  )
  const list = (each: Language) =>
    listTexts([TEXTS[each], FRAME_TEXTS[each]]).map((text) => text.replaceAll(/\s+/g, ' '))
  const own = new Set(list(language))
  const foreign = LANGUAGES.filter((each) => each !== language).flatMap(list)
  const words = new Set(foreign.filter((text) => !own.has(text) && !SHARED.test(text)))
  // A name in braces is one without its value.
  return shown.filter((text) => words.has(text) || /\{\w+\}/.test(text))
}

describe.each(LANGUAGES)('in the language %s', (language) => {
  const texts: PortalTexts = TEXTS[language]
  const other = language === 'en' ? 'de' : 'en'

  it('every page of an application is, whatever the browser prefers', async () => {
    const { id, key, secret, keys, secrets, contact } = await createApplication(language)
    await app.auth.portal.invite(id, 'carl@example.com')
    const wrong = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: `${secret}x` })
    for (let count = 0; count < 2; count++)
      await (await fetch(`${app.baseUrl}/orders/token`, { method: 'POST', body: wrong })).text()
    await (await fetch(`${app.baseUrl}/catalog`, { headers: { 'X-Api-Key': key } })).text()
    const visitor = await visit(app, contact!)
    const [page, list] = [await visitor.open(id), await visitor.open('')]
    const hash = /colleagues\/([0-9a-f]{16})\/remove/.exec(page.html)?.[1]
    const invited = /invitations\/([0-9a-f]{16})\/cancel/.exec(page.html)![1]!
    expect(hash, 'the only contact').toBeUndefined()
    const forms = [
      'credentials/new-key',
      'credentials/new-secret',
      `credentials/${keys[0]!.id}/rename`,
      `credentials/${secrets[0]!.id}/rotate`,
      `credentials/${secrets[0]!.id}/end`,
      'apis/invoices/request',
      'apis/orders/request',
      'tokens/revoke',
      'colleagues/invite',
      `invitations/${invited}/cancel`,
      'delete',
    ]
    const pages: Page[] = [page, list, await visitor.open('unknown'), await visitor.open(`${id}/unknown`)]
    for (const form of forms) pages.push(await visitor.open(`${id}/${form}`))
    const adding = await visitor.open(`${id}/credentials/new-key`)
    const refused = await visitor.submit(adding, { name: '' })
    const issued = await visitor.submit(adding, { name: 'till' })
    const stale = await visitor.submit(adding, { name: 'till' })
    for (const each of [...pages, refused, issued, stale]) {
      expect(each.html, each.path).toContain(`<html lang="${language}">`)
      expect(findForeignTexts(each.html, language), each.path).toEqual([])
    }
    expect(refused.text).toContain(texts.nameMissing)
    expect(issued.text).toContain(texts.shownOnce)
    expect(stale.html).toContain(texts.unchangedBecause)
    const ago = new Intl.RelativeTimeFormat(language).format(-2, 'hour')
    app.clock.advance(7200)
    const later = await (await visit(app, contact!)).open(id)
    expect(later.html).toContain(`>${ago.replaceAll("'", '&#39;')}<`)
    expect(later.text).toContain(
      { en: '2 times, last', de: '2 Mal, zuletzt', fr: '2 fois, dernière fois', es: '2 veces, la última' }[language],
    )
    expect(later.text).toContain(
      {
        en: 'Wrong client secret',
        de: 'Falsches Client-Secret',
        fr: 'Secret client incorrect',
        es: 'Secreto de cliente incorrecto',
      }[language],
    )
  })

  it('the sign-in is where the browser prefers it, and shows nothing of who is known', async () => {
    const { contact } = await createApplication(other, `known-${language}@example.com`)
    const page = await load('', `xx, ${language};q=0.9, ${other};q=0.5`)
    expect(page).toContain(`<html lang="${language}">`)
    const csrf = /name="csrf" value="([^"]*)"/.exec(page)![1]!
    const [known, unknown] = await Promise.all(
      [contact!, `stranger-${language}@example.com`].map(async (address) => {
        const answer = await load('/sign-in', language, new URLSearchParams({ csrf, contact: address }))
        return answer.replaceAll(address, '').replaceAll(/value="[^"]*"/g, '')
      }),
    )
    expect(known).toBe(unknown)
    for (const each of [page, known!, await load('/sign-in', language), await load('/invitation', language)]) {
      expect(each).toContain(`<html lang="${language}">`)
      expect(findForeignTexts(each, language)).toEqual([])
    }
  })

  it('has an own text for everything, with the signs of the language', () => {
    const own = listTexts(texts)
    expect(own.every((text) => text.trim() === text && text !== '')).toBe(true)
    if (language === 'en') return
    const english = listTexts(TEXTS.en)
    expect(own.filter((text) => english.includes(text) && !SHARED.test(text))).toEqual([])
    const all = own.join('\n')
    expect(all).not.toMatch(
      language === 'es'
        ? /["“„]|\btus?\b/
        : language === 'fr'
          ? /["“„']|[^\u00A0][:;?!»](?!\/)|«[^\u00A0]|\btu\b/
          : /["'«»]|\bdu\b/,
    )
  })
})

it('an application without a language has that of the browser', async () => {
  const { id, contact } = await createApplication(undefined, 'none@example.com')
  const { headers, html } = await (await visit(app, contact!)).open(id)
  expect(html).toContain('<html lang="en">')
  expect(headers.get('vary')).toContain('Accept-Language')
})

it('refusals of the platform are in the language, with the time to wait', async () => {
  const limited = await usePortalApp({ rateLimits: { portalActions: { limit: 1, window: 600 } } })
  const { application } = await limited.auth.applications.create({
    name: 'Shop',
    contact: 'anna@example.com',
    apis: APIS,
    language: 'fr',
  })
  const visitor = await visit(limited, 'anna@example.com')
  const form = await visitor.open(`${application.id}/credentials/new-key`)
  await visitor.submit(form, { name: '' })
  const { status, html, text, headers } = await visitor.submit(form, { name: 'till' })
  expect([status, headers.get('retry-after')]).toEqual([429, '600'])
  expect(html).toContain('<html lang="fr">')
  expect(text).toContain('Il y a eu trop de demandes. Réessayez dans 10 minutes.')
})
