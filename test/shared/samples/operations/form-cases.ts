import type { Body, OperationCase, OperationCases } from './operation-case.js'

const FORM = 'application/x-www-form-urlencoded'
const LIST = { type: 'array', items: { type: 'string' }, example: ['a', 'b'] }
const OBJECT = { type: 'object', example: { colour: 'red', size: 2 } }
const form = (properties: object, more: object = {}, schema: object = {}): Body => [
  FORM,
  { schema: { type: 'object', required: Object.keys(properties), properties, ...schema }, ...more },
]
const sent = (...body: [name: string, value: string][]): OperationCase['expected'] => ({ type: FORM, body })

/** Operations with forms, by the Encoding Object. */
export const FORM_CASES: OperationCases = {
  fields: {
    body: form({
      name: { type: 'string', example: 'a b&c=d+ü' },
      count: { type: 'integer', example: 3 },
      open: { type: 'boolean', default: true },
    }),
    expected: sent(['name', 'a b&c=d+ü'], ['count', '3'], ['open', 'true']),
  },
  'a list without encoding': { body: form({ tags: LIST }), expected: sent(['tags', 'a'], ['tags', 'b']) },
  'a list with style form': {
    body: form({ tags: LIST }, { encoding: { tags: { style: 'form', explode: true } } }),
    expected: sent(['tags', 'a'], ['tags', 'b']),
  },
  'a list in one value, whose commas are not encoded': {
    body: form({ tags: { ...LIST, example: ['a', 'b,c'] } }, { encoding: { tags: { explode: false } } }),
    expected: { type: FORM, body: 'tags=a,b%2Cc' },
  },
  'lists with spaces and pipes between': {
    body: form(
      { s: LIST, p: LIST },
      { encoding: { s: { style: 'spaceDelimited' }, p: { style: 'pipeDelimited', explode: false } } },
    ),
    expected: sent(['s', 'a b'], ['p', 'a|b']),
  },
  'an object without encoding is JSON': {
    body: form({ labels: OBJECT }),
    expected: sent(['labels', '{"colour":"red","size":2}']),
  },
  'an object with style form': {
    body: form({ labels: OBJECT }, { encoding: { labels: { style: 'form' } } }),
    expected: sent(['colour', 'red'], ['size', '2']),
  },
  'a deep object': {
    version: '3.0.3',
    body: form({ labels: OBJECT }, { encoding: { labels: { style: 'deepObject', explode: true } } }),
    expected: sent(['labels[colour]', 'red'], ['labels[size]', '2']),
  },
  'deep objects and lists, nested': {
    body: form(
      {
        card: { type: 'object', example: { owner: { name: 'A' }, tags: ['x', 'y'] } },
        items: { type: 'array', items: { type: 'object' }, example: [{ price: 1, n: 2 }, { price: 3 }] },
        expand: LIST,
      },
      {
        encoding: {
          card: { style: 'deepObject' },
          items: { style: 'deepObject', explode: true },
          expand: { style: 'deepObject', explode: true },
        },
      },
    ),
    expected: sent(
      ['card[owner][name]', 'A'],
      ['card[tags][]', 'x'],
      ['card[tags][]', 'y'],
      ['items[0][price]', '1'],
      ['items[0][n]', '2'],
      ['items[1][price]', '3'],
      ['expand[]', 'a'],
      ['expand[]', 'b'],
    ),
  },
  'a list of objects without encoding': {
    body: form({ items: { type: 'array', items: OBJECT, example: [{ a: 1 }, { a: 2 }] } }),
    expected: sent(['items', '{"a":1}'], ['items', '{"a":2}']),
  },
  'a field with a media type': {
    body: form(
      { a: { type: 'string', example: 'x' }, tags: LIST },
      { encoding: { a: { contentType: 'application/json' }, tags: { contentType: 'application/json' } } },
    ),
    expected: sent(['a', '"x"'], ['tags', '["a","b"]']),
  },
  'reserved characters that stay as they are': {
    body: form(
      { url: { type: 'string', example: 'https://a.example/?b&c' } },
      { encoding: { url: { allowReserved: true } } },
    ),
    expected: { type: FORM, body: 'url=https://a.example/?b%26c' },
  },
  'fields of allOf, without those of answers': {
    body: [
      FORM,
      {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Named' },
            { properties: { id: { type: 'string', readOnly: true, example: '1' } } },
          ],
        },
      },
    ],
    components: {
      schemas: {
        Named: { type: 'object', required: ['name'], properties: { name: { type: 'string', example: 'A' } } },
      },
    },
    expected: sent(['name', 'A']),
  },
  'an example of the whole form, with an optional field': {
    body: form(
      { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string', example: 'z' } },
      { example: { a: 'x', b: 'y' } },
      { required: ['a'] },
    ),
    expected: sent(['a', 'x'], ['b', 'y']),
  },
  'an example of the whole form, with a field that has no schema': {
    body: [
      'Application/X-WWW-Form-URLencoded; charset=utf-8',
      { schema: { properties: { a: { type: 'string' } } }, example: { b: [1, 2], a: 'x' } },
    ],
    expected: sent(['b', '1'], ['b', '2'], ['a', 'x']),
  },
  'fields of the first alternative': {
    body: [
      FORM,
      { schema: { oneOf: [{ $ref: '#/components/schemas/Named' }, { type: 'object', properties: { id: LIST } }] } },
    ],
    components: {
      schemas: {
        Named: { type: 'object', required: ['name'], properties: { name: { type: 'string', example: 'A' } } },
      },
    },
    expected: sent(['name', 'A']),
  },
  'values of properties without a type, or with several': {
    body: form({
      a: { example: ['x', 'y'] },
      b: { example: { c: 1 } },
      d: { type: ['object', 'string'], example: 'none' },
      e: { type: 'array', example: 'z' },
    }),
    expected: sent(['a', 'x'], ['a', 'y'], ['b', '{"c":1}'], ['d', 'none'], ['e', 'z']),
  },
  'values that may be null, as FastAPI writes them': {
    body: form({
      a: { anyOf: [LIST, { type: 'null' }] },
      b: { anyOf: [{ type: 'string', example: 'x' }, { type: 'null' }] },
      c: { const: 'y' },
    }),
    expected: sent(['a', 'a'], ['a', 'b'], ['b', 'x'], ['c', 'y']),
  },
  'examples of fields of which none is required': {
    body: form({ a: { type: 'string', example: 'x' }, b: { type: 'string' } }, {}, { required: undefined }),
    expected: sent(['a', 'x']),
  },
  'an object whose members have examples': {
    body: form({ meta: { type: 'object', properties: { roof: { type: 'string', example: 'tin' } } } }),
    expected: sent(['meta', '{"roof":"tin"}']),
  },
  'a form without properties': {
    required: false,
    body: [FORM, { schema: { type: 'object', properties: {} } }],
    expected: {},
  },
  'a form of any fields': {
    body: [
      FORM,
      {
        schema: { type: 'object', additionalProperties: { type: 'string' } },
        example: { 'a b': 'x&y', c: ['1', '2'] },
      },
    ],
    expected: sent(['a b', 'x&y'], ['c', '1'], ['c', '2']),
  },
  'values of several lines, and items with commas': {
    body: form({
      text: { type: 'string', example: 'a\nb' },
      tags: { ...LIST, example: ['a, b'] },
      '$&[x]': { type: 'string', example: "it's $HOME" },
    }),
    expected: sent(['text', 'a\nb'], ['tags', 'a, b'], ['$&[x]', "it's $HOME"]),
  },
}
