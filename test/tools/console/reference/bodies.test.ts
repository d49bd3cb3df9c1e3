import { describe, expect, it } from 'vitest'
import { renderOperation } from '../../../../src/tools/console/reference/operation.js'
import { listReferenceOperations } from '../../../../src/tools/console/reference/operations.js'
import { asObject } from '../../../../src/shared/openapi/document.js'
import { TEAS } from '../teas.js'

const ROOF = { type: 'object', xml: { name: 'shed' }, properties: { roof: { type: 'string', example: 'tin' } } }

/** The page of an operation, without entities, line breaks and colours of code. */
function render(method: string, operation: object): string {
  const document = asObject({ openapi: '3.2.0', paths: { '/sheds': { [method]: { security: [], ...operation } } } })
  const operations = listReferenceOperations(document)
  const { markup } = renderOperation({ api: TEAS, document, operations }, operations[0]!)
  return markup
    .replaceAll(/<\/?span[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
}

const bodyOf = (type: string, schema: object, more: object = {}): object => ({
  requestBody: { content: { [type]: { schema } }, ...more },
  responses: {},
})

describe('answers are shown as they are sent', () => {
  const answer = (type: string, content: object): string =>
    render('get', { responses: { 200: { description: 'Fine.', content: { [type]: content } } } })

  it.each([
    ['application/xml', { schema: ROOF }, '<shed> <roof>tin</roof> </shed>'],
    ['application/jsonl', { itemSchema: ROOF }, '{"roof":"tin"}'],
    ['text/event-stream', { itemSchema: { properties: { data: { example: 'a' } } } }, 'data: a'],
    ['text/event-stream', { schema: ROOF }, 'data: {"roof":"tin"}'],
    ['application/x-www-form-urlencoded', { example: { a: 'b c' } }, 'a=b%20c'],
  ])('%s', (type, content, text) => {
    expect(answer(type, content)).toContain(
      `<code>${text.startsWith('<') ? '<?xml version="1.0" encoding="UTF-8"?> ' : ''}${text}`,
    )
  })

  it('without an example where nobody can tell how it is written', () => {
    expect(answer('text/csv', { schema: ROOF })).not.toContain('Example')
    expect(answer('application/xml', { schema: { type: 'object', properties: ROOF.properties } })).not.toContain(
      'Example',
    )
  })
})

describe('an editor of a body', () => {
  it('is empty where nobody can tell how it is written, and says so', () => {
    const page = render('post', bodyOf('text/csv', { type: 'object' }, { required: true }))
    expect(page).toMatch(/data-role="body" rows="4" spellcheck="false"> <\/textarea>/)
    expect(page).toContain('The document has no example of this media type.')
  })

  it.each(['get', 'head', 'delete'])('of an optional body of %s is empty, and offers the example', (method) => {
    const page = render(method, bodyOf('application/json', ROOF))
    expect(page).toMatch(
      /data-role="example"> <option value="">None<\/option><option value="{ "roof": "tin" }">Example</,
    )
    expect(page).toMatch(/data-role="body"[^>]*> <\/textarea>/)
    expect(page).not.toMatch(/curl[^<]*--data/)
    expect(page.includes(`Browsers send no body with ${method.toUpperCase()}.`)).toBe(method !== 'delete')
  })

  it('of a required body of GET has it, and samples too', () => {
    const page = render('get', bodyOf('application/json', ROOF, { required: true }))
    expect(page).toContain('Browsers send no body with GET.')
    expect(page).toMatch(/data-role="body"[^>]*> { "roof": "tin" }<\/textarea>/)
    expect(page).toMatch(/curl[^<]*-X GET[^<]*--data-raw/)
    expect(page).toContain('// fetch() sends no body with GET.')
  })
})
