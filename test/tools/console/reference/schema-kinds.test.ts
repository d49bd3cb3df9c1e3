// oxlint-disable unicorn/no-thenable -- JSON Schema has this keyword.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { writeReference } from '../../../../src/tools/console/export/markdown.js'
import { createExample } from '../../../../src/tools/console/reference/examples.js'
import { listReferenceOperations } from '../../../../src/tools/console/reference/operations.js'
import { renderOperation } from '../../../../src/tools/console/reference/operation.js'
import { renderSchema } from '../../../../src/tools/console/reference/schema.js'
import { describeType } from '../../../../src/tools/console/reference/read-schema.js'
import type { JsonObject } from '../../../../src/shared/openapi/document.js'
import { readDocument } from '../../../../src/shared/openapi/read-document.js'
import { TEAS } from '../teas.js'

/** A document whose only answer has this schema, beside named ones. */
function documentOf(schema: unknown, schemas: object = {}): JsonObject {
  const responses = { 200: { description: '', content: { 'application/json': { schema } } } }
  return readDocument('document', {
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: { '/': { get: { responses } } },
    components: { schemas },
  })
}

function readSmall(name: string): JsonObject {
  const file = new URL(`../documents/small/${name}.json`, import.meta.url)
  return readDocument('document', JSON.parse(readFileSync(file, 'utf8')))
}

/** The schema of the only answer of the only operation. */
function findSchema(document: JsonObject): unknown {
  const steps = ['get', 'responses', '200', 'content', 'application/json', 'schema']
  return steps.reduce<unknown>(
    (part, step) => (part as JsonObject)[step],
    Object.values(document['paths'] as object)[0],
  )
}

/** What a reader of the page sees of it. */
function show(document: JsonObject, schema: unknown = findSchema(document)): string {
  return renderSchema(document, schema)
    .markup.replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([,.:])/g, '$1')
    .trim()
}

/** The lines of the answer, and those of the named schemas. */
function write(document: JsonObject): string {
  const text = writeReference(TEAS, document, false)
  return text.slice(text.indexOf('- 200:')).replaceAll(/```[^]*?```\n*/g, '')
}

const OWNER = { Owner: { type: 'object', properties: { name: { type: 'string' } } }, Color: { type: 'string' } }
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })

it.each([
  ['', '""'],
  [' a', '" a"'],
  ['a b', 'a b'],
  ['null', 'null'],
  [0, '0'],
])('the default %j is shown as %s', (preset, shown) => {
  expect(show(documentOf({ type: ['string', 'integer'], default: preset }))).toBe(`string or integer default ${shown}`)
})

describe('the type of a schema', () => {
  it.each<[string, unknown]>([
    ['any or null', { nullable: true }],
    ['string or null', { type: 'string', nullable: true }],
    ['string or integer or null', { nullable: true, oneOf: [{ type: 'string' }, { type: 'integer' }] }],
    ['string or integer or null', { type: ['string', 'integer', 'null'] }],
    ['string or null', { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'Roof' }],
    ['string or null', { oneOf: [{ const: null }, { type: 'string' }] }],
    ['string or null', { anyOf: [{ enum: [null] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }] }],
    ['Owner or null', { anyOf: [ref('Owner'), { type: 'null' }] }],
    ['Owner or null', { nullable: true, allOf: [ref('Owner')] }],
    ['Owner or string or null', { anyOf: [ref('Owner'), { type: 'string' }, { type: 'null' }] }],
    ['Owner', { allOf: [ref('Owner')], description: 'Whose it is.' }],
    ['list of (string or null)', { type: 'array', items: { type: ['string', 'null'] } }],
    ['list of string or null', { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] }],
    ['string', { allOf: [{ type: ['string', 'null'] }, { type: 'string' }] }],
    ['null', { type: 'null' }],
    ['null', { const: null }],
    ['string or null', { enum: ['a', null] }],
    ['string or integer', { oneOf: [{ const: 'a' }, { const: 'b' }, { const: 1 }, { const: 2 }, { const: 3 }] }],
    ['any', {}],
    ['any', true],
    ['no value', false],
    ['any (date)', { format: 'date' }],
  ])('is %s: %j', (type, schema) => {
    expect(describeType(documentOf({}, OWNER), schema)).toBe(type)
  })

  it.each(['any-of-null', 'nullable-untyped'])('is the same on the page and in Markdown: %s', (name) => {
    const document = readSmall(name)
    const lines =
      name === 'any-of-null'
        ? ['roof: string or null', 'owner: Owner or null', 'both: string or null']
        : ['note: any or null', 'door: string or integer or null', 'owner: Owner or null']
    for (const line of lines) {
      expect(show(document)).toContain(line.replace(':', ''))
      expect(write(document)).toContain(line.replace(/^(\w+)/, '`$1`'))
    }
    expect(show(document)).not.toMatch(/One or more of|1 string null/)
  })
})

describe('the heirs of a schema with a discriminator', () => {
  it('are on the page, in the example and in Markdown, with the value that means each', () => {
    const document = readSmall('discriminator-by-all-of')
    expect(show(document)).toMatch(
      /Tool kind string One of, as kind says: Saw saw 2 members kind string teeth integer Rake rake 2 members kind string tines integer/,
    )
    expect(write(document)).toContain('- `kind`: string\n- One of, as `kind` says:\n  - Saw (`saw`)\n  - Rake (`rake`)')
    expect(write(document)).toContain('### Saw\n\nobject, with all of Tool\n\n- `teeth`: integer')
    expect(createExample(document, findSchema(document))).toEqual({ kind: 'saw', teeth: 0 })
  })

  const kind = { type: 'object', discriminator: { propertyName: 'kind' }, properties: { kind: { type: 'string' } } }
  const heir = (of: string, name: string): object => ({
    allOf: [ref(of), { type: 'object', properties: { [name]: { type: 'integer' } } }],
  })

  it('are found without a mapping, through several levels, in wrappers and lists, and behind a name', () => {
    const schemas = {
      Tool: kind,
      Saw: heir('Tool', 'teeth'),
      Chainsaw: heir('Saw', 'power'),
      Rake: heir('Tool', 'tines'),
    }
    for (const schema of [
      ref('Tool'),
      { allOf: [ref('Tool')] },
      { anyOf: [ref('Tool'), { type: 'null' }] },
      { type: 'array', items: ref('Tool') },
    ]) {
      const document = documentOf(schema, schemas)
      for (const words of ['One of, as kind says:', 'teeth integer', 'power integer', 'tines integer'])
        expect(show(document)).toContain(words)
      for (const name of ['Tool', 'Saw', 'Chainsaw', 'Rake']) expect(write(document)).toContain(`### ${name}\n`)
    }
    const document = documentOf(ref('Saw'), schemas)
    expect(show(document)).toContain('power integer')
    expect(show(document)).not.toContain('tines')
    expect(createExample(document, ref('Rake'))).toEqual({ kind: 'Rake', tines: 0 })
  })

  it('are those of the mapping: names, references, several values, and the default one', () => {
    const mapping = { a: 'Saw', b: '#/components/schemas/Saw', c: 'Rake', gone: '#/components/schemas/Gone' }
    const tool = { ...kind, discriminator: { propertyName: 'kind', mapping, defaultMapping: 'Other' } }
    const schemas = {
      Tool: tool,
      Saw: {},
      Rake: heir('Between', 'tines'),
      Between: { allOf: [ref('Tool')] },
      Other: {},
    }
    const text = show(documentOf(ref('Tool'), schemas))
    expect(text).toMatch(/One of, as kind says: Saw a b Rake c 2 members .* Other any other value$/)
    expect(text).not.toContain('Between')
  })

  it('of a schema that lists its heirs are not mixed', () => {
    const schemas = {
      Pet: { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } },
      Cat: { allOf: [ref('Pet')], properties: { lives: { type: 'integer', minimum: 9 } } },
      Dog: { allOf: [ref('Pet')], properties: { bark: { type: 'string' } } },
    }
    expect(createExample(documentOf(ref('Pet'), schemas), ref('Pet'))).toEqual({ kind: 'Cat', lives: 9 })
  })

  it('keep the value that a choice of oneOf states itself', () => {
    const one = { properties: { kind: { const: 'one' }, size: { type: 'integer' } } }
    const document = documentOf(
      { oneOf: [ref('One'), ref('Two')], discriminator: { propertyName: 'kind' } },
      { One: one, Two: {} },
    )
    expect(createExample(document, findSchema(document))).toEqual({ kind: 'one', size: 0 })
  })
})

describe('what JSON Schema says about a value is on the page and in Markdown:', () => {
  it.each<[string, object, string]>([
    ['not', { not: { type: 'string', pattern: '^x' } }, 'Not: string, pattern `^x`'],
    [
      'if, then, else',
      { if: { required: ['a'] }, then: { required: ['b'] }, else: { minProperties: 2 } },
      'If: any, required: `a`|Then: any, required: `b`|Otherwise: any, at least 2 members',
    ],
    ['contains', { contains: { const: 7 } }, 'At least 1 item is: integer, always 7'],
    ['minContains', { contains: { const: 7 }, minContains: 2 }, 'At least 2 items are: integer, always 7'],
    ['maxContains', { contains: { const: 7 }, minContains: 0, maxContains: 3 }, '0 to 3 items are: integer, always 7'],
    ['propertyNames', { propertyNames: { maxLength: 3 } }, 'Names of members: any, at most 3 characters'],
    ['dependentRequired', { dependentRequired: { a: ['b', 'c'] } }, 'if it has a, required: `b`, `c`'],
    [
      'dependentSchemas',
      { dependentSchemas: { a: { properties: { deep: { type: 'string' } } } } },
      'If it has a: object|`deep`: string',
    ],
    ['patternProperties', { patternProperties: { '^x-': { type: 'integer' } } }, '`/^x-/`: integer'],
    ['additionalProperties', { additionalProperties: { type: 'integer' } }, '`(any other name)`: integer'],
    ['unevaluatedProperties', { unevaluatedProperties: { type: 'integer' } }, '`(any other name)`: integer'],
    ['unevaluatedProperties: false', { type: 'object', unevaluatedProperties: false }, 'object, no other members'],
    [
      'prefixItems',
      { prefixItems: [{ type: 'string' }, { maximum: 3 }], items: { type: 'integer' } },
      'Item 1: string|Item 2: any, at most 3|Further items: integer',
    ],
    ['items: false', { prefixItems: [{ type: 'string' }], items: false }, 'list, no other items'],
    [
      'unevaluatedItems',
      { prefixItems: [{ type: 'string' }], unevaluatedItems: { type: 'number' } },
      'Further items: number',
    ],
    [
      'contentMediaType',
      { type: 'string', contentMediaType: 'application/json', contentSchema: { properties: { deep: {} } } },
      'string (application/json)|Content: object|`deep`: any',
    ],
    [
      'contentEncoding',
      { type: 'string', format: 'logo', contentMediaType: 'image/png', contentEncoding: 'base64' },
      'string (logo), image/png, encoded as base64',
    ],
    ['required, of a member that is not described', { type: 'object', required: ['a'] }, 'object, required: `a`'],
    [
      'rules of items',
      { type: 'array', items: { type: 'string', minLength: 2, maxLength: 5 } },
      'list of string, each 2 to 5 characters',
    ],
    ['examples', { type: 'string', examples: ['a', 'b'] }, 'string, for example "a", "b"'],
    [
      'bounds of OpenAPI 3.0',
      { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9 },
      'number, more than 0, at most 9',
    ],
    ['both bounds', { type: 'number', minimum: 0, maximum: 9, multipleOf: 3 }, 'number, 0 to 9, a multiple of 3'],
    ['members beside a reference', { $ref: '#/components/schemas/Color', default: 'red' }, 'Color, default "red"'],
    [
      'two oneOf',
      { allOf: [{ oneOf: [{ type: 'string' }, { minimum: 1 }] }, { oneOf: [{ type: 'integer' }, { minimum: 2 }] }] },
      'any, at least 1|any, at least 2',
    ],
    [
      'two conditions',
      {
        allOf: [
          { if: { minimum: 1 }, then: { maximum: 5 } },
          { if: { minimum: 7 }, then: { maximum: 9 } },
        ],
      },
      'If: any, at least 1|Then: any, at most 5|If: any, at least 7|Then: any, at most 9',
    ],
  ])('%s', (_what, schema, expected) => {
    const document = documentOf({ type: 'object', properties: { x: schema } }, OWNER)
    const page = show(document)
      .replaceAll(/[:,`"]/g, '')
      .replaceAll(/\s+/g, ' ')
    for (const words of expected.split('|')) {
      expect(write(document)).toContain(words)
      // On pages, names and values are set off by their type, and a colour's own type is shown.
      expect(page).toContain(words.replaceAll(/[:,`"]/g, '').replace('Color', 'string'))
    }
  })
})

it('a parameter that may be null has the control of its other alternative', () => {
  const document = readSmall('any-of-null')
  const [operation] = listReferenceOperations(document)
  const { markup } = renderOperation({ api: TEAS, document, operations: [] }, operation!)
  const [, , limit, roofs] = markup.split('class="field"').map((field) => field.replaceAll(/\s+/g, ' '))
  expect(limit).toMatch(/integer or null.*<input type="text"[^>]* inputmode="decimal"/)
  expect(roofs).toMatch(/list of string or null.*<select [^>]* multiple size="2"[^>]*> <option value="tin">/)
})
