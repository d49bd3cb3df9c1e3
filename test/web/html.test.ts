import { expect, it } from 'vitest'
import { html } from '../../src/web/html.js'

it('escapes strings for element content and for attributes in either quotes', () => {
  const { markup } = html`<a title="${`"'<>&`}">${'<script>&amp;'}</a>`
  expect(markup).toBe('<a title="&#34;&#39;&#60;&#62;&#38;">&#60;script&#62;&#38;amp;</a>')
})

it('inserts markup of its own as it is, also in lists', () => {
  expect(
    html`<ul>
      ${['a', '<b>'].map((each) => html`<li>${each}</li>`)}
    </ul>`.markup,
  ).toBe('<ul><li>a</li><li>&#60;b&#62;</li></ul>')
})

it('leaves out undefined and false, and shows numbers, 0 too', () => {
  expect(html`[${undefined}${false}${0}]`.markup).toBe('[0]')
})

it('inserts backslashes and dollar signs as they are', () => {
  expect(html`[${'\\d $1 $&'}]`.markup).toBe('[\\d $1 $&#38;]')
})
