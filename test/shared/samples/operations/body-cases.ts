import type { OperationCase } from './operation-case.js'

const ROOF = { type: 'object', properties: { roof: { type: 'string', example: 'tin' } } }
const JSON_TEXT = '{\n  "roof": "tin"\n}'
const json = (content: object, body: string, more: Partial<OperationCase> = {}): Omit<OperationCase, 'title'> => ({
  body: ['application/json', content],
  expected: { type: 'application/json', body },
  ...more,
})

/** Operations with bodies that are no forms. */
export const BODY_CASES: readonly OperationCase[] = [
  { title: 'JSON made of a schema', ...json({ schema: ROOF }, JSON_TEXT) },
  {
    title: 'JSON of an example',
    ...json(
      { example: ['ü', 'it\'s "q" $HOME `x` \\n', 1.5, null] },
      '[\n  "ü",\n  "it\'s \\"q\\" $HOME `x` \\\\n",\n  1.5,\n  null\n]',
    ),
  },
  { title: 'JSON in a string', ...json({ schema: ROOF, example: '{"roof":"tin"}' }, '{"roof":"tin"}') },
  { title: 'a JSON string', ...json({ schema: { type: 'string' }, example: 'tin' }, '"tin"') },
  {
    title: 'JSON as the document writes it',
    ...json({ examples: { a: { dataValue: { a: 1 }, serializedValue: '{ "a" : 1 }' } } }, '{ "a" : 1 }', {
      version: '3.2.0',
    }),
  },
  {
    title: 'JSON with another media type',
    method: 'patch',
    body: ['application/merge-patch+json; charset=utf-8', { schema: ROOF }],
    expected: { type: 'application/merge-patch+json; charset=utf-8', body: JSON_TEXT },
  },
  { title: 'any media type', body: ['*/*', { schema: ROOF }], expected: { type: 'application/json', body: JSON_TEXT } },
  { title: 'an optional body of POST', ...json({ schema: ROOF }, JSON_TEXT, { required: false }) },
  { title: 'a required body of DELETE', ...json({ schema: ROOF }, JSON_TEXT, { method: 'delete' }) },
  {
    title: 'an optional body of DELETE',
    ...json({ schema: ROOF }, '', { method: 'delete', required: false, expected: {} }),
  },
  { title: 'an optional body of GET', ...json({ schema: ROOF }, '', { method: 'get', required: false, expected: {} }) },
  {
    title: 'an optional form of GET',
    method: 'get',
    required: false,
    body: ['application/x-www-form-urlencoded', { schema: { ...ROOF, required: ['roof'] } }],
    expected: {},
  },
  {
    title: 'a required body of GET',
    ...json({ schema: ROOF }, JSON_TEXT, { method: 'get', unable: ['javascript', 'browser'] }),
  },
  {
    title: 'a required body of HEAD',
    ...json({ schema: ROOF }, JSON_TEXT, { method: 'head', unable: ['curl', 'javascript', 'php', 'browser'] }),
  },
  {
    title: 'a text',
    body: ['text/plain', { example: ' a\n\n b\n' }],
    expected: { type: 'text/plain', body: ' a\n\n b\n' },
  },
  {
    title: 'CSV with its line breaks',
    body: ['text/csv', { example: 'a,b\r\n1,"2"\r\n' }],
    expected: { type: 'text/csv', body: 'a,b\r\n1,"2"\r\n' },
  },
  { title: 'CSV without an example', body: ['text/csv', { schema: ROOF }], required: false, expected: {} },
  {
    title: 'YAML',
    body: ['application/yaml', { schema: ROOF }],
    expected: { type: 'application/yaml', body: JSON_TEXT },
  },
  {
    title: 'lines of JSON',
    version: '3.2.0',
    body: ['application/jsonl', { itemSchema: ROOF }],
    expected: { type: 'application/jsonl', body: '{"roof":"tin"}\n' },
  },
  {
    title: 'several lines of JSON',
    body: ['application/x-ndjson', { example: [{ a: 1 }, { a: 2 }] }],
    expected: { type: 'application/x-ndjson', body: '{"a":1}\n{"a":2}\n' },
  },
  {
    title: 'an event stream',
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
  {
    title: 'a file',
    method: 'put',
    body: ['image/png', { schema: { type: 'string', format: 'binary' } }],
    expected: { type: 'image/png', body: 'FILE' },
  },
  {
    title: 'a file of any type',
    method: 'put',
    body: ['application/*', {}],
    expected: { type: 'application/octet-stream', body: 'FILE' },
  },
  {
    title: 'XML with attributes, other names and namespaces',
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
  {
    title: 'XML with lists',
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
  {
    title: 'XML with kinds of nodes',
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
  { title: 'XML whose root has no name', required: false, body: ['application/xml', { schema: ROOF }], expected: {} },
  {
    title: 'XML of an example',
    body: ['text/xml', { example: '<a>\n  <b/>\n</a>\n' }],
    expected: { type: 'text/xml', body: '<a>\n  <b/>\n</a>\n' },
  },
]
