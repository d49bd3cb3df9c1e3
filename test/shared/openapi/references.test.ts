import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolve, readName } from '../../../src/tools/console/reference/read-schema.js'
import type { JsonObject } from '../../../src/shared/openapi/document.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'
import { takeBelow } from '../../../src/shared/openapi/prefix.js'
import { readDocument } from '../../../src/shared/openapi/read-document.js'

const SHED = { type: 'object', properties: { roof: { type: 'string' } } }

/** A document with the schema `Given`, and others beside it. */
function documentOf(given: unknown, schemas: object = {}, parts: object = {}): object {
  const openapi = '3.1.0'
  return {
    openapi,
    info: { title: 'Sheds', version: '1' },
    components: { schemas: { Given: given, ...schemas } },
    ...parts,
  }
}

/** The schema `Given`, or a part of it, with what it refers to. */
function follow(document: JsonObject, ...members: string[]): JsonObject {
  return resolve(document, find(document, 'components', 'schemas', 'Given', ...members))
}

function find(value: unknown, ...members: string[]): unknown {
  return members.reduce<unknown>((part, member) => (part as JsonObject)[member], value)
}

describe('a reference leads to', () => {
  it.each<[string, object, object, object?]>([
    ['an $anchor', { $ref: '#shed' }, { Shed: { $anchor: 'shed', ...SHED } }],
    ['a $dynamicAnchor, dynamically or not', { $dynamicRef: '#shed' }, { Shed: { $dynamicAnchor: 'shed', ...SHED } }],
    ['a $dynamicAnchor', { $ref: '#shed' }, { Shed: { $dynamicAnchor: 'shed', ...SHED } }],
    ['an anchor as draft 7 writes it', { $ref: '#shed' }, { Shed: { $id: '#shed', ...SHED } }],
    ['an $id', { $ref: 'https://schemas.example/shed' }, { Shed: { $id: 'https://schemas.example/shed', ...SHED } }],
    ['an $id that is relative', { $ref: './shed.json' }, { Shed: { $id: '/shed.json', ...SHED } }],
    ['an $id that is a name', { $ref: 'urn:example:shed#' }, { Shed: { $id: 'urn:example:shed', ...SHED } }],
    [
      'a part of a schema with an $id',
      { $ref: 'https://s.example/all#/$defs/a~1b%25' },
      { All: { $id: 'https://s.example/all', $defs: { 'a/b%': SHED } } },
    ],
    [
      'an anchor of a schema with an $id',
      { $ref: 'https://s.example/all#s' },
      { Other: { $anchor: 's' }, All: { $id: 'https://s.example/all', $defs: { a: { $anchor: 's', ...SHED } } } },
    ],
    [
      '$self',
      { $ref: 'https://sheds.example/openapi.json#/components/schemas/Shed' },
      { Shed: SHED },
      { openapi: '3.2.0', $self: 'https://sheds.example/openapi.json' },
    ],
    [
      'a schema beside $self',
      { $ref: 'shed' },
      { Shed: { $id: 'https://sheds.example/shed', ...SHED } },
      { openapi: '3.2.0', $self: 'https://sheds.example/openapi' },
    ],
    ['a name in percent-encoded UTF-8', { $ref: '#/components/schemas/Gr%C3%B6%C3%9Fe' }, { Größe: SHED }],
    ['a name that is not encoded', { $ref: '#/components/schemas/Größe' }, { Größe: SHED }],
    ['a name with a percent sign that encodes nothing', { $ref: '#/components/schemas/100%' }, { '100%': SHED }],
  ])('%s', (_what, given, schemas, parts) => {
    const whole = documentOf(given, schemas, parts)
    const document = readDocument('document', whole)
    expect(follow(document)).toMatchObject(SHED)
    expect(document).toEqual(whole)
  })

  it('the schema with an $id that is around it', () => {
    const tree = {
      $id: 'https://s.example/tree',
      properties: { next: { $ref: '#' }, leaf: { $ref: '#/$defs/leaf' } },
      $defs: { leaf: SHED },
    }
    const document = readDocument('document', documentOf(tree))
    expect(follow(document, 'properties', 'next')).toBe(follow(document))
    expect(follow(document, 'properties', 'leaf')).toMatchObject(SHED)
  })

  it('the file that it is in, by its name', async () => {
    const file = join(await createTemporaryFolder(), 'sheds.json')
    const given = documentOf({ $ref: './sheds.json#/components/schemas/Shed' }, { Shed: SHED })
    await writeFile(file, JSON.stringify(given))
    const document = readDocument('document', file)
    expect(follow(document)).toMatchObject(SHED)
    // It is served under another name.
    expect(find(document, 'components', 'schemas', 'Given')).toEqual({ $ref: '#/components/schemas/Shed' })
  })

  it('a schema whose name is known, however it is written', () => {
    const given = { oneOf: [{ $ref: '#s' }, { $ref: 'urn:example:b' }, { $ref: '#/components/schemas/C%C3%A9' }] }
    const schemas = { A: { $anchor: 's' }, B: { $id: 'urn:example:b' }, Cé: {} }
    const document = readDocument('document', documentOf(given, schemas))
    expect((follow(document)['oneOf'] as unknown[]).map(readName)).toEqual(['A', 'B', 'Cé'])
  })
})

describe('a document is refused if a reference leads nowhere:', () => {
  const gone = { $ref: '#/components/schemas/Gone' }
  it.each<[string, unknown, RegExp]>([
    ['an anchor', { $ref: '#shed' }, /refers to "#shed", which is not in it/],
    [
      'an anchor in a schema with an $id',
      { $id: 'https://s.example/a', items: { $ref: '#Given' } },
      /"#Given", which is not in it/,
    ],
    [
      'a part of a schema with an $id',
      { $id: 'https://s.example/a', items: { $ref: 'a#/$defs/x' } },
      /"a#\/\$defs\/x", which is not in it/,
    ],
    ['an $id', { $ref: 'https://schemas.example/shed' }, /another document/],
    ['a text that is no address', { $ref: 'http://[' }, /another document/],
    ...['value', 'default', 'example', 'examples', 'enum', 'const', 'dataValue'].map(
      (name): [string, unknown, RegExp] => [
        `a property named ${name}`,
        { properties: { [name]: gone } },
        /Gone", which is not in it/,
      ],
    ),
    ['a schema that another depends on', { dependentSchemas: { example: gone } }, /Gone", which is not in it/],
  ])('%s', (_what, given, words) => {
    expect(() => readDocument('document', documentOf(given))).toThrow(words)
  })

  it('an example of a media type', () => {
    const content = { 'text/plain': { examples: { one: { $ref: '#/components/examples/Gone' } } } }
    const paths = { '/': { get: { responses: { default: { content } } } } }
    expect(() => readDocument('document', documentOf({}, {}, { paths }))).toThrow(/examples\/Gone", which is not in it/)
  })
})

it('data that looks like a reference is left alone', () => {
  const data = { $ref: 'anything', $id: 7, $anchor: ['x'] }
  const given = { default: data, const: data, enum: [data], example: data, examples: [data], 'x-own': data }
  const content = { 'text/plain': { examples: { one: { value: data } }, example: data } }
  const whole = documentOf(given, {}, { paths: { '/': { get: { responses: { default: { content } } } } } })
  expect(readDocument('document', whole)).toEqual(whole)
})

it('references between paths, as bundlers write them, lead to the same when the paths of one API are taken', () => {
  const answer = (schema: object): object => ({
    get: { responses: { 200: { content: { 'application/json': { schema } } } } },
  })
  const SCHEMA = '/get/responses/200/content/application~1json/schema'
  const paths = {
    '/orders/items': answer(SHED),
    '/orders': answer({ $ref: `#/paths/~1orders~1items${SCHEMA}` }),
    '/orders/all': answer({ $ref: `#/paths/~1catalog${SCHEMA}` }),
    '/catalog': answer({ $ref: `#/paths/~1catalog~1items${SCHEMA}` }),
    '/catalog/items': answer(SHED),
    '/secret': answer(SHED),
  }
  const taken = takeBelow('prefix', readDocument('document', documentOf({}, {}, { paths })), '/orders')
  for (const path of ['/', '/items', '/all']) {
    const schema = find(taken, 'paths', path, 'get', 'responses', '200', 'content', 'application/json', 'schema')
    expect(resolve(taken, schema), path).toMatchObject(SHED)
  }
  expect(readDocument('document', taken)).toEqual(taken)
  expect(JSON.stringify(taken)).not.toContain('secret')
})
