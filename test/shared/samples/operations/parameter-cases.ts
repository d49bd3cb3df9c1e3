import type { OperationCase, OperationCases } from './operation-case.js'

const text = (example: unknown, more: object = {}): object => ({ type: 'string', example, ...more })
const list = (example: unknown, more: object = {}): object => ({
  type: 'array',
  items: { type: 'string' },
  example,
  ...more,
})
const object = (example: unknown): object => ({ type: 'object', example })
const parameter = (place: string, name: string, schema: object, more: object = {}): object => ({
  in: place,
  name,
  required: true,
  schema,
  ...more,
})
const query = (name: string, schema: object, more: object = {}): object => parameter('query', name, schema, more)
/** What is in the query or the path when it is called with these parameters. */
const sends = (url: string, ...parameters: object[]): OperationCase => ({ parameters, expected: { url } })
const LIST = ['blue', 'black', 'a,b']
const COLOUR = { R: 100, G: 200 }

/** Operations with parameters of every kind. */
export const PARAMETER_CASES: OperationCases = {
  'a path parameter whose value has characters with a meaning': {
    path: '/{id}',
    parameters: [parameter('path', 'id', text('a b/c?d#e%2Fü'))],
    expected: { url: '/a%20b%2Fc%3Fd%23e%252F%C3%BC' },
  },
  'a path parameter that is a list': {
    path: '/{ids}',
    parameters: [parameter('path', 'ids', list(LIST))],
    expected: { url: '/blue,black,a%2Cb' },
  },
  'path parameters with styles': {
    path: '/x{ids}/y{colour}',
    parameters: [
      parameter('path', 'ids', list(['a', 'b']), { style: 'label', explode: true }),
      parameter('path', 'colour', object(COLOUR), { style: 'matrix', explode: true }),
    ],
    expected: { url: '/x.a.b/y;R=100;G=200' },
  },
  'a path parameter in JSON': {
    path: '/{filter}',
    parameters: [
      { in: 'path', name: 'filter', required: true, content: { 'application/json': { example: { a: [1] } } } },
    ],
    expected: { url: '/%7B%22a%22%3A%5B1%5D%7D' },
  },
  'a list in the query': sends('?c=blue&c=black&c=a%2Cb', query('c', list(LIST))),
  'a list in the query in one value': sends('?c=blue,black,a%2Cb', query('c', list(LIST), { explode: false })),
  'lists with spaces and pipes between': sends(
    '?s=a%20b&p=a%7Cb',
    query('s', list(['a', 'b']), { style: 'spaceDelimited', explode: false }),
    query('p', list(['a', 'b']), { style: 'pipeDelimited', explode: false }),
  ),
  'objects in the query': sends(
    '?R=1&G%26=x%20y&b=R,100,G,200',
    query('a', object({ R: 1, 'G&': 'x y' })),
    query('b', object(COLOUR), { explode: false }),
  ),
  'a deep object in the query': sends(
    '?f%5Ba%5D=x&f%5Bb%5D%5Bc%5D=true&f%5Bd%5D%5B%5D=1&f%5Bd%5D%5B%5D=2&f%5Be%5D%5B0%5D%5Bg%5D=1&f%5Be%5D%5B1%5D%5Bg%5D=2',
    query('f', object({ a: 'x', b: { c: true }, d: ['1', '2'], e: [{ g: 1 }, { g: 2 }] }), { style: 'deepObject' }),
  ),
  'reserved characters that stay as they are': sends(
    '?u=https://a.example/?b%26c%3Dd',
    query('u', text('https://a.example/?b&c=d'), { allowReserved: true }),
  ),
  'JSON in the query': sends('?f=%5B%22a%22%2C1%5D', {
    in: 'query',
    name: 'f',
    required: true,
    content: { 'application/json': { example: ['a', 1] } },
  }),
  'the whole query': {
    version: '3.2.0',
    parameters: [
      {
        in: 'querystring',
        name: 'q',
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' }, example: { a: 'x y', b: 1 } } },
      },
    ],
    expected: { url: '?a=x%20y&b=1' },
  },
  'values that a query would read otherwise': sends(
    '?at=2026-01-01T00%3A00%3A00%2B01%3A00&q=50%25%20%26%20more%20%231%20%3D%20%C3%BC',
    query('at', text('2026-01-01T00:00:00+01:00')),
    query('q', text('50% & more #1 = ü')),
  ),
  'numbers, choices and defaults, and no optional value': sends(
    '?limit=20&open=false&sort=down&price=1.5',
    query('limit', { type: 'integer', example: 20 }),
    query('open', { type: 'boolean', example: false }),
    query('sort', { type: 'string', enum: ['up', 'down'], default: 'down' }),
    query('price', { type: 'number', default: 1.5 }),
    { in: 'query', name: 'page', schema: { type: 'integer', example: 7 } },
  ),
  headers: {
    parameters: [
      parameter('header', 'X-List', list(['a', 'b'])),
      parameter('header', 'X-Colour', object(COLOUR), { explode: true }),
      parameter('header', 'X-Note', text('it is "so", $HOME')),
    ],
    expected: { headers: { 'x-list': 'a,b', 'x-colour': 'R=100,G=200', 'x-note': 'it is "so", $HOME' } },
  },
  cookies: {
    parameters: [parameter('cookie', 'session', text('a b')), parameter('cookie', 'theme', text('dark'))],
    expected: { headers: { cookie: 'session=a%20b; theme=dark' } },
  },
  HEAD: { method: 'head', parameters: [query('a', text('b'))], expected: { url: '?a=b' } },
  OPTIONS: { method: 'options', expected: {} },
  DELETE: {
    method: 'delete',
    path: '/{id}',
    parameters: [parameter('path', 'id', text('1'))],
    expected: { url: '/1' },
  },
}
