import { describe, expect, it } from 'vitest'
import { renderNoCalls } from '../../../src/shared/web/first-steps.js'
import { html, renderPlain } from '../../../src/shared/web/html.js'
import { FRAME_TEXTS, withDeveloperPages } from '../../../src/shared/web/page-frame.js'
import {
  PARTS_CSS,
  renderBar,
  renderCard,
  renderChip,
  renderEmpty,
  renderMethod,
  renderNotice,
  renderPill,
  renderProperty,
  renderRows,
  renderTable,
  renderTiles,
} from '../../../src/shared/web/parts.js'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { choosePageLanguage } from '../../../src/shared/web/page-language.js'

const HOSTILE = '<b>"&'
const parts = {
  card: renderCard({ title: HOSTILE, actions: HOSTILE }, HOSTILE),
  rows: renderRows([html`<li class="row">${HOSTILE}</li>`]),
  property: renderProperty({ name: HOSTILE, isOld: true, about: HOSTILE }, HOSTILE),
  method: renderMethod(HOSTILE),
  pill: renderPill(HOSTILE, 'bad'),
  chip: renderChip(HOSTILE),
  notice: renderNotice(HOSTILE, 'warn'),
  tiles: renderTiles([{ label: HOSTILE, value: HOSTILE, note: HOSTILE, tone: 'bad' }]),
  bar: renderBar(HOSTILE, 1, 2),
  table: renderTable(HOSTILE, [{ title: HOSTILE }, { title: HOSTILE, isNumber: true }], [[HOSTILE, 1]]),
  empty: renderEmpty({ title: HOSTILE, isGood: true }, HOSTILE),
  'danger zone': renderCard({ title: HOSTILE, isDanger: true }, HOSTILE),
}

it.each(Object.entries(parts))(
  '%s: a text of somebody else stays a text, and each class has a rule',
  (_, { markup }) => {
    expect(markup).toContain('&#60;b&#62;&#34;&#38;')
    expect(markup).not.toContain(HOSTILE)
    for (const [, classes = ''] of markup.matchAll(/ class="([^"]+)"/g))
      for (const name of classes.split(' ').filter((each) => !['field', 'hint', 'old'].includes(each)))
        expect(PARTS_CSS).toMatch(new RegExp(`\\.${name}\\b`))
  },
)

it('a cell has the title of its column, which is shown before it on phones', () => {
  const { markup } = renderTable('List', [{ title: 'Name' }, { title: 'Calls', isNumber: true }], [['Shop', 12]])
  expect(markup).toMatch(/<td data-label="Calls"\s+class="number">12<\/td>/)
  expect(PARTS_CSS).toMatch(/@media \(max-width: 30rem\)[^]* td::before \{ content: attr\(data-label\)/)
})

it('an empty state has a drawing, and a green tick where nothing is wrong', () => {
  const tick = renderEmpty({ title: 'No refusals', isGood: true }).markup
  expect(tick).toMatch(/class="empty good">\s*<svg[^>]* aria-hidden="true"><path/)
  expect(renderEmpty({ title: 'No calls' }).markup).not.toContain(/ d="([^"]+)"/.exec(tick)![1])
})

describe('a bar', () => {
  it.each([
    [0, 100, ' ', '0'],
    [79, 100, ' ', '79'],
    [80, 100, ' warn', '80'],
    [99, 100, ' warn', '99'],
    [100, 100, ' bad', '100'],
    [250, 100, ' bad', '100'],
    [0, 0, ' bad', '100'],
  ])('%i of %i: amber from 80, red from 100 percent', (used, limit, tone, percent) => {
    const { markup } = renderBar('Requests', used, limit)
    expect(markup).toContain(`class="meter${tone.trimEnd()}"`)
    expect(markup).toContain(`aria-valuenow="${percent}"`)
  })
})

describe('a first call', () => {
  const api = {
    name: 'orders',
    title: 'Orders',
    scheme: 'oauth2',
    resource: 'https://a.example/orders',
    keyHeaders: [],
  } as const
  const show = (): string =>
    renderNoCalls(
      [{ ...api, tokenEndpoint: `${api.resource}/token` }],
      { title: 'No calls', next: 'Make one:' },
      { developersUrl: undefined, texts: FRAME_TEXTS.en },
    ).markup.replaceAll(/<[^>]*>/g, '')

  it('is one that the console has found in the document, after the request for its access token', () => {
    const firstCalls = new Map([['orders', `${api.resource}/items`]])
    const shown = withDeveloperPages({ portal: true, registration: true, firstCalls }, show)
    expect(shown).toMatch(/grant_type=client_credentials[^]*Bearer \$ACCESS_TOKEN[^]*orders\/items\s/)
  })

  it('has a placeholder for its path without the console, which would know one', () => {
    expect(show()).toMatch(/Bearer \$ACCESS_TOKEN[^]*a\.example\/orders\/RESOURCE_PATH\s/)
  })

  it('is none where each operation of the document needs values', () => {
    const shown = withDeveloperPages({ portal: true, registration: true, firstCalls: new Map() }, show)
    expect(shown).toContain('grant_type=client_credentials')
    expect(shown).not.toContain('Bearer')
  })
})

it('escapes strings for element content and for attributes in either quotes', () => {
  const { markup } = html`<a title="${`"'<>&`}">${'<script>&amp;'}</a>`
  expect(markup).toBe('<a title="&#34;&#39;&#60;&#62;&#38;">&#60;script&#62;&#38;amp;</a>')
})

it('inserts markup of its own as it is, also in lists', () => {
  const items = ['a', '<b>'].map((each) => html`<em>${each}</em>`)
  expect(html`<p>${items}</p>`.markup).toBe('<p><em>a</em><em>&#60;b&#62;</em></p>')
})

it('leaves out undefined and false, and shows numbers, 0 too', () => {
  expect(html`[${undefined}${false}${0}]`.markup).toBe('[0]')
})

it('inserts backslashes and dollar signs as they are', () => {
  expect(html`[${'\\d $1 $&'}]`.markup).toBe('[\\d $1 $&#38;]')
})

it('shows what stands between back-ticks of a plain text as code, escaped, and leaves a single one', () => {
  expect(renderPlain('Leave out `scope<b>`, or `resource`. 5` <i>').markup).toBe(
    'Leave out <code>scope&#60;b&#62;</code>, or <code>resource</code>. 5` &#60;i&#62;',
  )
})

function choose(header: string | undefined, stored?: 'en' | 'de' | 'fr' | 'es') {
  const req = new IncomingMessage(new Socket())
  if (header !== undefined) req.headers['accept-language'] = header
  const res = new ServerResponse(req)
  res.setHeader('Vary', 'Origin')
  return [choosePageLanguage(req, res, stored), res.getHeader('Vary')]
}

it.each([
  ['de-AT, de;q=0.9, en;q=0.5', 'de'],
  ['it, pt;q=0.9', 'en'],
  ['en;q=0.1, ES-419', 'es'],
  ['fr;q=0, en', 'en'],
  [undefined, 'en'],
])('a page for an unknown reader who sends Accept-Language %j has the language %s, and varies', (header, language) => {
  expect(choose(header)).toEqual([language, ['Origin', 'Accept-Language']])
})

it('a page about an application has its language, whatever the browser prefers, and does not vary', () => {
  expect(choose('de', 'fr')).toEqual(['fr', 'Origin'])
})
