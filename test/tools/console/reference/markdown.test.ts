import { describe, expect, it } from 'vitest'
import { renderMarkdown, type MarkdownOptions } from '../../../../src/tools/console/reference/markdown.js'

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
    [
      '![chart](https://example.com/a.png)',
      '<p><a href="https://example.com/a.png" rel="noreferrer noopener">chart</a></p>',
    ],
    ['[![chart](a.png)](b)', '<p><a href="b" rel="noreferrer noopener">chart</a></p>'],
    ['line<br>line<br/>line', '<p>line<br>line<br>line</p>'],
    ['<ul><li><b>a</b></li></ul>', '<ul><li><b>a</b></li></ul>'],
    ['an <i>item, *and* more', '<p>an &#60;i&#62;item, <em>and</em> more</p>'],
    ['<h2>Orders</h2>', '&lt;h2&gt;Orders&lt;/h2&gt;'],
    ['<p>see <a href="/x" target="_blank">x</a></p>', '<p>see <a href="/x" rel="noreferrer noopener">x</a></p>'],
  ])('%s', (text, markup) => expect(render(text)).toBe(markup))

  it('with tables', () => {
    expect(render('| a | b |\n| :- | -: |\n| 1 | 2 |')).toMatch(/<th align="left">a<\/th>[^]*<td align="right">2<\/td>/)
  })

  it.each([
    ['sh', '<span class="word">curl</span> <span class="string">&#34;&#60;b&#62;&#34;</span>'],
    ['Bash title="a"', '<span class="word">curl</span> <span class="string">&#34;&#60;b&#62;&#34;</span>'],
    ['', 'curl &#34;&#60;b&#62;&#34;'],
    ['text', 'curl &#34;&#60;b&#62;&#34;'],
    ['constructor', 'curl &#34;&#60;b&#62;&#34;'],
  ])('with the colours of the language of code, %s', (fence, code) =>
    expect(render(`\`\`\`${fence}\ncurl "<b>"\n\`\`\``)).toMatch(
      new RegExp(`<pre tabindex="0"><code\\s*>${code}</code\\s*></pre>\\s*</figure>\\s*$`),
    ),
  )

  it.each([
    ['zsh', 'Shell'],
    ['json5 x', 'json5'],
    ['json', 'JSON'],
    ['', 'Example'],
    ['<b>', '&#60;b&#62;'],
  ])('with a button to copy code below the name of its language, %s', (fence, name) =>
    expect(render(`\`\`\`${fence}\nx\n\`\`\``)).toMatch(
      new RegExp(
        `^<figure class="copyable">\\s*<figcaption>${name}<button[^>]* aria-label="Copy: ${name}"[^>]* hidden`,
      ),
    ),
  )

  it('with headings below those of the page, and ids on request', () => {
    expect(render('# A\n\n### B', { headingLevel: 3 })).toBe('<h3>A</h3>\n<h4>B</h4>')
    expect(render('### A\n\n# B\n\n###### C', { headingLevel: 2 })).toBe('<h2>A</h2>\n<h2>B</h2>\n<h3>C</h3>')
    expect(render('# First steps!\n\n# First *steps*', { headingIds: true })).toBe(
      '<h1 id="first-steps">First steps!</h1>\n<h1 id="first-steps-1">First <em>steps</em></h1>',
    )
  })
})
