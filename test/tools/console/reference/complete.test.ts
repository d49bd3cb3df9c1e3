import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { writeReference } from '../../../../src/tools/console/export/markdown.js'
import { listReferenceOperations } from '../../../../src/tools/console/reference/operations.js'
import { renderOperation } from '../../../../src/tools/console/reference/operation.js'
import { readDocument } from '../../../../src/shared/openapi/read-document.js'
import { describeOperations, listMissingInMarkdown, listMissingOnPage } from '../described-operations.js'
import { findRealDocument, type RealDocumentName } from '../real-documents.js'
import { TEAS } from '../teas.js'

const SMALL = new URL('../documents/small/', import.meta.url)
const REAL: RealDocumentName[] = [
  'callbacks',
  'webhooks',
  'links',
  'types',
  'discriminators',
  'polymorphism',
  'circular',
  'train',
]

const DOCUMENTS: [name: string, given: unknown][] = [
  ...readdirSync(SMALL).map((file): [string, unknown] => [
    file,
    JSON.parse(readFileSync(new URL(file, SMALL), 'utf8')),
  ]),
  ...REAL.map((name): [string, unknown] => [name, findRealDocument(name).read()]),
]

function render(name: string): { page: string; markdown: string } {
  const document = readDocument('document', JSON.parse(readFileSync(new URL(`${name}.json`, SMALL), 'utf8')))
  const operations = listReferenceOperations(document)
  const [operation] = operations
  const page = operation ? renderOperation({ api: TEAS, document, operations }, operation).markup : ''
  return {
    page: page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '),
    markdown: writeReference(TEAS, document, false),
  }
}

describe('pages and Markdown show', () => {
  it('the summary of an answer (OpenAPI 3.2) beside the status', () => {
    const { page, markdown } = render('response-summary-32')
    expect(page).toContain('200 OK A short one')
    expect(markdown).toContain('- 200: A short one\n')
  })

  it('samples that the provider wrote', () => {
    const { page, markdown } = render('code-samples')
    expect(page).toContain('Ruby, as the provider writes it Sheds.list')
    expect(markdown).toContain('```ruby\nSheds.list\n```')
  })

  it('webhooks and callbacks, and schemas alone', () => {
    expect(render('webhook-only').markdown).toMatch(
      /## Webhooks\n\n.*\n\n### POST shedOpened: A shed was opened\n\nBody \(optional\):\n\n- `application\/json`: Opened[^]*### Opened\n\nobject\n\n- `shed`: string/,
    )
    expect(render('callback-ref-path-item').markdown).toContain(
      '#### Callback `opened`: POST {$request.body#/url}\n\nAnswers:\n\n- 200: fine',
    )
    expect(render('components-only').markdown).toMatch(/## Schemas\n\n### Shed\n\nobject\n\n- `roof`: string\n*$/)
  })
})

describe('every part of every operation is on its page and in the Markdown of', () => {
  it.each(DOCUMENTS.filter(([name]) => name !== 'ref-under-value.json'))('%s', (_name, given) => {
    const document = readDocument('document', given)
    const operations = listReferenceOperations(document)
    const markdown = writeReference({ ...TEAS, scopes: {} }, document, false)
    const described = describeOperations(document)
    expect(described).toHaveLength(operations.length)
    for (const operation of operations) {
      const each = described.find(({ method, path }) => method === operation.method && path === operation.path)!
      const page = renderOperation({ api: TEAS, document, operations }, operation).markup
      expect(listMissingOnPage(each, page)).toEqual([])
      expect(listMissingInMarkdown(each, markdown)).toEqual([])
    }
  })
})
