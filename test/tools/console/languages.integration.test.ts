import { describe, expect, it } from 'vitest'
import type { Language } from '../../../src/index.js'
import callsDe from '../../../src/tools/console/browser/texts/calls/de.json' with { type: 'json' }
import pageDe from '../../../src/tools/console/browser/texts/page/de.json' with { type: 'json' }
import * as browserEn from '../../../src/tools/console/browser/texts/en.js'
import callsEs from '../../../src/tools/console/browser/texts/calls/es.json' with { type: 'json' }
import pageEs from '../../../src/tools/console/browser/texts/page/es.json' with { type: 'json' }
import callsFr from '../../../src/tools/console/browser/texts/calls/fr.json' with { type: 'json' }
import pageFr from '../../../src/tools/console/browser/texts/page/fr.json' with { type: 'json' }
import de from '../../../src/tools/console/texts/de.json' with { type: 'json' }
import { en } from '../../../src/tools/console/texts/en.js'
import es from '../../../src/tools/console/texts/es.json' with { type: 'json' }
import fr from '../../../src/tools/console/texts/fr.json' with { type: 'json' }
import { readCatalogWithEveryState } from './every-state.js'
import { DOCUMENTS, useShop } from './shop.js'

const PAGES_OF = { en, de, fr, es }
const SCRIPTS_OF = {
  en: browserEn,
  de: { calls: callsDe, page: pageDe },
  fr: { calls: callsFr, page: pageFr },
  es: { calls: callsEs, page: pageEs },
}
const LANGUAGES = ['en', 'de', 'fr', 'es'] as const
const PATHS = [
  '',
  'apis/orders',
  'apis/catalog',
  'apis/orders/samples',
  'apis/orders/operations/placeOrder',
  'apis/catalog/operations/findTeas',
  'apis/catalog/operations/addTea',
  'apis/catalog/operations/addPicture',
  'apis/orders/schemas',
  'apis/orders/schemas/Order',
  'guides/01-first-order',
]

const documents = { ...DOCUMENTS, catalog: await readCatalogWithEveryState() }
const shop = await useShop({ console: { documents, title: undefined, guides: 'example-app/guides/*.md' } })

function load(path: string, language: Language): Promise<Response> {
  return fetch(`${shop.developers}/${path}`, { headers: { 'Accept-Language': language } })
}

/** The catalogues of pages and scripts, each with the English one. */
function listCatalogues(language: Language): (readonly [Record<string, string>, Record<string, string>])[] {
  const { page, calls } = SCRIPTS_OF[language]
  return [
    [PAGES_OF[language], en],
    [page, browserEn.page],
    [calls, browserEn.calls],
  ]
}

/** What a page shows, and what it says to screen readers, without what the provider wrote. */
function readShown(page: string): string[] {
  const own = page
    .replaceAll(/<(style|script|pre|code)\b.*?<\/\1>/gs, '')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  return [...own.matchAll(/>([^<>]+)<|(?:aria-label|placeholder|title)="([^"]*)"/g)].map(
    ([, text = '', attribute = '']) => (text || attribute).replaceAll(/\s+/g, ' ').trim(),
  )
}

describe.each(['de', 'fr', 'es'] as const)('in %s', (language) => {
  it.each(PATHS)('no word of the console is English: /%s', async (path) => {
    const response = await load(path, language)
    expect(response.headers.get('Vary')).toContain('Accept-Language')
    const page = await response.text()
    expect(page).toContain(`<html lang="${language}">`)
    const own = new Set(Object.values(PAGES_OF[language]).map((text) => text.trim()))
    const foreign = Object.values(en)
      .map((text) => text.trim())
      .filter((text) => !own.has(text) && !text.includes('{'))
    expect(
      readShown(page)
        .flatMap((text) => [text, ...text.split(', ')])
        .filter((text) => foreign.includes(text)),
    ).toEqual([])
  })

  it('has the words of the page', async () => {
    const page = await (await load('', language)).text()
    expect(readShown(page)).toContain(PAGES_OF[language].console)
    expect(readShown(page)).toContain(PAGES_OF[language].tokenAddress)
  })

  it('replaces the same names in each text as in English, and has no markup', () => {
    const namesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()
    for (const [texts, english] of listCatalogues(language)) {
      expect(Object.keys(texts)).toEqual(Object.keys(english))
      for (const [name, text] of Object.entries(english)) {
        expect(namesOf(texts[name]!), name).toEqual(namesOf(text))
        expect(texts[name], name).not.toMatch(/<\w|&\w+;/)
      }
    }
  })
})

it('says what programs read in English, whatever their language', async () => {
  for (const path of ['llms.txt', 'apis/catalog.md', 'apis/catalog/openapi.json', 'apis/catalog/search.json']) {
    const answers = await Promise.all(LANGUAGES.map(async (language) => load(path, language)))
    expect(answers[0]!.headers.get('Vary')).toBe('Accept-Encoding')
    const texts = await Promise.all(answers.map((each) => each.text()))
    expect(new Set(texts).size, path).toBe(1)
  }
})

it('is English for a browser that names no language of ours', async () => {
  const page = await (await load('', 'nl' as Language)).text()
  expect(page).toContain('<html lang="en">')
  expect(readShown(page)).toContain('Developer console')
})
