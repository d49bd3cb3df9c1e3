import type { GrantedApis, Language } from '../contracts/application-record.js'

/** Made when a language is first needed: all would be a tenth of the time that it takes to load the package. */
const FORMATS = new Map<Language, ReturnType<typeof createFormats>>()

function createFormats(language: Language) {
  const locale = language === 'en' ? 'en-GB' : language
  const date = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
  return {
    date: new Intl.DateTimeFormat(locale, date),
    dateTime: new Intl.DateTimeFormat(locale, { ...date, hour: '2-digit', minute: '2-digit' }),
    time: new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }),
    month: new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
    relative: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
    count: new Intl.NumberFormat(locale),
    short: new Intl.NumberFormat(locale, { notation: 'compact' }),
    percent: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
    share: new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 1 }),
    choices: new Intl.ListFormat(locale, { type: 'disjunction' }),
    language: new Intl.DisplayNames(locale, { type: 'language' }),
  }
}

/** The formats of numbers, and of times in UTC. */
export function getFormats(language: Language): ReturnType<typeof createFormats> {
  const formats = FORMATS.get(language) ?? createFormats(language)
  FORMATS.set(language, formats)
  return formats
}

/** The APIs with the scopes there, such as `Catalog, Orders (orders:read)`. */
export function formatGrants(apis: GrantedApis, findTitle: (api: string) => string): string {
  return Object.entries(apis)
    .map(([api, { scopes }]) => (scopes.length > 0 ? `${findTitle(api)} (${scopes.join(', ')})` : findTitle(api)))
    .join(', ')
}
