import type { Body, OperationCase, OperationCases, Part } from './operation-case.js'

const FORM = 'multipart/form-data'
const FILE = { type: 'string', format: 'binary' }
const TEXT = { type: 'string', example: 'a' }
const LIST = { type: 'array', items: { type: 'string' }, example: ['a', 'b'] }
const META = { type: 'object', properties: { roof: { type: 'string', example: 'tin' } } }
const JSON_TYPE = { 'content-type': 'application/json' }
const form = (properties: object, more: object = {}, schema: object = {}): Body => [
  FORM,
  { schema: { type: 'object', required: Object.keys(properties), properties, ...schema }, ...more },
]
const sent = (...body: Part[]): OperationCase['expected'] => ({ type: FORM, body })
const file = (name: string, type = 'application/octet-stream'): Part => ({
  name,
  file: 'FILE',
  content: 'FILE',
  headers: { 'content-type': type },
})

/** Operations with `multipart/...`, by the Encoding Object. */
export const MULTIPART_CASES: OperationCases = {
  'a file and a text': {
    body: form({ note: TEXT, photo: FILE }),
    expected: sent({ name: 'note', content: 'a' }, file('photo')),
  },
  'an object, which is JSON': {
    version: '3.0.3',
    body: form({ meta: META, photo: FILE }),
    expected: sent({ name: 'meta', content: '{"roof":"tin"}', headers: JSON_TYPE }, file('photo')),
  },
  'media types of parts': {
    body: form(
      { note: TEXT, xml: { type: 'string', example: '<a b="c;d">@</a>' }, photo: FILE },
      {
        encoding: {
          note: { contentType: 'text/markdown; charset=utf-8' },
          xml: { contentType: 'application/xml' },
          photo: { contentType: 'image/png, image/jpeg' },
        },
      },
    ),
    expected: sent(
      { name: 'note', content: 'a', headers: { 'content-type': 'text/markdown; charset=utf-8' } },
      { name: 'xml', content: '<a b="c;d">@</a>', headers: { 'content-type': 'application/xml' } },
      file('photo', 'image/png'),
    ),
  },
  'a range of media types': {
    body: form({ photo: FILE }, { encoding: { photo: { contentType: 'image/*' } } }),
    expected: sent(file('photo')),
  },
  'a list of texts': {
    body: form({ tags: LIST }),
    expected: sent({ name: 'tags', content: 'a' }, { name: 'tags', content: 'b' }),
  },
  'a list of objects': {
    body: form({ items: { type: 'array', items: META, example: [{ a: 'ü' }, { a: '"q"' }] } }),
    expected: sent(
      { name: 'items', content: '{"a":"ü"}', headers: JSON_TYPE },
      { name: 'items', content: '{"a":"\\"q\\""}', headers: JSON_TYPE },
    ),
  },
  'a list that is JSON as a whole': {
    body: form({ tags: LIST }, { encoding: { tags: { contentType: 'application/json' } } }),
    expected: sent({ name: 'tags', content: '["a","b"]', headers: JSON_TYPE }),
  },
  'a list whose items are JSON': {
    version: '3.2.0',
    body: form({ tags: LIST }, { encoding: { tags: { contentType: 'application/json' } } }),
    expected: sent(
      { name: 'tags', content: '"a"', headers: JSON_TYPE },
      { name: 'tags', content: '"b"', headers: JSON_TYPE },
    ),
  },
  'a list of files': {
    body: form({ photos: { type: 'array', items: { $ref: '#/components/schemas/File' } } }),
    components: { schemas: { File: FILE } },
    expected: sent(file('photos')),
  },
  'headers of parts': {
    body: form(
      { meta: META, photo: FILE },
      {
        encoding: {
          meta: {
            headers: {
              'X-Kind': { required: true, schema: { type: 'string', example: 'it is "so"; x' } },
              'Content-Type': { schema: TEXT },
            },
          },
          photo: {
            contentType: 'image/png',
            headers: {
              'X-Left': { schema: { type: 'integer', example: 7 } },
              'X-Other': { schema: { type: 'string' } },
            },
          },
        },
      },
    ),
    expected: sent(
      { name: 'meta', content: '{"roof":"tin"}', headers: { ...JSON_TYPE, 'x-kind': 'it is "so"; x' } },
      { ...file('photo'), headers: { 'content-type': 'image/png', 'x-left': '7' } },
    ),
  },
  'parts of allOf': {
    body: [
      FORM,
      {
        schema: {
          allOf: [
            { type: 'object', required: ['roof', 'photo'], properties: { roof: TEXT } },
            { type: 'object', properties: { photo: FILE } },
          ],
        },
      },
    ],
    expected: sent({ name: 'roof', content: 'a' }, file('photo')),
  },
  'parts of the first alternative': {
    body: [
      FORM,
      {
        schema: {
          required: ['roof'],
          oneOf: [
            { type: 'object', required: ['photo'], properties: { roof: TEXT, photo: FILE } },
            { type: 'object', properties: { url: TEXT } },
          ],
        },
      },
    ],
    expected: sent({ name: 'roof', content: 'a' }, file('photo')),
  },
  'a part whose schema is of allOf': {
    body: form({ meta: { allOf: [{ $ref: '#/components/schemas/Meta' }], description: 'More.' } }),
    components: { schemas: { Meta: META } },
    expected: sent({ name: 'meta', content: '{"roof":"tin"}', headers: JSON_TYPE }),
  },
  'texts of several lines, with characters of commands': {
    body: form({
      text: { type: 'string', example: '@a;type=b\n"c"\\ $HOME' },
      more: { type: 'string', example: '<d' },
    }),
    expected: sent({ name: 'text', content: '@a;type=b\n"c"\\ $HOME' }, { name: 'more', content: '<d' }),
  },
  'a text in base64': {
    body: form({ icon: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png', example: 'aGk=' } }),
    expected: sent({ name: 'icon', content: 'aGk=', headers: { 'content-type': 'image/png' } }),
  },
  styles: {
    body: form(
      { labels: { type: 'object', example: { a: 1 } }, tags: LIST },
      { encoding: { labels: { style: 'deepObject' }, tags: { explode: false } } },
    ),
    expected: sent({ name: 'labels[a]', content: '1' }, { name: 'tags', content: 'a,b' }),
  },
  'styles, which OpenAPI 3.0 ignores here': {
    version: '3.0.3',
    body: form(
      { labels: { type: 'object', example: { a: 1 } }, photo: FILE },
      { encoding: { labels: { style: 'form' }, photo: { style: 'form' } } },
    ),
    expected: sent({ name: 'labels', content: '{"a":1}', headers: JSON_TYPE }, file('photo')),
  },
  'another type of multipart': {
    body: ['multipart/mixed', form({ meta: META, photo: FILE })[1]],
    expected: {
      type: 'multipart/mixed',
      body: [{ name: 'meta', content: '{"roof":"tin"}', headers: JSON_TYPE }, file('photo')],
    },
  },
  'a file that may be null': {
    body: form({ photo: { anyOf: [FILE, { type: 'null' }] }, meta: { anyOf: [META, { type: 'null' }] } }),
    expected: sent(file('photo'), { name: 'meta', content: '{"roof":"tin"}', headers: JSON_TYPE }),
  },
  'a file that is not required': {
    body: form({ photo: FILE, note: { type: 'string' } }, {}, { required: undefined }),
    expected: sent(file('photo')),
  },
}
