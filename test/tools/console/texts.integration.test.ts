import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JSDOM } from 'jsdom'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { developerConsole } from '../../../src/tools/console/index.js'
import { openPlatform } from '../../support/platform.js'
import { openShop } from './shop.js'

const folder = mkdtempSync(join(tmpdir(), 'guides [1] '))
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
afterAll(() => rmSync(folder, { recursive: true }))

describe('guides and a changelog', () => {
  let shop: Awaited<ReturnType<typeof openShop>>
  beforeAll(async () => {
    write(
      '02-keys.md',
      '```sh\n# no heading\n```\n## Keys & *secrets*\n\n[back](./01-start.md)\n\n### Rotation\n\n### Loss',
    )
    write(
      '01-start.md',
      '\uFEFF# Get [started](x)\n\n<script>alert(1)</script><b onclick="x">bold</b>\n\n[keys](02-keys.md#rotation) [orders](../apis/orders) [other](other.md) ![tea](tea.png)',
    )
    write(
      '03-long.md',
      `${'`'.repeat(50_000)}\n# No heading\n${'`'.repeat(50_000)}\n#  Long  ##${' '.repeat(50_000)}x\n# Second`,
    )
    write('.hidden.txt', '')
    const changelog = write(
      'CHANGES.markdown',
      '# Changes\n\n## May\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n- **Added** [Orders](apis/orders) [placed](apis/orders/operations/placeOrder)\n- **Odd** <b>bold</b>\n- Plain **text**\n\n## *April*\n\n- [Orders](apis/orders) all\n',
    )
    shop = await openShop({ console: { guides: join(folder, '*.md'), changelog } })
  })
  afterAll(() => shop.close())

  async function get(path: string) {
    const response = await fetch(new URL(path, `${shop.developers}/`))
    const text = await response.text()
    return { response, text, page: new JSDOM(text, { url: response.url }).window.document }
  }

  it('are linked from the index by their first headings and paragraphs, in the order of the file names', async () => {
    const { page } = await get('')
    const links = [...page.querySelectorAll<HTMLAnchorElement>('nav[aria-label=Guides] a, header a[href$=changelog]')]
    expect(links.map(({ href, textContent }) => [href.replace(shop.developers, ''), textContent.trim()])).toEqual([
      ['/changelog', 'Changelog'],
      ['/guides/01-start', 'Get started keys orders other tea'],
      ['/guides/02-keys', 'Keys & secrets back'],
      ['/guides/03-long', 'Long'],
    ])
    for (const { href } of links) expect((await fetch(href)).status).toBe(200)
  })

  it('are sanitized HTML under the strict policy of the console', async () => {
    const { response, page } = await get('guides/01-start')
    expect(page.querySelector('main h1')?.textContent).toBe('Get started')
    expect(page.title).toBe('Get started, Tea shop developers')
    expect(page.querySelectorAll('main script, main [onclick], main img')).toHaveLength(0)
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self' 'sha256-")
    expect(policy).not.toContain('unsafe')
  })

  it('link to each other as their files do, and to the references', async () => {
    const first = await get('guides/01-start')
    const readLinks = (page: Document) =>
      [...page.querySelectorAll<HTMLAnchorElement>('main a')].map(({ href }) => href.replace(shop.developers, ''))
    expect(readLinks(first.page)).toEqual([
      '/guides/x',
      '/guides/02-keys#rotation',
      '/apis/orders',
      '/guides/other.md',
      '/guides/tea.png',
      '/guides/02-keys',
    ])
    const second = await get('guides/02-keys')
    expect(readLinks(second.page)).toEqual(['/guides/01-start', '/guides/01-start', '/guides/03-long'])
    expect(second.page.querySelector('#rotation')).not.toBeNull()
    expect([...second.page.querySelectorAll('h1')].map(({ textContent }) => textContent)).toEqual(['Keys & secrets'])
  })

  it('have all guides, or what the changelog has, beside them, and the script where there is code to copy', async () => {
    const readBeside = async (path: string) => {
      const { page } = await get(path)
      const links = [...page.querySelectorAll('#sidebar details a')].map((each) => each.getAttribute('href'))
      return { links, scripts: page.querySelectorAll('script[src]').length }
    }
    const links = ['../guides/01-start', '../guides/02-keys', '../guides/03-long']
    expect(await readBeside('guides/01-start')).toEqual({ links, scripts: 0 })
    expect(await readBeside('guides/02-keys')).toEqual({ links, scripts: 1 })
    expect(await readBeside('changelog')).toEqual({ links: ['#may', '#april'], scripts: 0 })
  })

  it('have their own headings beside them, where they are some', async () => {
    const readHeadings = async (path: string) =>
      [...(await get(path)).page.querySelectorAll('.on-page a')].map((each) => each.getAttribute('href'))
    expect(await readHeadings('guides/02-keys')).toEqual(['#rotation', '#loss'])
    for (const path of ['guides/01-start', 'changelog']) expect(await readHeadings(path)).toEqual([])
  })

  it('show the kind and the API that an entry of the changelog begins with as badges', async () => {
    const { page } = await get('changelog')
    const entries = [...page.querySelectorAll('main li')].map((entry) =>
      [...entry.querySelectorAll('.pill')].map((pill) => [
        pill.className,
        pill.textContent,
        pill.closest('a')?.getAttribute('href'),
      ]),
    )
    expect(entries).toEqual([
      [
        ['pill good', 'Added', undefined],
        ['pill', 'Orders', 'apis/orders'],
      ],
      [['pill', 'Odd', undefined]],
      [],
      [['pill', 'Orders', 'apis/orders']],
    ])
    expect([...page.querySelectorAll('main li a:not(.api-link)')].map(({ textContent }) => textContent)).toEqual([
      'placed',
    ])
  })

  it('are Markdown for programs, which llms.txt links to', async () => {
    const { text } = await get('llms.txt')
    for (const path of ['guides/01-start.md', 'guides/02-keys.md', 'changelog.md']) {
      expect(text).toContain(`](${path})`)
      const { response } = await get(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    }
    expect((await get('guides/02-keys.md')).text).toContain('[back](./01-start.md)')
    expect((await get('changelog')).page.querySelectorAll('main td')).toHaveLength(2)
  })
})

describe('start-up fails with the fix', () => {
  const { auth } = openPlatform({ baseUrl: 'http://localhost', apis: { orders: { scheme: 'oauth2' } } })
  mkdirSync(join(folder, 'odd'))
  write('odd/a b.md', '# A')
  mkdirSync(join(folder, 'unreadable'))
  mkdirSync(join(folder, 'unreadable/a.md'))

  it.each([
    ['a pattern that is a path', { guides: join(folder, '01-start.md') }, 'guides is '],
    ['a pattern of folders', { guides: join(folder, '*/*.md') }, 'guides is '],
    ['no text', { guides: 5 }, 'guides is 5'],
    [
      'a missing folder',
      { guides: join(folder, 'missing/*.md') },
      'which cannot be read (ENOENT). Write a pattern of Markdown files in one folder',
    ],
    ['no file', { guides: join(folder, 'none-*.md') }, 'guides matches no file in '],
    ['a file that cannot be read', { guides: join(folder, 'unreadable/*.md') }, 'a.md, which cannot be read (EISDIR)'],
    ['a name that is no address', { guides: join(folder, 'odd/*.md') }, 'whose name cannot be a part of an address'],
    ['a missing changelog', { changelog: join(folder, 'missing.md') }, 'changelog names '],
    ['a changelog that is no text', { changelog: true }, 'changelog is true. Write the path of a Markdown file'],
  ])('for %s', (_what, options, message) => {
    expect(() => developerConsole(auth, options as object)).toThrow(message)
  })
})
