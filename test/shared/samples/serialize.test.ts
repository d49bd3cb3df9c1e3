import { describe, expect, it } from 'vitest'
import { buildHeaders, buildUrl, hasDotSegment } from '../../../src/shared/samples/request.js'
import {
  chooseMediaType,
  isJson,
  serializeHeader,
  serializePathParameter,
  serializeQueryParameter,
  type Parameter,
  type Value,
} from '../../../src/shared/samples/serialize.js'
import { createBody, type FieldInput } from '../../../src/shared/samples/body.js'
import { createMultipart } from '../../../src/shared/samples/multipart.js'

// The table "Style Examples" of the OpenAPI Specification 3.1.1, section 4.8.12.4.
const EMPTY = ''
const TEXT = 'blue'
const LIST = ['blue', 'black', 'brown']
const OBJECT = { R: 100, G: 200, B: 150 }

describe('a parameter is serialized as OpenAPI’s table of styles shows', () => {
  it.each<[style: string, explode: boolean, value: Value, text: string]>([
    ['matrix', false, EMPTY, ';color'],
    ['matrix', false, TEXT, ';color=blue'],
    ['matrix', false, LIST, ';color=blue,black,brown'],
    ['matrix', false, OBJECT, ';color=R,100,G,200,B,150'],
    ['matrix', true, LIST, ';color=blue;color=black;color=brown'],
    ['matrix', true, OBJECT, ';R=100;G=200;B=150'],
    ['label', false, EMPTY, '.'],
    ['label', false, TEXT, '.blue'],
    ['label', false, LIST, '.blue,black,brown'],
    ['label', false, OBJECT, '.R,100,G,200,B,150'],
    ['label', true, LIST, '.blue.black.brown'],
    ['label', true, OBJECT, '.R=100.G=200.B=150'],
    ['simple', false, TEXT, 'blue'],
    ['simple', false, LIST, 'blue,black,brown'],
    ['simple', false, OBJECT, 'R,100,G,200,B,150'],
    ['simple', true, OBJECT, 'R=100,G=200,B=150'],
  ])('in the path: %s, explode %s, %j', (style, explode, value, text) => {
    expect(serializePathParameter({ in: 'path', name: 'color', style, explode, value })).toBe(text)
  })

  it.each<[style: string, explode: boolean, value: Value, text: string]>([
    ['form', false, EMPTY, 'color='],
    ['form', false, TEXT, 'color=blue'],
    ['form', false, LIST, 'color=blue,black,brown'],
    ['form', false, OBJECT, 'color=R,100,G,200,B,150'],
    ['form', true, LIST, 'color=blue&color=black&color=brown'],
    ['form', true, OBJECT, 'R=100&G=200&B=150'],
    ['spaceDelimited', false, LIST, 'color=blue%20black%20brown'],
    ['spaceDelimited', false, OBJECT, 'color=R%20100%20G%20200%20B%20150'],
    ['pipeDelimited', false, LIST, 'color=blue%7Cblack%7Cbrown'],
    ['pipeDelimited', false, OBJECT, 'color=R%7C100%7CG%7C200%7CB%7C150'],
    // A document may say anything.
    ['constructor', false, LIST, 'color=blue,black,brown'],
    ['deepObject', true, OBJECT, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    ['deepObject', true, { a: { b: ['x', 'y'] } }, 'color%5Ba%5D%5Bb%5D%5B%5D=x&color%5Ba%5D%5Bb%5D%5B%5D=y'],
  ])('in the query: %s, explode %s, %j', (style, explode, value, text) => {
    expect(serializeQueryParameter({ in: 'query', name: 'color', style, explode, value }).join('&')).toBe(text)
  })

  it('in headers, which are not percent-encoded', () => {
    const header = { in: 'header', name: 'X-Color' } as const
    expect(serializeHeader({ ...header, value: LIST })).toBe('blue,black,brown')
    expect(serializeHeader({ ...header, value: OBJECT })).toBe('R,100,G,200,B,150')
    expect(serializeHeader({ ...header, value: OBJECT, explode: true })).toBe('R=100,G=200,B=150')
    expect(serializeHeader({ ...header, value: 'ü, "x"' })).toBe('ü, "x"')
  })

  it('with the defaults: simple in paths, form and explode in queries', () => {
    expect(serializePathParameter({ in: 'path', name: 'id', value: LIST })).toBe('blue,black,brown')
    expect(serializeQueryParameter({ in: 'query', name: 'c', value: LIST })).toEqual(['c=blue', 'c=black', 'c=brown'])
    expect(serializeQueryParameter({ in: 'query', name: 'c', value: [] })).toEqual([])
  })
})

describe('the URL of a call', () => {
  const resource = 'https://api.example.com/orders'
  const url = (path: string, ...parameters: Parameter[]): string =>
    buildUrl({ method: 'GET', resource, path, parameters })

  it('encodes what would end the path or the query', () => {
    const id = { in: 'path', name: 'id', value: 'a/b?c#d%2e ü' } as const
    const q = { in: 'query', name: 'q&', value: 'x=1&y#ü+\ud800' } as const
    expect(url('/items/{id}', id, q)).toBe(
      `${resource}/items/a%2Fb%3Fc%23d%252e%20%C3%BC?q%26=x%3D1%26y%23%C3%BC%2B%EF%BF%BD`,
    )
  })

  it('inserts values as they are: $& is no pattern, and {b} no placeholder', () => {
    const [a, b] = [{ in: 'path', name: 'a', value: '$&' } as const, { in: 'path', name: 'b', value: '1' } as const]
    expect(url('/x/{a}/{b}', a, b)).toBe(`${resource}/x/%24%26/1`)
    expect(url('/x/{a}/{b}', { ...a, value: '{b}' }, b)).toBe(`${resource}/x/%7Bb%7D/1`)
  })

  it('keeps the placeholder of a parameter without a value', () => {
    expect(url('/items/{id}')).toBe(`${resource}/items/{id}`)
  })

  it('keeps reserved characters where the document allows them, except those that end a query', () => {
    const parameter = {
      in: 'query',
      name: 'url',
      value: 'https://a.example/?b=[1]&c#d+e',
      allowReserved: true,
    } as const
    expect(url('/x', parameter)).toBe(`${resource}/x?url=https://a.example/?b%3D[1]%26c%23d%2Be`)
  })

  it('sends a parameter with content as JSON', () => {
    const parameter = { in: 'query', name: 'filter', mediaType: 'application/json', value: { a: [1] } } as const
    expect(url('/x', parameter)).toBe(`${resource}/x?filter=%7B%22a%22%3A%5B1%5D%7D`)
  })

  it('sends the whole query of OpenAPI 3.2 as its media type says', () => {
    const parameter = { in: 'querystring', name: 'q', value: { a: 'x y', b: [1] } } as const
    expect(url('/x', { ...parameter, mediaType: 'application/x-www-form-urlencoded' })).toBe(
      `${resource}/x?a=x%20y&b=%5B1%5D`,
    )
    expect(url('/x', { ...parameter, mediaType: 'application/json' })).toBe(
      `${resource}/x?%7B%22a%22%3A%22x%20y%22%2C%22b%22%3A%5B1%5D%7D`,
    )
    expect(url('/x', { ...parameter, mediaType: 'text/plain', value: '$.a' })).toBe(`${resource}/x?%24.a`)
  })

  it.each(['/items/..', '/items/../x', '/items/.?a=1', '/./x', '/%2e%2E/x', '/.%2e', '/items\\..\\x', '/.\t./x'])(
    'has a dot segment: %s',
    (path) => {
      expect(hasDotSegment(resource + path)).toBe(true)
    },
  )

  it.each(['/items/..a', '/items/...', '/a.b/c', '/items?x=/../', '/items#/..'])('has no dot segment: %s', (path) => {
    expect(hasDotSegment(resource + path)).toBe(false)
  })
})

it('headers leave out those that OpenAPI ignores, and join cookies', () => {
  const parameters = [
    { in: 'header', name: 'X-Trace', value: '1' },
    { in: 'header', name: 'authorization', value: 'Bearer x' },
    { in: 'header', name: 'Content-Type', value: 'text/plain' },
    { in: 'cookie', name: 'a', value: '1' },
    { in: 'cookie', name: 'b', value: 'x y' },
  ] as const
  expect(buildHeaders({ method: 'GET', resource: '', path: '', parameters, accept: 'image/png' })).toEqual([
    ['Accept', 'image/png'],
    ['X-Trace', '1'],
    ['Cookie', 'a=1; b=x%20y'],
  ])
})

const FORM = 'application/x-www-form-urlencoded'

describe('a form', () => {
  const create = (...fields: FieldInput[]) => createBody({ mediaType: FORM, fields })

  it('has fields that libraries encode, or a text where they would encode what has a meaning', () => {
    expect(create({ name: 'a', value: ['x', 'y z'] })).toEqual({
      mediaType: FORM,
      fields: [
        { name: 'a', value: 'x' },
        { name: 'a', value: 'y z' },
      ],
    })
    expect(create({ name: 'a', value: ['x', 'y z'], style: 'form', explode: false })).toEqual({
      mediaType: FORM,
      text: 'a=x,y%20z',
    })
  })

  it('has the name of a file, and nothing without fields', () => {
    expect(create({ name: 'a', files: [{ name: 'f.png' }] })).toEqual({
      mediaType: FORM,
      fields: [{ name: 'a', value: 'f.png' }],
    })
    expect(create()).toBeUndefined()
    expect(create({ name: 'a', value: [] })).toBeUndefined()
  })
})

it('a file has its own media type where the document allows it', () => {
  const body = (type: string, contentType: string) =>
    createBody({
      mediaType: 'multipart/form-data; boundary=x',
      fields: [{ name: 'a', files: [{ name: 'f', type }], mediaType: contentType }],
    })
  const expected = (mediaType: string) => ({
    mediaType: 'multipart/form-data',
    fields: [expect.objectContaining({ mediaType })],
  })
  expect(body('image/gif', 'image/png, image/*')).toEqual(expected('image/gif'))
  expect(body('text/plain', 'image/*, image/png')).toEqual(expected('image/png'))
  expect(body('', 'image/*')).toEqual(expected('application/octet-stream'))
  expect(createBody({ mediaType: 'image/*', file: { name: 'f', type: 'image/gif' } })?.mediaType).toBe('image/gif')
})

it('media types are told apart', () => {
  for (const type of ['application/json', 'application/vnd.a+json; charset=utf-8', 'text/json, text/plain'])
    expect(isJson(type)).toBe(true)
  for (const type of ['application/json-seq', 'application/jsonl', 'application/x; a="/json"', 'text/plain'])
    expect(isJson(type)).toBe(false)
  expect(chooseMediaType('*/*')).toBeUndefined()
  expect(chooseMediaType('*/*', 'a/b')).toBe('a/b')
  expect(chooseMediaType('a/*, c/d', 'ab/c')).toBe('c/d')
})

it('a boundary is in no value', () => {
  const { contentType, parts } = createMultipart({
    mediaType: 'multipart/form-data',
    fields: [{ name: 'a', value: 'form-part-3f9c81d2a7' }],
  })
  expect(contentType).toBe('multipart/form-data; boundary=form-part-3f9c81d2a70')
  expect(parts).toHaveLength(2)
  expect(parts.at(-1)).toBe('--form-part-3f9c81d2a70--\r\n')
})
