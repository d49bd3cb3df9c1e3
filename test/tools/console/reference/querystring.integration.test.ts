import { JSDOM } from 'jsdom'
import { expect, it } from 'vitest'
import { readForm } from '../../../../src/tools/console/browser/form.js'
import { writeReference } from '../../../../src/tools/console/export/markdown.js'
import { listReferenceOperations } from '../../../../src/tools/console/reference/operations.js'
import { renderOperation } from '../../../../src/tools/console/reference/operation.js'
import { buildUrl } from '../../../../src/shared/samples/request.js'
import { TEAS } from '../teas.js'

it.each([
  ['application/x-www-form-urlencoded', { q: 'green tea', tags: ['a&b'] }, 'q=green%20tea&tags=%5B%22a%26b%22%5D'],
  ['application/json', { q: 'green' }, '%7B%22q%22%3A%22green%22%7D'],
  ['text/plain', '$.teas[?@.left > 0]', '%24.teas%5B%3F%40.left%20%3E%200%5D'],
])(
  'a query that is one parameter (OpenAPI 3.2) is sent by calls, samples and exports: %s',
  (mediaType, example, query) => {
    const schema = { type: typeof example }
    const parameter = {
      name: 'search',
      in: 'querystring',
      required: true,
      content: { [mediaType]: { schema, example } },
    }
    const described = {
      openapi: '3.2.0',
      info: {},
      paths: { '/teas': { get: { parameters: [parameter], responses: {} } } },
    }
    const all = listReferenceOperations(described)
    const { window } = new JSDOM(renderOperation({ api: TEAS, document: described, operations: all }, all[0]!).markup)
    const { input, problems } = readForm(window.document.querySelector('form')!, TEAS.resource)
    const url = `${TEAS.resource}/teas?${query}`
    expect([problems, buildUrl(input)]).toEqual([[], url])
    expect(window.document.querySelector('[data-samples] pre')!.textContent).toContain(url)
    expect(writeReference(TEAS, described, false)).toContain(url)
  },
)
