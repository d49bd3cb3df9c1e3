import { describe, expect, it } from 'vitest'
import { createBody, type FieldInput } from '../../../src/shared/samples/body.js'
import { chooseMediaType, isJson } from '../../../src/shared/samples/media-type.js'
import { createMultipart } from '../../../src/shared/samples/multipart.js'

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
