import { describe, expect, it } from 'vitest'
import { listReferenceOperations, groupByTag } from '../../../../src/tools/console/reference/operations.js'
import { createExample, findKnownValue } from '../../../../src/tools/console/reference/examples.js'
import { renderInformation } from '../../../../src/tools/console/reference/information.js'
import {
  renderOperationPage,
  renderReferencePage,
  renderSchemaPage,
} from '../../../../src/tools/console/reference/page.js'
import { renderType, listNamedSchemas } from '../../../../src/tools/console/reference/named-schemas.js'
import { renderOperation } from '../../../../src/tools/console/reference/operation.js'
import { renderResponses } from '../../../../src/tools/console/reference/responses.js'
import { renderSchema } from '../../../../src/tools/console/reference/schema.js'
import { createSearchIndex } from '../../../../src/tools/console/reference/search-index.js'
import { asObject, type JsonObject } from '../../../../src/shared/openapi/document.js'
import { RICH_DOCUMENT } from './rich-document.js'
import type { Assets } from '../../../../src/tools/console/assets.js'
import type { Html } from '../../../../src/shared/web/html.js'
import { createPageBrand } from '../../../../src/shared/web/page-brand.js'
import { TEAS } from '../teas.js'

const document: JsonObject = RICH_DOCUMENT
const asset = { path: 'a', type: 'a', gzipped: Buffer.alloc(0), plain: () => Buffer.alloc(0) }
const names = ['calls.js', 'console.css', 'console.js', 'icon.svg', 'reference.css', 'reference.js'] as const
const PAGE_OPTIONS = {
  title: 'Developers',
  apis: [],
  documents: new Map(),
  registration: false,
  portal: false,
  guides: [],
  changelog: undefined,
  hasEmails: false,
  schemes: ['oauth2'],
  assets: Object.fromEntries(names.map((name) => [name, asset])) as unknown as Assets,
  brand: createPageBrand(undefined),
}
const operations = listReferenceOperations(document)

/** The article of an operation, in one line. */
function render(key: string): string {
  const operation = operations.find((each) => each.key === key)!
  return shorten(renderOperation({ api: TEAS, document, operations }, operation).markup)
}

function shorten(markup: string): string {
  return markup.replaceAll(/\s+/g, ' ').replaceAll(/> </g, '><').replaceAll(' >', '>')
}

/** What a reader sees of it. */
function readText(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([,.:])/g, '$1')
}

describe('the operations of a document', () => {
  it('have keys that are unique and can be part of a URL', () => {
    expect(operations.map(({ key }) => key)).toEqual([
      'teas-replace',
      'get-teas-id',
      'post-upload',
      'query-upload',
      'COPY-upload'.toLowerCase(),
      'webhook-post-sold',
    ])
    const twice = { get: { operationId: 'a/b' }, put: { operationId: 'a b' }, post: { operationId: 'reference' } }
    expect(listReferenceOperations({ paths: { '/': twice } }).map(({ key }) => key)).toEqual([
      'a-b',
      'a-b-2',
      'reference-2',
    ])
  })

  it('are grouped by tags, described ones first, webhooks last', () => {
    expect(groupByTag(document, operations).map(({ title, operations: { length } }) => [title, length])).toEqual([
      ['teas', 2],
      ['files', 1],
      ['Other', 2],
      ['Webhooks', 1],
    ])
  })

  it('are grouped below the parents of their tags, and below x-tagGroups; further tags list them too', () => {
    const get = (...tags: string[]) => ({ get: { tags } })
    const paths = { '/a': get('tools', 'sheds'), '/b': get('garden'), '/c': get('sheds'), '/d': get('loop') }
    const tags = [
      { name: 'garden' },
      { name: 'tools', parent: 'garden', summary: 'Tools' },
      { name: 'empty', parent: 'tools' },
      { name: 'loop', parent: 'loop' },
    ]
    const show = (given: JsonObject) =>
      groupByTag(given, listReferenceOperations(given)).map(({ title, above, operations: own, others }) => [
        [...above, title].join(' / '),
        own.map(({ path }) => path),
        others.map(({ path }) => path),
      ])
    expect(show({ paths, tags })).toEqual([
      ['garden', ['/b'], []],
      ['garden / Tools', ['/a'], []],
      ['sheds', ['/c'], ['/a']],
      ['loop', ['/d'], []],
    ])
    const groups = [
      { name: 'Things', tags: ['sheds', 'unknown', 'garden'] },
      { name: 'None', tags: [] },
    ]
    expect(show({ paths, tags, 'x-tagGroups': groups })).toEqual([
      ['Things', [], []],
      ['Things / sheds', ['/c'], ['/a']],
      ['Things / garden', ['/b'], []],
      ['Things / garden / Tools', ['/a'], []],
      ['loop', ['/d'], []],
    ])
  })

  it('names forty neighbours of an operation at most, itself among them', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`/things/${at}`, { get: { operationId: `get${at}`, tags: ['Things'] } }]),
    )
    const given = { openapi: '3.1.0', paths }
    const all = listReferenceOperations(given)
    const reference = { api: TEAS, document: given, operations: all }
    for (const [at, first] of [
      [0, 0],
      [10, 0],
      [100, 80],
      [199, 160],
    ] as const) {
      const page = renderOperationPage(reference, all[at]!, PAGE_OPTIONS)
      const named = [...page.matchAll(/<li><a href="..\/operations\/get(\d+)"(\s+aria-current="page")?/g)]
      expect(named.map(([, number]) => Number(number))).toEqual(Array.from({ length: 40 }, (_, each) => first + each))
      expect(named.filter(([, , current]) => current !== undefined).map(([, number]) => number)).toEqual([String(at)])
    }
  })

  it('are found by their statuses, and by the names of properties and schemas, which have rows of their own', () => {
    const rows = createSearchIndex(document, operations, listNamedSchemas(document))
    const words = new Map(rows.map(([key, text]) => [key, text.split(' ')]))
    for (const word of ['200', 'Tea', 'price', 'last']) expect(words.get('teas-replace')).toContain(word)
    expect(rows.find(([key]) => key === 'schemas/Tea')).toEqual([
      'schemas/Tea',
      expect.stringContaining('price'),
      'Tea',
    ])
  })

  it('are found by id, tags, parameters and description', () => {
    const [[key, words] = []] = createSearchIndex(document, operations)
    expect(key).toBe('teas-replace')
    for (const word of ['teas/replace', 'kind', 'X-Trace', 'id', 'Limits']) expect(words).toContain(word)
  })
})

describe('an operation shows', () => {
  it('its description, deprecation, scopes and documentation', () => {
    const markup = render('teas-replace')
    expect(markup).toContain('<p class="notice warn">')
    expect(markup).toContain('<h4>Limits</h4>')
    expect(readText(markup)).toContain('Scope teas:write')
    expect(markup).toContain('href="https://example.com/replace"')
    expect(render('get-teas-id')).toContain('Can be called without credential')
    expect(render('post-upload')).toContain('No credential is needed')
  })

  it('a labelled control for each parameter, shared ones too, with how it is sent', () => {
    const markup = render('teas-replace')
    for (const [, id] of markup.matchAll(/ id="([^"]+)" data-in/g)) expect(markup).toContain(`<label for="${id}"`)
    expect(markup).toMatch(
      /<input type="text" id="teas-replace-path-id" data-in="path" data-name="id" data-style="simple" data-explode="false" data-type="string" required/,
    )
    expect(markup).toMatch(
      /<select id="teas-replace-query-kind"[^>]* required><option value="">Choose<\/option><option value="green">/,
    )
    expect(markup).toMatch(
      /<textarea id="teas-replace-query-sizes"[^>]*data-style="pipeDelimited" data-explode="false" data-type="array"/,
    )
    expect(markup).toMatch(
      /<textarea id="teas-replace-query-filter"[^>]*data-type="json" data-media="application\/json"/,
    )
    expect(markup).toMatch(/<code class="old">X-Trace<\/code>/)
    expect(readText(markup)).toContain('Default: none')
    expect(markup).not.toContain('data-name="Authorization"')
  })

  it('a request body with its examples, without what only answers have', () => {
    const markup = render('teas-replace')
    expect(markup).toMatch(
      /<select id="[^"]+" data-role="example"><option value="[^"]*Sencha[^"]*">Green<\/option><option value="[^"]*Assam/,
    )
    expect(markup).toMatch(/<textarea[^>]*data-role="body"[^>]*>\s*\{ &#34;name&#34;: &#34;Sencha&#34; \}/)
  })

  it('texts without a line break that is not part of them', () => {
    const operation = operations.find(({ key }) => key === 'teas-replace')!
    const { markup } = renderOperation({ api: TEAS, document, operations }, operation)
    // HTML drops the first one.
    expect(markup).toMatch(/<textarea [^>]*data-role="body"[^>]*>\n\{\n/)
    expect(markup).toMatch(/<textarea [^>]*data-name="sizes"[^>]*>\n<\/textarea>/)
  })

  it('a request body in each media type: fields, files and text', () => {
    const markup = render('post-upload')
    expect(markup).toContain('<div data-media="multipart/form-data" data-kind="fields">')
    expect(markup).toMatch(/<input type="file" id="[^"]+" data-in="body" data-name="file"[^>]* required/)
    expect(markup).toMatch(/data-in="body" data-name="note"[^>]*data-media="text\/plain"/)
    expect(markup).not.toContain('data-name="id"')
    expect(markup).toMatch(
      /<div data-media="image\/png" data-kind="file" hidden><div class="field"><label for="([^"]+)">File<\/label><input type="file" id="\1" data-role="body"/,
    )
    expect(markup).toMatch(/<div data-media="text\/csv" data-kind="text" hidden>[^]*>\s*a,b<\/textarea>/)
  })

  it('its answers with headers, examples and links, and its callbacks', () => {
    const markup = render('teas-replace')
    const text = readText(markup)
    expect(text).toContain('200 OK The tea as it is now. Headers x-left integer Calls left.')
    expect(text).toContain('default Any other status A problem.')
    expect(markup).toContain('<a href="get-teas-id" data-key="get-teas-id">GET /teas/{id}</a>')
    expect(markup).toContain('<a href="teas-replace" data-key="teas-replace">')
    expect(text).toContain('brewed POST {$request.body#/callback} The tea is ready What is sent')
    expect(text).not.toContain('x-own')
  })

  it('the first good answer with its example, and each other answer as one line', () => {
    const content = { 'application/json': { schema: { type: 'object', properties: { leaf: { type: 'string' } } } } }
    const responses = {
      400: { description: 'Wrong **kind**.\n\nMore words.', content },
      201: { description: 'Created.', content: { ...content, 'text/csv': { example: 'a,b' } } },
      204: { description: 'No content' },
      '4XX': { summary: 'Refused', description: 'Refused for a reason.' },
    }
    const { markup } = renderResponses(document, responses, operations) as Html
    const parts = shorten(markup)
      .split(/(?=<(?:details|p) class="response")/)
      .slice(1)
    expect(parts.map((part) => readText(part.replace(/(?<=<\/summary>|<\/p>)[^]*/, '')).trim())).toEqual([
      '201 Created',
      '204 No Content',
      '400 Bad Request Wrong kind.',
      '4XX Refused',
    ])
    expect(parts.map((part) => part.startsWith('<details class="response" open>'))).toEqual([true, false, false, false])
    // The example of its first media type is beside it, those of the others are with these.
    expect(parts[0]).not.toContain('<details open>')
    expect(parts[0]!.match(/<pre[^]*?<\/pre>/g)).toEqual(['<pre tabindex="0"><code>a,b</code></pre>'])
    expect(parts[2]).toContain('<strong>kind</strong>')
    expect(parts[2]).not.toContain('<details open>')
    expect(parts[1]).toMatch(/^<p class="response">/)
    expect(readText(parts[3]!)).toContain('Refused for a reason.')
  })

  it('an example of each answer, one at a time, in which the first good one is chosen', () => {
    const content = (example: string) => ({ 'application/json': { example }, 'application/xml': { example: '<a/>' } })
    const given = listReferenceOperations({
      paths: {
        '/a': {
          get: { responses: { 400: { content: content('wrong') }, 200: { content: content('right') }, 404: {} } },
        },
      },
    })
    const markup = shorten(renderOperation({ api: TEAS, document: {}, operations: given }, given[0]!).markup)
    const examples = [
      ...markup.matchAll(
        /<label><input type="radio" class="unseen" name="get-a-example"( checked)? \/>(\w+)<\/label><div class="copyable">.*?<pre tabindex="0"><code>(.*?)<\/code>/g,
      ),
    ].map(([, chosen, title, text]) => [title, readText(text!).trim(), chosen !== undefined])
    expect(examples).toEqual([
      ['200', '"right"', true],
      ['400', '"wrong"', false],
    ])
  })

  it('a command that makes the call, before any script runs', () => {
    expect(readText(render('teas-replace'))).toMatch(/curl .*-X PUT.*teas\/ID\?kind=green/)
  })

  it('what a webhook sends, without a form', () => {
    const markup = render('webhook-post-sold')
    expect(markup).toContain('What is sent')
    expect(markup).not.toContain('<form')
  })
})

describe('a reference', () => {
  const info = {
    title: 'Sheds',
    description:
      '# Errors\n\n## Too *many*\n\n[a](#errors) [b](#section/Errors) [c](#section/Errors/Too-many) [d](#operation/listTools) [e](#tag/tools) [f](#section/unknown)',
  }
  const paths = {
    '/tools': { get: { tags: ['tools', 'more'], operationId: 'listTools' }, post: { operationId: 'errors' } },
  }
  const components = { schemas: { 'A Shed': { description: 'Of wood.\nOr stone.' }, Tool: {} } }
  const renderPage = (given: JsonObject): string =>
    shorten(
      renderReferencePage({ api: TEAS, document: given, operations: listReferenceOperations(given) }, PAGE_OPTIONS),
    )

  it('has the headings of its description in the sidebar, and links of other viewers lead to what it has', () => {
    const page = renderPage({ info: { ...info, version: '2.3.4' }, paths, components })
    expect(page).toContain('<code class="chip">v2.3.4</code>')
    // An operation has the id that the heading would have.
    expect(page).toContain('<h2 id="errors-1">Errors</h2><h3 id="too-many">Too <em>many</em></h3>')
    expect(page).toMatch(/<li><a href="#errors-1">Errors<\/a><\/li><li class="in"><a href="#too-many">Too many<\/a>/)
    const links = [...page.matchAll(/<a href="([^"]*)"[^>]*>([a-f])<\/a>/g)].map(([, href, name]) => [name, href])
    expect(links).toEqual([
      ['a', '#errors'],
      ['b', `${TEAS.name}/operations/errors`],
      ['c', '#too-many'],
      ['d', `${TEAS.name}/operations/listTools`],
      ['e', '#tag-tools'],
      ['f', '#section/unknown'],
    ])
    expect(page).toMatch(/<section class="tag" id="tag-more">.*<a class="also" data-key="listTools"/)
  })

  it('links to the list of its schemas, and is that list without operations', () => {
    expect(renderPage({ info, paths, components })).toContain(
      `<a class="chevron" href="${TEAS.name}/schemas">Schemas <span class="size">2</span></a>`,
    )
    const page = renderPage({ info, components })
    expect(page).toContain(
      `<a class="chevron" href="${TEAS.name}/schemas/A-Shed"><code>A Shed</code><span class="note">Of wood.</span></a>`,
    )
    // What says nothing of itself has its type.
    expect(page).toContain(
      `<a class="chevron" href="${TEAS.name}/schemas/Tool"><code>Tool</code><span class="note">any</span></a>`,
    )
  })
})

describe('a schema shows', () => {
  it('a value that an example of an operation is or contains, before one that is made', () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const tool = { type: 'object', properties: { name: { type: 'string' }, maker: ref('Maker') } }
    const schemas = { Tool: tool, Tools: { type: 'array', items: ref('Tool') }, Maker: {}, Shed: { type: 'string' } }
    const example = [{ name: 'Rake', maker: { town: 'Bristol' } }]
    const answer = { content: { 'application/json': { schema: ref('Tools'), example } } }
    const given = { components: { schemas }, paths: { '/tools': { get: { responses: { 200: answer } } } } }
    expect(listNamedSchemas(given).map(({ schema }) => findKnownValue(given, schema))).toEqual([
      example[0],
      example,
      example[0]!.maker,
      undefined,
    ])
    const reference = { api: TEAS, document: given, operations: listReferenceOperations(given) }
    const page = renderSchemaPage(reference, listNamedSchemas(given)[0]!, PAGE_OPTIONS)
    expect(readText(page)).toContain('"town": "Bristol"')
  })

  it('types that lead to the pages of the schemas that they name', () => {
    const schemas = { Tool: { type: 'object' }, Shed: { title: 'A shed', type: 'object' }, Size: { type: 'string' } }
    const given = { components: { schemas } }
    const show = (schema: object): string => renderType(given, schema).markup
    const tool = { $ref: '#/components/schemas/Tool' }
    const shed = { $ref: '#/components/schemas/Shed' }
    expect(show({ type: 'array', items: tool })).toBe('list of <a href="../schemas/Tool">Tool</a>')
    expect(show({ oneOf: [tool, shed, { type: 'null' }] })).toMatch(
      /^<a href="..\/schemas\/Tool">Tool<\/a> or <a href="..\/schemas\/Shed">/,
    )
    expect(show({ $ref: '#/components/schemas/Size' })).toBe('string')
    expect(show({ $ref: '#/components/responses/Tool' })).not.toContain('<a')
  })

  const renderTea = (): string => shorten(renderSchema(document, { $ref: '#/components/schemas/Tea' }).markup)

  it('names, for what is received, the members that may be missing, if it names those that are there', () => {
    const schema = { required: ['a'], properties: { a: {}, b: { properties: { c: {} } } } }
    expect(readText(shorten(renderSchema(document, schema, undefined, true).markup))).toContain(
      'object a any b object optional 1 member c any',
    )
  })

  it('names, types, rules and descriptions of properties', () => {
    const text = readText(renderTea())
    expect(text).toContain('name string required at least 1 character pattern ^T What it is called.')
    expect(text).toContain('price number or null at least 0 less than 100 a multiple of 0.5')
    expect(text).toContain('kind string always tea')
    expect(text).toContain('grade string deprecated default A one of A B')
    expect(text).toContain('id string only in answers')
    expect(text).toContain('named Named Beside the reference. 2 members first string last string or null required')
    expect(text).toContain('labels object 2 members /^x-/ integer (any other name) string')
    expect(text).toContain('never')
    expect(text).toContain('no other members')
  })

  it('its choices, with the values of the discriminator, and nothing of a cycle', () => {
    const text = readText(renderTea())
    expect(text).toContain('One of, as shape says: Whole whole')
    expect(text).toContain('Broken string or null')
    expect(text).toContain('blend list of Tea at least 1 item')
    expect(text).toContain('As above.')
  })

  it('a bounded number of properties', () => {
    const names = Array.from({ length: 5000 }, (_, at) => [`member${at}`, { type: 'string' }])
    const markup = renderSchema({}, { properties: Object.fromEntries(names) as JsonObject }).markup
    expect(markup).toContain('more in the OpenAPI document')
    expect(markup.length).toBeLessThan(200_000)
  })
})

it('the page shows contact, licence, terms and documentation', () => {
  const markup = renderInformation(document, undefined).markup
  expect(readText(markup)).toContain('All teas. Contact Tea team Licence MIT Terms of service')
  for (const url of ['https://example.com/contact', 'https://spdx.org/licenses/MIT.html', 'https://example.com/docs'])
    expect(markup).toContain(`href="${url}"`)
  const hostile = {
    info: { contact: { name: 'x', url: 'javascript:alert(1)' } },
    externalDocs: { url: 'javascript:x' },
  }
  expect(renderInformation(hostile, undefined).markup).not.toContain('href')
})

describe('a broken document', () => {
  const WRONG = [null, 7, 'text', [], {}, true, [null, 7, [{}]], { $ref: '#/components/schemas/Tea' }, { $ref: '#/' }]

  it('is shown as far as it can be, whatever is wrong in it', () => {
    const copy = structuredClone(RICH_DOCUMENT) as unknown as JsonObject
    let shown = 0
    for (const [at, [parent, member]] of listMembers(copy).entries()) {
      // Every value in turn, and nearly as often in every kind of place. With all of them this takes a minute.
      if (at % 4 !== 0) continue
      const before = parent[member]
      parent[member] = WRONG[(at / 4) % WRONG.length]
      for (const operation of listReferenceOperations(copy))
        renderOperation({ api: TEAS, document: { ...copy, security: [] }, operations: [] }, withoutSecurity(operation))
      renderInformation(copy, undefined)
      groupByTag(copy, [])
      parent[member] = before
      shown++
    }
    expect(shown).toBeGreaterThan(70)
  })

  /** Start-up refuses wrong ones. */
  function withoutSecurity<Each extends { readonly operation: JsonObject }>(each: Each): Each {
    return { ...each, operation: { ...each.operation, security: [] } }
  }

  function listMembers(value: unknown): [parent: JsonObject, member: string][] {
    if (typeof value !== 'object' || value === null) return []
    const parent = value as JsonObject
    return Object.keys(parent).flatMap((member) => [
      [parent, member] as [JsonObject, string],
      ...listMembers(parent[member]),
    ])
  }

  it('that refers to itself has an end', () => {
    const schemas: JsonObject = {
      A: { $ref: '#/components/schemas/A' },
      B: { allOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/B' }] },
      C: { type: 'array', items: { $ref: '#/components/schemas/C' } },
      D: { oneOf: [{ $ref: '#/components/schemas/D' }], anyOf: [{ $ref: '#/components/schemas/D' }] },
    }
    for (const name of Object.keys(schemas))
      expect(renderSchema({ components: { schemas } }, asObject(schemas)[name]).markup.length).toBeLessThan(20_000)
  })
})

describe('a schema that a few lines make huge', () => {
  /** Each level refers to the next one several times. */
  function createLevels(member: string, siblings: object): JsonObject {
    const last = ['x', 'y'].map((name) => [name, { type: 'object', properties: { [name]: { type: 'string' } } }])
    const levels = Array.from({ length: 40 }, (_, level) => {
      const next = level === 39 ? ['x', 'y'] : [level + 1, level + 1, level + 1]
      return [level, { [member]: next.map((name) => ({ $ref: `#/components/schemas/${name}`, ...siblings })) }]
    })
    return asObject({ components: { schemas: Object.fromEntries([...last, ...levels]) } })
  }

  it.each([
    ['oneOf', {}],
    ['anyOf', { description: 'Another.' }],
    ['prefixItems', {}],
    ['allOf', {}],
    ['allOf', { description: 'Another.' }],
  ])('is shown in bounded time and length: %s %j', (member, siblings) => {
    const levels = createLevels(member, siblings)
    const schema = { $ref: '#/components/schemas/0' }
    expect(renderSchema(levels, schema).markup.length).toBeLessThan(300_000)
    expect(JSON.stringify(createExample(levels, schema) ?? null).length).toBeLessThan(100_000)
  })

  it.each(['x*x*x*y', `${'[a-z]{0,9}'.repeat(20)}!`, '(x+)+y', 'x*?x*?x*?y'])(
    'has an example whose pattern is %s',
    (pattern) => {
      for (const minLength of [0, 1000])
        expect(createExample({}, { type: 'string', minLength, pattern })).toEqual(expect.any(String))
    },
  )

  it('with all parts of its allOf, each once, even if it contains itself', () => {
    const Part = { allOf: [{ $ref: '#/components/schemas/Whole', description: 'Again.' }], properties: { a: {} } }
    const Whole = { allOf: [{ $ref: '#/components/schemas/Part' }, { properties: { b: {} } }], required: ['a'] }
    const cyclic = asObject({ components: { schemas: { Part, Whole } } })
    const text = readText(renderSchema(cyclic, { $ref: '#/components/schemas/Whole' }).markup)
    expect(text).toContain('a any required')
    expect(text).toContain('b any')
  })

  it('an example has a property named __proto__, and nothing inherits it', () => {
    const named = JSON.parse(
      '{ "properties": { "__proto__": { "properties": { "admin": { "type": "boolean" } } } } }',
    ) as object
    expect(JSON.stringify(createExample(document, named))).toBe('{"__proto__":{"admin":true}}')
  })
})
