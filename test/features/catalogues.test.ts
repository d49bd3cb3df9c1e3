import { expect, it } from 'vitest'
import { TEXTS as EMAILS } from '../../src/features/emails/texts/languages.js'
import { TEXTS as PORTAL } from '../../src/features/portal/texts/languages.js'
import { TEXTS as REGISTRATION } from '../../src/features/registration/texts/languages.js'
import { explainRefusal } from '../../src/features/usage/refusals.js'

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

it.each(LANGUAGES)('the refusals in the language %s say what those in English say', (language) => {
  const record = { details: { api: 'a', credential: 'c', scopes: 's', retryAfter: 9 }, address: '192.0.2.1' }
  const explain = (reason: string, of: typeof language | 'en') => {
    const { problem } = explainRefusal({ ...record, error: reason, reason }, of)
    expect(problem).not.toMatch(/[{}]/)
    return ['192.0.2.1', 'Retry-After', '(s)'].filter((value) => problem.includes(value))
  }
  for (const reason of [
    'expired_token',
    'token_of_another_api',
    'insufficient_scope',
    'network_not_allowed',
    'quota_exceeded',
  ])
    expect(explain(reason, language), reason).toEqual(explain(reason, 'en'))
})
