import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { JSDOM } from 'jsdom'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createTemporaryFolder } from '../../support/temporary-folder.js'
import { openShop } from './shop.js'

/** What nobody sees: soft hyphen, fillers, joiners and selectors where nothing needs them, marks of the direction, tags. */
const HIDDEN = [
  0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x202e, 0x2060, 0x2064, 0x206a, 0x2800,
  0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xe0001, 0xe0049, 0xe0100,
].map((code) => String.fromCodePoint(code))
const ANY_HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800\uFFF9-\uFFFB]/u

/** Where its script or emoji needs it: Persian, Hindi, a family, a heart, a keycap, the flag of Wales, a variant of an ideograph. */
const NEEDED = [
  'می\u200Cخواهم',
  'क्\u200Dष',
  '👩\u200D👩\u200D👧',
  '❤\uFE0F',
  '1\uFE0F\u20E3',
  '🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}',
  '葛\u{E0100}',
]

const spread = (text: string): string => `${text}a${HIDDEN.join('b')}c ${NEEDED.join(' ')}`

const REFERENCES =
  'x&shy;x&#173;x&#xE0041;x&#917569;x&zwnj;x&ZeroWidthSpace;x&NoBreak;x&lrm;x&ic;x `&#xE0041;` <b title="&#xE0041;">x</b> ![a&#xE0041;](x.png)'

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: spread('Title'), version: spread('1'), description: `${spread('About')}\n\n${REFERENCES}` },
  tags: [{ name: spread('tag'), description: spread('Of the tag') }],
  paths: {
    '/things': {
      post: {
        operationId: spread('create'),
        summary: spread('Create'),
        description: `${spread('Creates')}\n\n# ${spread('Heading')}\n\n${REFERENCES}`,
        tags: [spread('tag')],
        parameters: [
          {
            name: spread('query'),
            in: 'query',
            required: true,
            description: spread('A query'),
            example: spread('value'),
            schema: { type: 'string', enum: [spread('value')], default: spread('value') },
          },
          { name: 'X-Note', in: 'header', required: true, schema: { type: 'string', example: spread('note') } },
        ],
        requestBody: {
          description: spread('A body'),
          content: {
            'application/json': {
              example: { [spread('name')]: spread('member') },
              schema: { type: 'object', properties: { [spread('name')]: { type: 'string', title: spread('t') } } },
            },
          },
        },
        responses: { 200: { description: spread('An answer'), content: { 'text/plain': { example: spread('ok') } } } },
      },
    },
    '/plain': {
      post: { requestBody: { content: { 'text/plain': { example: spread('text') } } }, responses: {} },
    },
  },
}

const folder = await createTemporaryFolder()

describe('what nobody sees', () => {
  const answers = new Map<string, { readonly type: string; readonly text: string }>()

  beforeAll(async () => {
    const guide = `# ${spread('Guide')}\n\n${spread('Text')}\n\n${REFERENCES}\n\n\`\`\`sh\n${spread('curl')}\n\`\`\`\n`
    await writeFile(join(folder, 'guide.md'), guide)
    const shop = await openShop({
      console: {
        title: spread('Console'),
        documents: { orders: DOCUMENT, catalog: DOCUMENT },
        guides: join(folder, '*.md'),
        changelog: join(folder, 'guide.md'),
      },
    })
    const waiting = [
      '/',
      '/llms.txt',
      '/apis/orders.md',
      '/apis/orders/openapi.json',
      '/apis/orders/openapi.yaml',
      '/guides/guide.md',
    ]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (answers.has(path)) continue
      const response = await fetch(shop.developers + path)
      const type = response.headers.get('content-type') ?? ''
      const text = /^(?:text|application)\//.test(type) ? await response.text() : ''
      answers.set(path, { type, text })
      if (!type.startsWith('text/html')) continue
      const { document } = new JSDOM(text, { url: `${shop.developers}${path}` }).window
      for (const link of document.querySelectorAll<HTMLElement>('[href], [src], [data-from], [data-search]')) {
        for (const name of ['href', 'src', 'data-from', 'data-search']) {
          const url = new URL(link.getAttribute(name) ?? '', document.baseURI)
          if (url.href.startsWith(`${shop.developers}/`)) waiting.push(url.pathname.slice('/developers'.length))
        }
      }
    }
    await shop.close()
  })

  /** What a reader or a program gets of an answer: of a page its text and all values of attributes. */
  function listTexts({ type, text }: { readonly type: string; readonly text: string }): string[] {
    if (!type.startsWith('text/html')) return [text]
    const { document } = new JSDOM(text).window
    const attributes = [...document.querySelectorAll('*')].flatMap((element) => [...element.attributes])
    return [document.documentElement.textContent ?? '', ...attributes.map(({ value }) => value)]
  }

  it('is an escape in every page, sample, Markdown text, document and search index of the console', () => {
    const paths = [...answers.keys()]
    expect(paths.filter((path) => path.startsWith('/apis/orders/operations/')).length).toBeGreaterThan(0)
    const found = [...answers].flatMap(([path, answer]) =>
      listTexts(answer).flatMap((text) => {
        const rest = NEEDED.reduce((left, each) => left.replaceAll(each, ''), text)
        const hidden = ANY_HIDDEN.exec(rest)
        return hidden
          ? [`${path}: ${JSON.stringify(rest.slice(Math.max(0, hidden.index - 40), hidden.index + 4))}`]
          : []
      }),
    )
    expect(found).toEqual([])
    for (const path of ['/', '/llms.txt', '/apis/orders.md', '/guides/guide', '/guides/guide.md', '/apis/orders'])
      expect(listTexts(answers.get(path)!).join('\n'), path).toContain(String.raw`\u00adb`)
  })

  it('stays where its script or an emoji needs it, except in code', () => {
    for (const path of ['/', '/llms.txt', '/apis/orders.md', '/guides/guide', '/apis/orders'])
      for (const needed of NEEDED) expect(listTexts(answers.get(path)!).join('\n'), path).toContain(needed)
    const page = [...answers].find(([path]) => path.startsWith('/apis/orders/operations/'))![1]
    const codes = [...new JSDOM(page.text).window.document.querySelectorAll('.samples code')]
    expect(codes.length).toBeGreaterThan(6)
    for (const { textContent } of codes) expect(textContent).not.toMatch(ANY_HIDDEN)
  })

  it('is the same value for programs that read the document', async () => {
    const json = JSON.parse(answers.get('/apis/orders/openapi.json')!.text) as typeof DOCUMENT
    expect(json.info).toMatchObject({ title: DOCUMENT.info.title, description: DOCUMENT.info.description })
    expect(parse(answers.get('/apis/orders/openapi.yaml')!.text)).toEqual(json)
  })
})
