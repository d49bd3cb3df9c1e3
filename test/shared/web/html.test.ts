import { expect, it } from 'vitest'
import { html, renderPlain } from '../../../src/shared/web/html.js'

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
