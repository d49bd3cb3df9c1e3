import { expect, it } from 'vitest'
import { TEXTS as EMAILS } from '../../src/features/emails/texts/languages.js'
import { TEXTS as PORTAL } from '../../src/features/portal/texts/languages.js'
import { TEXTS as REGISTRATION } from '../../src/features/registration/texts/languages.js'

const LANGUAGES = ['de', 'fr', 'es'] as const

/** The names in braces of each text, by its path. */
function listNames(texts: object, path = ''): [path: string, names: readonly string[]][] {
  return Object.entries(texts).flatMap(([key, text]: [string, unknown]) => {
    if (typeof text === 'object' && text !== null) return listNames(text, `${path}${key}.`)
    return [[path + key, [...String(text).matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).toSorted()]]
  })
}

it.each(LANGUAGES)(
  'the e-mails in the language %s have the values of those in English, and forms of nouns',
  (language) => {
    const { key, secret, keySet } = EMAILS[language].forms
    expect(Object.keys(key)).toEqual(Object.keys(secret))
    expect(Object.keys(key)).toEqual(expect.arrayContaining(Object.keys(keySet)))
    const listValues = (texts: (typeof EMAILS)['en']) =>
      listNames({ ...texts, forms: {} }).map(([path, names]) => [
        path,
        names.filter((name) => !Object.hasOwn(texts.forms.key, name)),
      ])
    expect(listValues(EMAILS[language])).toEqual(listValues(EMAILS.en))
    // A line about a change is of one of three kinds.
    const inChanges = listNames(EMAILS[language].change).flatMap(([, names]) => names)
    expect(inChanges.filter((name) => Object.hasOwn(key, name) && !Object.hasOwn(keySet, name))).toEqual([])
  },
)

it.each(LANGUAGES)('the pages in the language %s have the values of those in English', (language) => {
  for (const texts of [PORTAL, REGISTRATION]) {
    // What is wrong with a text is known in English only, and refusals are described by the core.
    const listValues = (each: object) =>
      listNames({ ...each, refused: {} }).map(([path, names]) => [path, names.filter((name) => name !== 'detail')])
    expect(listValues(texts[language])).toEqual(listValues(texts.en))
    expect(listNames(texts[language].refused!).filter(([, names]) => names.length > 0)).toEqual([
      ['tooManyUntil', ['wait']],
    ])
  }
})
