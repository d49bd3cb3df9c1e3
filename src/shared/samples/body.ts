import type { SampleBody, SampleField, SampleFile } from './prepare.js'
import { isList } from '../lib/own-members.js'
import {
  chooseMediaType,
  isJson,
  isMultipart,
  encode,
  format,
  isComposite,
  serializeQueryParameter,
  type Parameter,
  type Value,
} from './serialize.js'

export type BodyInput =
  | Exclude<SampleBody, { fields: unknown }>
  | { readonly mediaType: string; readonly fields: readonly FieldInput[] }

/** A field of a form with its value, or with its files. */
export type FieldInput = FieldEncoding & ({ readonly value: Value } | { readonly files: readonly SampleFile[] })

/** OpenAPI's Encoding Object of a field. */
export interface FieldEncoding extends Pick<Parameter, 'name' | 'explode' | 'allowReserved' | 'mediaType'> {
  /** Given where the field is written as a query parameter is; otherwise it is written in its media type. */
  readonly style?: string
  readonly headers?: SampleField['headers']
}

/** What is sent, the same by every sample and by the browser. Undefined for a form without fields. */
export function createBody(input: BodyInput): SampleBody | undefined {
  const { mediaType } = input
  if ('text' in input) return { text: input.text, mediaType: chooseMediaType(mediaType, guessType(input)) ?? mediaType }
  if ('file' in input) return { file: input.file, mediaType: chooseMediaType(mediaType, input.file.type) ?? BINARY }
  // Neither parameters nor capitals mean anything here.
  const formType = mediaType.replace(/\s*;.*/, '').toLowerCase()
  if (!isMultipart(mediaType)) return createForm(formType, input.fields)
  const fields = input.fields.flatMap(listParts)
  return fields.length === 0 ? undefined : { mediaType: formType, fields }
}

const BINARY = 'application/octet-stream'

function guessType({ mediaType, text }: { readonly mediaType: string; readonly text: string }): string {
  return /^\s*[[{]/.test(text) && !mediaType.startsWith('text/') ? 'application/json' : 'text/plain'
}

export function encodeForm(fields: readonly FieldInput[]): string {
  return fields.flatMap(listPairs).join('&')
}

/** Fields that libraries encode, or a text where they would encode what has a meaning, such as the commas of a list. */
function createForm(mediaType: string, inputs: readonly FieldInput[]): SampleBody | undefined {
  const pairs = inputs.flatMap(listPairs)
  if (pairs.length === 0) return undefined
  const fields = pairs.map(readPair)
  const isPlain = fields.every(({ name, value }, at) => `${encode(name)}=${encode(value)}` === pairs[at])
  return isPlain ? { mediaType, fields } : { mediaType, text: pairs.join('&') }
}

/** Names and values, percent-encoded. A form of this type contains the name of a file, as in HTML. */
function listPairs(field: FieldInput): string[] {
  const key = encode(field.name)
  if ('files' in field) return field.files.map(({ name }) => `${key}=${encode(name)}`)
  if (field.style !== undefined) return serializeQueryParameter({ ...field, in: 'query' })
  return listValues(field).map((value) => `${key}=${encode(write(value, field.mediaType))}`)
}

function readPair(pair: string): { name: string; value: string } {
  const end = pair.indexOf('=')
  return { name: decodeURIComponent(pair.slice(0, end)), value: decodeURIComponent(pair.slice(end + 1)) }
}

/** A part for each file and each item of a list. An object is JSON, as OpenAPI has it where nothing else is said. */
function listParts(field: FieldInput): SampleField[] {
  const { name, mediaType, headers } = field
  const typeOf = ({ type }: SampleFile): string => chooseMediaType(mediaType, type) ?? BINARY
  if ('files' in field) return field.files.map((file) => ({ name, file, headers, mediaType: typeOf(file) }))
  if (field.style !== undefined) return serializeQueryParameter({ ...field, in: 'query' }).map(readPair)
  return listValues(field).map((value) => {
    const type = chooseMediaType(mediaType) ?? (isComposite(value) ? 'application/json' : undefined)
    return { name, value: write(value, type), mediaType: type, headers }
  })
}

function listValues({ value, explode }: { readonly value: Value; readonly explode?: boolean }): readonly Value[] {
  return isList(value) && explode !== false ? value : [value]
}

function write(value: Value, mediaType: string | undefined): string {
  return isJson(mediaType) ? JSON.stringify(value) : format(value)
}
