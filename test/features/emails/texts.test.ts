import { describe, expect, it } from 'vitest'
import type { Language } from '../../../src/index.js'
import type { CredentialsEmail, EmailMessage } from '../../../src/features/emails/index.js'
import { createEmailWriter } from '../../../src/features/emails/message.js'
import { SAMPLE_LABELS } from '../../../src/shared/samples/samples.js'
import { readBrand } from '../../../src/shared/web/read-brand.js'
import { recordingLogger } from '../../support/platform.js'
import { APIS, listContents, listValues } from './contents.js'

const LANGUAGES: readonly Language[] = ['en', 'de', 'fr', 'es']
const brand = readBrand({ name: 'Example & Söhne', color: '#7a1fa2', supportUrl: 'https://example.com/help' })
const options = {
  apis: APIS,
  baseUrl: 'https://api.example.com',
  developersUrl: 'https://example.com/developers',
  portalUrl: 'https://example.com/developers/applications',
  brand,
  composeEmail: undefined,
  logger: recordingLogger(),
}
const writeEmail = createEmailWriter(options)

/** All that mail programs allow, and that the layout uses: https://www.caniemail.com */
const PROPERTIES = new Set([
  'margin',
  'padding',
  'max-width',
  'background-color',
  'border',
  'border-top',
  'border-radius',
  'color',
  'font-family',
  'font-size',
  'font-weight',
  'line-height',
  'word-break',
  'display',
  'text-decoration',
  'mso-padding-alt',
])

it('no e-mail, whoever wrote it, is one that mailboxes answer by themselves (RFC 3834)', async () => {
  const composeEmail = () => ({ subject: 'S', text: 'T', html: 'H', headers: { 'Auto-Submitted': 'no' } })
  const writers = [writeEmail, createEmailWriter({ ...options, composeEmail })]
  const contents = listContents('en').map(([, content]) => content)
  for (const write of writers) {
    for (const content of contents) {
      const { headers } = await write(content)
      expect(headers, content.purpose).toEqual({
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'OOF, AutoReply',
      })
    }
  }
})

describe.each(LANGUAGES)('in the language %s', (language) => {
  it('the link to code samples names each of their languages', async () => {
    const texts = await Promise.all(listContents(language).map(async ([, content]) => (await writeEmail(content)).text))
    const withLink = texts.filter((text) => text.includes('#api-'))
    expect(withLink).not.toEqual([])
    for (const text of withLink)
      expect(text.split(/[\s,:]+/)).toEqual(expect.arrayContaining(SAMPLE_LABELS.filter((name) => name !== 'curl')))
  })

  it('public keys that were replaced are called so', async () => {
    const content = new Map(listContents(language)).get('changes, removed')
    if (content?.purpose !== 'changes') throw new Error('There is no such e-mail.')
    const change = { ...content.changes[0]!, type: 'credentialRotated', by: 'ann@customer.example' } as const
    const credential = { kind: 'keySet', name: 'bank' } as const
    const { text } = await writeEmail({ ...content, changes: [{ ...change, credential }] })
    expect(text).toContain(
      {
        en: 'the public keys “bank” by new ones',
        de: 'die öffentlichen Schlüssel „bank“ durch neue ersetzt',
        fr: 'les clés publiques «\u00A0bank\u00A0» par de nouvelles clés publiques',
        es: 'las claves públicas «bank» por otras nuevas',
      }[language],
    )
  })

  it.each(listContents(language))(
    'the e-mail "%s" has everything in text and HTML, and nothing else',
    async (_, content) => {
      const { to, subject, text, html } = await writeEmail(content)
      expect(to).toBe('dev@customer.example')
      const platform = 'Example & Söhne (api.example.com)'
      expect(subject).toContain(platform)
      for (const shown of [text, readHtml(html).text]) expect(shown.split(platform)).toHaveLength(2)
      expect(subject).not.toMatch(/Acme|[\r\n]/)
      expect(html).toContain(`<html lang="${language}">`)
      const read = readHtml(html)
      for (const value of [...listValues(content), 'https://example.com/help']) {
        expect(text).toContain(value)
        expect(read.text + read.links.join(' ')).toContain(value)
      }
      if ('application' in content) {
        expect(text).toContain(content.application.name)
        expect(read.text).toContain(content.application.name)
        expect(html).not.toContain('<Söhne>')
      }
      for (const shown of [subject, text, html]) expect(shown).not.toMatch(/undefined|null|NaN|\[object|false/)
      // Links of the platform only; commands and reasons are no links.
      for (const link of read.links) expect(link).toMatch(/^https:\/\/example\.com\/(?:developers|help)/)
    },
  )

  it.each(listContents(language))('the e-mail "%s" has an HTML that Gmail and Outlook show', async (_, content) => {
    const { html } = await writeEmail(content)
    // Gmail hides what follows after 102 KB.
    expect(html.length).toBeLessThan(30_000)
    for (const [, style = ''] of html.matchAll(/ style="([^"]*)"/g)) {
      const properties = style.split(';').map((declaration) => declaration.split(':', 1).join().trim())
      expect(properties.filter((property) => !PROPERTIES.has(property))).toEqual([])
    }
    // No images, scripts, style sheets or fonts of other addresses. Padding is in cells only, as Outlook on Windows needs it.
    expect(html).not.toMatch(/<(?:img|script|link|iframe|form|svg)|url\(|@import|src=/i)
    expect(html).not.toMatch(/<(?:p|div|span|h1|h2)[^>]* style="[^"]*padding/)
    expect(html).not.toMatch(/<table(?!\s+role="presentation")/)
  })
})

it('has other words in each language', async () => {
  const english = await writeAll('en')
  for (const language of LANGUAGES.slice(1)) {
    const others = await writeAll(language)
    for (const [name, { subject, text }] of Object.entries(others)) {
      expect(subject, name).not.toBe(english[name]?.subject)
      expect(listSentences(text).filter((sentence) => listSentences(english[name]!.text).includes(sentence))).toEqual(
        [],
      )
    }
  }
})

it.each(LANGUAGES)('shows a support address as an address, and links to it, in the language %s', async (language) => {
  const supportUrl = 'mailto:help@example.com?subject=API'
  const write = createEmailWriter({ ...options, brand: { ...brand, supportUrl } })
  const { text, html } = await write(listContents(language)[0]![1])
  expect(text).toContain('    help@example.com\n')
  expect(readHtml(html).text).toContain(' help@example.com ')
  expect(readHtml(html).links).toContain(supportUrl)
  expect(text + readHtml(html).text).not.toMatch(/mailto|subject=/)
})

it.each(LANGUAGES)('reminds of a key set as of public keys, not of a secret, in the language %s', async (language) => {
  const [, content] = listContents(language).find(([name]) => name === 'expiring, a key set')!
  const { subject, text } = await writeEmail(content)
  expect(`${subject}\n${text}`).toMatch(/key set|Schlüsselsatz|jeu de clés|conjunto de claves/)
  expect(`${subject}\n${text}`).not.toMatch(/private_key_jwt|\{|secret/i)
})

it.each(LANGUAGES)('replaces earlier e-mails only where there are some, in the language %s', async (language) => {
  const contents = Object.fromEntries(listContents(language))
  for (const purpose of ['registration', 'key', 'secret by link']) {
    const content = contents[purpose] as CredentialsEmail
    const [first, next] = await Promise.all(
      [false, true].map((replacesEarlier) => writeEmail({ ...content, replacesEarlier })),
    )
    const added = next!.text.split('\n\n').filter((block) => !first!.text.split('\n\n').includes(block))
    expect(added).toHaveLength(1)
    expect(added[0]).toMatch(/replaces all earlier|ersetzt alle früheren|remplace tous|sustituye a todos/)
  }
})

it.each(LANGUAGES)(
  'leads from credentials to the portal, where they are rotated, in the language %s',
  async (language) => {
    const withCredentials = listContents(language).filter(([, content]) => 'credentials' in content)
    expect(withCredentials.length).toBeGreaterThan(3)
    const withoutPortal = createEmailWriter({ ...options, portalUrl: undefined })
    for (const [name, content] of withCredentials) {
      const { text, html } = await writeEmail(content)
      expect(text, name).toContain(options.portalUrl)
      expect(readHtml(html).links, name).toContain(options.portalUrl)
      expect((await withoutPortal(content)).text, name).not.toContain(options.portalUrl)
    }
  },
)

it('links to nothing but what a recipient can use where there is neither a console nor a brand', async () => {
  const plain = { name: undefined, logo: undefined, accent: brand.accent, supportUrl: undefined }
  const write = createEmailWriter({ ...options, developersUrl: undefined, portalUrl: undefined, brand: plain })
  const { text, html } = await write({ ...(listContents('en')[0]![1] as CredentialsEmail), usableAt: ['orders'] })
  expect(readHtml(html).links).toEqual([])
  expect(text).not.toContain('https://example.com')
  expect(readHtml(html).text).toContain('api.example.com')
})

it.each(LANGUAGES)(
  'names the scopes of a key in the language %s, and those that it is narrowed to',
  async (language) => {
    const scopes = { 'catalog:read': 'Read', 'catalog:write': 'Write', 'catalog:delete': 'Delete' }
    const catalog = { ...APIS.get('catalog')!, scopes, defaultScopes: ['catalog:read'] }
    const write = createEmailWriter({ ...options, apis: new Map([...APIS, ['catalog', catalog]]) })
    const content = Object.fromEntries(listContents(language))['key'] as CredentialsEmail
    const writeFor = async (granted: readonly string[], narrowed?: readonly string[]): Promise<string> => {
      const application = { ...content.application, apis: { catalog: { scopes: granted } } }
      const restriction = narrowed && { catalog: { scopes: narrowed } }
      return (await write({ ...content, application, restriction })).text
    }
    const both = ['catalog:read', 'catalog:write']
    expect(await writeFor(both)).toContain('catalog:read catalog:write')
    expect(await writeFor(both, ['catalog:write'])).toMatch(/[^:\w] ?catalog:write\n/)
    expect(await writeFor(both, ['catalog:write'])).not.toContain('catalog:read')
    expect(await writeFor([])).toContain('catalog:read')
    expect(await writeFor(both)).not.toContain('catalog:delete')
  },
)

describe('durations', () => {
  it.each([
    ['en', 0, 'The previous secret no longer works.'],
    ['en', 90, '90 seconds'],
    ['en', 600, '10 minutes'],
    ['en', 86_400, '24 hours'],
    ['en', 90_000, 'The previous secret still works for 25 hours.'],
    ['en', 30 * 86_400, '30 days'],
    ['de', 172_800, 'Das bisherige Secret gilt noch 2 Tage.'],
    ['fr', 120, 'Le secret précédent reste valable 2 minutes.'],
    ['es', 1, 'El secreto anterior sigue funcionando durante 1 segundo.'],
  ] as const)('in %s: %s seconds', async (language, overlap, sentence) => {
    const content = Object.fromEntries(listContents(language))['secret'] as CredentialsEmail
    expect((await writeEmail({ ...content, overlap })).text).toContain(sentence)
  })
})

async function writeAll(language: Language): Promise<Record<string, EmailMessage>> {
  const written = listContents(language).map(async ([name, content]) => [name, await writeEmail(content)] as const)
  return Object.fromEntries(await Promise.all(written))
}

/** Lines of prose: neither labels, values nor the reason, which operators write. */
function listSentences(text: string): readonly string[] {
  return text.split('\n').filter((line) => /\s\S+\s.*[.]$/.test(line) && !/reason|^We only/i.test(line))
}

/** The text and the links of an HTML e-mail. */
function readHtml(html: string): { readonly text: string; readonly links: readonly string[] } {
  const unescape = (text: string): string =>
    text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const [, body = ''] = html.split('<body')
  return {
    text: unescape(body.replaceAll(/<[^>]*>/g, ' ')),
    links: [...html.matchAll(/ href="([^"]*)"/g)].map(([, link = '']) => unescape(link)),
  }
}
