import type { OperationCase, OperationCases } from './operation-case.js'

const ROOF = { type: 'object', properties: { roof: { type: 'string', example: 'tin' } } }
const JSON_TEXT = '{\n  "roof": "tin"\n}'
const json = (content: object, body: string, more: Partial<OperationCase> = {}): OperationCase => ({
  body: ['application/json', content],
  expected: { type: 'application/json', body },
  ...more,
})

/** Operations with bodies that are no forms. */
export const BODY_CASES: OperationCases = {
  'JSON made of a schema': json({ schema: ROOF }, JSON_TEXT),
  'JSON of an example': json(
    { example: ['ü', 'it\'s "q" $HOME `x` \\n', 1.5, null] },
    '[\n  "ü",\n  "it\'s \\"q\\" $HOME `x` \\\\n",\n  1.5,\n  null\n]',
  ),
  'JSON in a string': json({ schema: ROOF, example: '{"roof":"tin"}' }, '{"roof":"tin"}'),
  'a JSON string': json({ schema: { type: 'string' }, example: 'tin' }, '"tin"'),
  'JSON as the document writes it': json(
    { examples: { a: { dataValue: { a: 1 }, serializedValue: '{ "a" : 1 }' } } },
    '{ "a" : 1 }',
    { version: '3.2.0' },
  ),
  'JSON with another media type': {
    method: 'patch',
    body: ['application/merge-patch+json; charset=utf-8', { schema: ROOF }],
    expected: { type: 'application/merge-patch+json; charset=utf-8', body: JSON_TEXT },
  },
  'any media type': { body: ['*/*', { schema: ROOF }], expected: { type: 'application/json', body: JSON_TEXT } },
  'an optional body of POST': json({ schema: ROOF }, JSON_TEXT, { required: false }),
  'a required body of DELETE': json({ schema: ROOF }, JSON_TEXT, { method: 'delete' }),
  'an optional body of DELETE': json({ schema: ROOF }, '', { method: 'delete', required: false, expected: {} }),
  'an optional body of GET': json({ schema: ROOF }, '', { method: 'get', required: false, expected: {} }),
  'an optional form of GET': {
    method: 'get',
    required: false,
    body: ['application/x-www-form-urlencoded', { schema: { ...ROOF, required: ['roof'] } }],
    expected: {},
  },
  'a required body of GET': json({ schema: ROOF }, JSON_TEXT, { method: 'get', unable: ['javascript', 'browser'] }),
  'a required body of HEAD': json({ schema: ROOF }, JSON_TEXT, {
    method: 'head',
    unable: ['curl', 'javascript', 'php', 'browser'],
  }),
  'a text': { body: ['text/plain', { example: ' a\n\n b\n' }], expected: { type: 'text/plain', body: ' a\n\n b\n' } },
  'CSV with its line breaks': {
    body: ['text/csv', { example: 'a,b\r\n1,"2"\r\n' }],
    expected: { type: 'text/csv', body: 'a,b\r\n1,"2"\r\n' },
  },
  'CSV without an example': { body: ['text/csv', { schema: ROOF }], required: false, expected: {} },
  YAML: { body: ['application/yaml', { schema: ROOF }], expected: { type: 'application/yaml', body: JSON_TEXT } },
  'lines of JSON': {
    version: '3.2.0',
    body: ['application/jsonl', { itemSchema: ROOF }],
    expected: { type: 'application/jsonl', body: '{"roof":"tin"}\n' },
  },
  'several lines of JSON': {
    body: ['application/x-ndjson', { example: [{ a: 1 }, { a: 2 }] }],
    expected: { type: 'application/x-ndjson', body: '{"a":1}\n{"a":2}\n' },
  },
  'an event stream': {
    version: '3.2.0',
    body: [
      'text/event-stream',
      {
        itemSchema: {
          type: 'object',
          properties: { event: { const: 'add' }, data: { type: 'string', example: 'a\nb' } },
        },
      },
    ],
    expected: { type: 'text/event-stream', body: 'event: add\ndata: a\ndata: b\n\n' },
  },
  'a file': {
    method: 'put',
    body: ['image/png', { schema: { type: 'string', format: 'binary' } }],
    expected: { type: 'image/png', body: 'FILE' },
  },
  'a file of any type': {
    method: 'put',
    body: ['application/*', {}],
    expected: { type: 'application/octet-stream', body: 'FILE' },
  },
  'XML with attributes, other names and namespaces': {
    body: [
      'application/xml',
      {
        schema: {
          type: 'object',
          xml: { name: 'shed', prefix: 's', namespace: 'https://example.com/s' },
          properties: {
            id: { type: 'integer', example: 7, xml: { attribute: true } },
            roof: { type: 'string', example: 'tin & "<x>"', xml: { name: 'Roof' } },
            empty: { type: 'string', example: '' },
          },
        },
      },
    ],
    expected: {
      type: 'application/xml',
      body: '<?xml version="1.0" encoding="UTF-8"?>\n<s:shed xmlns:s="https://example.com/s" id="7">\n  <Roof>tin &amp; &quot;&lt;x&gt;&quot;</Roof>\n  <empty/>\n</s:shed>',
    },
  },
  'XML with lists': {
    version: '3.0.3',
    body: ['application/xml', { schema: { $ref: '#/components/schemas/Shed' } }],
    components: {
      schemas: {
        Shed: {
          type: 'object',
          properties: {
            tag: { type: 'array', items: { type: 'string' }, example: ['a', 'b'] },
            tools: {
              type: 'array',
              xml: { wrapped: true },
              items: { type: 'string', xml: { name: 'tool' } },
              example: ['saw'],
            },
            doors: {
              type: 'array',
              xml: { name: 'door', wrapped: true },
              items: { allOf: [{ $ref: '#/components/schemas/Door' }] },
            },
          },
        },
        Door: { type: 'object', properties: { width: { type: 'integer', example: 2, xml: { attribute: true } } } },
      },
    },
    expected: {
      type: 'application/xml',
      body: '<?xml version="1.0" encoding="UTF-8"?>\n<Shed>\n  <tag>a</tag>\n  <tag>b</tag>\n  <tools>\n    <tool>saw</tool>\n  </tools>\n  <door>\n    <door width="2"/>\n  </door>\n</Shed>',
    },
  },
  'XML with kinds of nodes': {
    version: '3.2.0',
    body: [
      'application/soap+xml',
      {
        schema: {
          type: 'object',
          xml: { name: 'note' },
          properties: {
            lang: { type: 'string', example: 'en', xml: { nodeType: 'attribute' } },
            text: { type: 'string', example: 'a < b', xml: { nodeType: 'cdata' } },
          },
        },
      },
    ],
    expected: {
      type: 'application/soap+xml',
      body: '<?xml version="1.0" encoding="UTF-8"?>\n<note lang="en"><![CDATA[a < b]]></note>',
    },
  },
  'XML whose root has no name': { required: false, body: ['application/xml', { schema: ROOF }], expected: {} },
  'XML of an example': {
    body: ['text/xml', { example: '<a>\n  <b/>\n</a>\n' }],
    expected: { type: 'text/xml', body: '<a>\n  <b/>\n</a>\n' },
  },
}
