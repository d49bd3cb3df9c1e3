import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { isLeftOut, listBodyContents } from '../../../../src/tools/console/reference/body-contents.js'
import { readSchema } from '../../../../src/tools/console/reference/read-schema.js'
import { createSampleBody } from '../../../../src/tools/console/reference/sample-call.js'
import { asObject, listCallableOperations, type JsonObject } from '../../../../src/shared/openapi/document.js'
import { listObjects, readReference } from '../../../../src/shared/openapi/references.js'
import { readDocument } from '../../../../src/shared/openapi/read-document.js'
import { isJson } from '../../../../src/shared/samples/serialize.js'
import { IS_LONG_LANE } from '../../../support/long-lane.js'
import { listRealDocuments } from '../real-documents.js'

// The JSON body that a page fills in, and that samples send, is valid by the document's own schema, as a validator of JSON
// Schema reads it.

const SMALL = new URL('../documents/small/', import.meta.url)

/** Refers to what is not there. */
const REFUSED = 'ref-under-value.json'

const DOCUMENTS: [name: string, given: unknown][] = [
  ...readdirSync(SMALL)
    .filter((file) => file !== REFUSED)
    .map((file): [string, unknown] => [file, JSON.parse(readFileSync(new URL(file, SMALL), 'utf8'))]),
  ...[...listRealDocuments()]
    // GitHub's has as many bodies as all others together.
    .filter(([name]) => IS_LONG_LANE || name !== 'github')
    .map(([name, { read }]): [string, unknown] => [name, read()]),
]

const AMBIGUOUS = 'is valid by more than one schema of a oneOf'

/** Bodies that nothing can make valid: by what the document says about them. */
const WRONG: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // The document's own examples.
  'm10-enum-only.json': { 'POST /a': '/h must match format "uuid"' },
  enums: {
    'POST /anything/strings': '/enum (with non-value example) must be equal to one of the allowed values',
  },
  train: { 'POST /bookings': '/trip_id must match format "uuid"' },
  github: {
    'POST /orgs/{org}/issue-fields': "/options/0 must have required property 'priority'",
    'POST /user/keys': '/key must match pattern "^ssh-(rsa|dss|ed25519) |^ecdsa-sha2-nistp(256|384|521) "',
    'POST /user/ssh_signing_keys':
      '/key must match pattern "^ssh-(rsa|dss|ed25519) |^ecdsa-sha2-nistp(256|384|521) |^(sk-ssh-ed25519|sk-ecdsa-sha2-nistp256)@openssh.com "',
    'PUT /user/codespaces/secrets/{secret_name}/repositories': '/selected_repository_ids/0 must be integer',
  },
  digitalocean: {
    'POST /v2/droplets/actions': AMBIGUOUS,
    'PUT /v2/databases/{database_cluster_uuid}/maintenance': '/hour must be string',
    'PUT /v2/kubernetes/clusters/{cluster_id}': '/maintenance_policy/start_time must be string',
  },
  // Types that exclude each other.
  types: {
    'PATCH /anything/quirks/polymorphism': ' must be string',
    'POST /anything/quirks/polymorphism': '/incompatible must be string',
    'PUT /anything/quirks/polymorphism': ' must be string',
  },
  discriminators: {
    'PATCH /discriminator-with-mapping': AMBIGUOUS,
    'PATCH /discriminator-with-no-mapping': AMBIGUOUS,
    'PATCH /embedded-discriminator': AMBIGUOUS,
    'PATCH /improper-discriminator-placement': AMBIGUOUS,
    'PATCH /mapping-of-schema-names': AMBIGUOUS,
    'PATCH /mapping-with-duplicate-schemas': AMBIGUOUS,
    'PATCH /nested-one-of-object-with-nested-one-of': AMBIGUOUS,
    'PATCH /oneof-allof-top-level-disc': AMBIGUOUS,
    'POST /potentially-undefined-formData': AMBIGUOUS,
  },
  polymorphism: {
    'PATCH /pets': AMBIGUOUS,
    'POST /anything/nested-one-of-object-ref': AMBIGUOUS,
    'POST /anything/nested-one-of-object-with-nested-one-of': AMBIGUOUS,
    'POST /anything/nested-one-of-ref': AMBIGUOUS,
    'POST /anything/one-of-object': AMBIGUOUS,
    'POST /anything/one-of-object-ref': AMBIGUOUS,
    'POST /one-of-complex': AMBIGUOUS,
    'POST /one-of-with-type': AMBIGUOUS,
  },
}

describe('the body that a page sends unasked is valid in', () => {
  it.each(DOCUMENTS)('%s', (name, given) => {
    const document = readDocument('document', given)
    const validate = createValidator(document, true)
    let looser: typeof validate | undefined
    const wrong = listCallableOperations(document).flatMap((operation) => {
      const [content] = listBodyContents(document, operation)
      const body = createSampleBody(document, operation)
      if (content?.kind !== 'text' || !isJson(content.mediaType) || isLeftOut(document, operation)) return []
      const text = body && 'text' in body ? body.text : undefined
      const schema = content.members['schema'] ?? true
      const name = `${operation.method} ${operation.path}`
      if (text === undefined) return [[name, 'is missing']]
      if (validate(schema, JSON.parse(text)) === undefined) return []
      looser ??= createValidator(document, false)
      return [[name, looser(schema, JSON.parse(text)) ?? AMBIGUOUS]]
    })
    expect(Object.fromEntries(wrong)).toEqual(WRONG[name] ?? {})
  })
})

const text = { type: 'string' }
const nested = (schema: object, depth: number): object =>
  depth === 0 ? schema : { type: 'object', required: ['in'], properties: { in: nested(schema, depth - 1) } }
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })

describe('a value made of a schema is valid:', () => {
  const schemas = {
    Toy: {
      type: 'object',
      required: ['name'],
      properties: { name: { ...text, maxLength: 4 }, age: { type: 'integer' } },
    },
    Node: {
      type: 'object',
      required: ['next', 'all'],
      properties: { next: { anyOf: [ref('Node'), { type: 'null' }] }, all: { type: 'array', items: ref('Node') } },
    },
    Leaf: { type: 'object', required: ['leaf'], properties: { leaf: { oneOf: [ref('Leaf'), text] } } },
    Self: { type: 'object', properties: { optional: ref('Endless') } },
    Endless: { type: 'object', required: ['again'], properties: { again: ref('Endless') } },
  }
  it.each<object>([
    ...[
      { minimum: 3 },
      { minimum: 3, exclusiveMinimum: 3 },
      { exclusiveMinimum: 3 },
      { maximum: -3 },
      { exclusiveMaximum: 0 },
      { minimum: 0.5, maximum: 0.6 },
      { exclusiveMinimum: 0, exclusiveMaximum: 1 },
      { multipleOf: 0.01, minimum: 0.283 },
      { multipleOf: 7, minimum: 50, maximum: 60 },
      { multipleOf: 0.5, exclusiveMinimum: 3 },
    ].map((rules) => ({ type: 'number', ...rules })),
    ...[
      { exclusiveMinimum: 3 },
      { minimum: 2.5 },
      { multipleOf: 1.5, minimum: 1 },
      { maximum: -1, multipleOf: 4 },
      { minimum: -5, maximum: -3 },
    ].map((rules) => ({ type: 'integer', ...rules })),
    ...[
      { maxLength: 3 },
      { maxLength: 0 },
      { minLength: 300 },
      { minLength: 8, maxLength: 8 },
      { format: 'email', maxLength: 8 },
      { format: 'uri', maxLength: 8 },
      { format: 'byte', maxLength: 4 },
      { contentEncoding: 'base64', format: 'byte' },
    ].map((rules) => ({ ...text, ...rules })),
    ...'date date-time time duration email hostname ipv4 ipv6 uri url uri-reference json-pointer regex uuid byte'
      .split(' ')
      .flatMap((format) => [
        { ...text, format },
        { type: 'array', minItems: 12, uniqueItems: true, items: { ...text, format } },
      ]),
    ...[
      '^[A-Z]{2}$',
      '^\\d{5}$',
      '^AC[0-9a-fA-F]{32}$',
      '^(foo|bar)-\\w+$',
      '^\\+?[1-9]\\d{1,14}$',
      '^[a-z]+(?:-[a-z]+)*$',
      '^https?://.+',
      '[^a-z]',
      '^\\d{4}-\\d{2}-\\d{2}$',
      '^[\\w.-]+@[\\w.-]+$',
      '^(?<year>20\\d\\d)$',
      '^\\u00e9\\x41?\\.$',
      '^(a|b){3}$',
      '^$',
      '^[-+]?\\d*\\.?\\d+$',
      'x',
      '^\\/[a-z]',
      '^[\\]]{2}|z$',
    ].flatMap((pattern) => [
      { ...text, pattern },
      { type: 'array', uniqueItems: true, minItems: 1, items: { ...text, pattern } },
    ]),
    { ...text, pattern: '^[a-z]+$', minLength: 12, maxLength: 14 },
    { ...text, pattern: '^[a-z]+$', maxLength: 2 },
    { ...text, pattern: '^[A-Z]+-\\d*$', minLength: 20 },
    { ...text, format: 'uuid', pattern: '^[0-9a-f]{8}-' },
    { type: 'array', minItems: 3, items: text },
    { type: 'array', minItems: 3, uniqueItems: true, items: { ...text, maxLength: 2 } },
    { type: 'array', minItems: 3, uniqueItems: true, items: { type: 'integer', minimum: 4, multipleOf: 4 } },
    { type: 'array', minItems: 3, uniqueItems: true, items: ref('Toy') },
    { type: 'array', minItems: 2, uniqueItems: true, items: { type: 'boolean' } },
    { type: 'array', minItems: 2, uniqueItems: true, items: { enum: ['a', 'b'], default: 'a' } },
    { type: 'array', minItems: 2, uniqueItems: true, items: { type: 'array', items: { type: 'integer' } } },
    { type: 'array', maxItems: 0, items: text },
    { type: 'array', contains: { const: 7 }, minContains: 2 },
    { type: 'array', prefixItems: [text, { type: 'integer' }], minItems: 4, items: { type: 'boolean' } },
    {
      type: 'object',
      propertyNames: { enum: ['a', 'b'] },
      additionalProperties: { type: 'integer' },
      minProperties: 2,
    },
    { type: 'object', propertyNames: { pattern: '^[A-Z]{3}$' }, additionalProperties: text },
    {
      type: 'object',
      patternProperties: { '^x-\\d$': { type: 'integer' } },
      additionalProperties: false,
      minProperties: 2,
    },
    { type: 'object', minProperties: 5 },
    { type: 'object', maxProperties: 1, properties: { a: text, b: text }, required: ['b'] },
    { type: 'object', required: ['unknown'], properties: { a: {} } },
    { type: 'object', properties: { a: text }, dependentRequired: { a: ['b'] } },
    { required: ['a'], minProperties: 2 },
    { minLength: 9 },
    { multipleOf: 3, minimum: 1 },
    { allOf: [{ ...text, minLength: 9 }, { minLength: 3, maxLength: 20 }, { maxLength: 10 }] },
    { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] },
    {
      allOf: [
        { ...ref('Toy'), example: { age: 1 } },
        { required: ['age', 'size'], properties: { size: text } },
      ],
    },
    {
      type: 'object',
      required: ['own'],
      properties: { own: text },
      anyOf: [{ properties: { a: { type: 'integer' } }, required: ['a'] }],
    },
    { type: 'object', oneOf: [ref('Endless'), ref('Toy')] },
    { anyOf: [{ type: 'integer', minimum: 4 }, text], maximum: 9 },
    { type: 'integer', oneOf: [{ minimum: 4 }, { maximum: -4 }] },
    {
      type: 'object',
      properties: { a: text },
      oneOf: [{ required: ['a'] }],
      anyOf: [{ required: ['b'] }, { required: ['c'] }],
    },
    { ...ref('Toy'), properties: { knots: { type: 'integer' } }, required: ['knots'] },
    { ...ref('Toy'), required: ['age'], properties: { name: { minLength: 3 } } },
    {
      type: 'array',
      items: { ...ref('Toy'), properties: { more: { ...ref('Toy'), required: ['age'] } }, required: ['more'] },
    },
    ref('Node'),
    ref('Leaf'),
    ref('Self'),
    nested({ ...text, maxLength: 2 }, 30),
    { type: 'object', properties: { a: nested({ ...text, maxLength: 2 }, 12) } },
  ])('%j', (schema) => {
    const post = { requestBody: { content: { 'application/json': { schema } } }, responses: {} }
    const document = readDocument('document', {
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      paths: { '/': { post } },
      components: { schemas },
    })
    const [operation] = listCallableOperations(document)
    const body = createSampleBody(document, operation!)
    const sent = body && 'text' in body ? body.text : 'null'
    const [content] = listBodyContents(document, operation!)
    expect(createValidator(document, true)(content!.members['schema'], JSON.parse(sent)), sent).toBeUndefined()
  })
})

/** Finds what is wrong with a value that is sent. If it is not strict, several schemas of a `oneOf` may match. */
function createValidator(
  document: JsonObject,
  isStrict: boolean,
): (schema: unknown, value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false, unicodeRegExp: false })
  addFormats.default(ajv)
  if (!isStrict)
    ajv.removeKeyword('oneOf').addKeyword({ keyword: 'oneOf', macro: (anyOf: unknown): object => ({ anyOf }) })
  const keywords = new Set(listObjects(document).map(({ object }) => object))
  ajv.addSchema(rewrite(document) as object, 'document:')
  return (schema, value) => {
    const validate = ajv.compile(rewrite(schema) as object)
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: '' })
  }

  /** JSON Schema 2020-12 of what OpenAPI writes in its own way. A property that only answers have is not required. */
  function rewrite(part: unknown): unknown {
    if (typeof part !== 'object' || part === null) return part
    if (Array.isArray(part)) return part.map(rewrite)
    if (!keywords.has(part as JsonObject)) return rewriteMembers(part)
    const { $id: _id, $anchor: _anchor, $dynamicRef: _dynamic, nullable, ...written } = rewriteMembers(part)
    const reference = readReference(part)
    if (reference !== undefined) written['$ref'] = `document:${reference}`
    if (nullable === true && 'type' in written) written['type'] = [written['type'], 'null']
    for (const [exclusive, bound] of EXCLUSIVE) {
      if (written[exclusive] === true) written[exclusive] = written[bound]
      else if (written[exclusive] === false) delete written[exclusive]
    }
    if (Array.isArray(written['required']))
      written['required'] = written['required'].filter((name) => !isReadOnly(part, name))
    return written
  }

  function rewriteMembers(part: object): JsonObject {
    const members = Object.entries(part).filter(([name]) => !keywords.has(part as JsonObject) || !DATA.has(name))
    return asObject(Object.fromEntries(members.map(([name, value]) => [name, rewrite(value)])))
  }

  function isReadOnly(schema: unknown, name: string): boolean {
    return readSchema(document, asObject(readSchema(document, schema)['properties'])[name])['readOnly'] === true
  }
}

const EXCLUSIVE = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const

/** Members that are no schemas, and no rules. */
const DATA = new Set(['example', 'examples', 'default'])
