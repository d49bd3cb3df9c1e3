import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/index.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'
import { readDocument } from '../../../src/shared/openapi/read-document.js'

const folder = await createTemporaryFolder()

async function readText(name: string, text: string): Promise<unknown> {
  const file = join(folder, name)
  await writeFile(file, text)
  return readDocument('document', file)
}

const YAML = `
openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
x-secured: &secured
  security: [{ oauth2: [orders:read] }]
paths:
  /items:
    get:
      <<: *secured
      responses:
        200: { description: no }
`
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  'x-secured': { security: [{ oauth2: ['orders:read'] }] },
  paths: { '/items': { get: { security: [{ oauth2: ['orders:read'] }], responses: { 200: { description: 'no' } } } } },
}

describe('an OpenAPI document is read', () => {
  it.each(['orders.yaml', 'orders.YML'])('from the YAML file %s, with merge keys', async (name) => {
    expect(await readText(name, YAML)).toEqual(DOCUMENT)
  })

  it('from a JSON file, and from an object', async () => {
    expect(await readText('orders.json', JSON.stringify(DOCUMENT))).toEqual(DOCUMENT)
    expect(readDocument('document', DOCUMENT)).toEqual(DOCUMENT)
  })

  it('without anything that it would inherit', () => {
    const document = readDocument('document', DOCUMENT) as typeof DOCUMENT
    for (const part of [document, document.paths['/items'], document.paths['/items'].get])
      expect(Object.getPrototypeOf(part)).toBeNull()
  })
})

describe('a document is refused with the fix:', () => {
  it('larger than 25 MB, as a file and as an object', async () => {
    const large = { ...DOCUMENT, 'x-text': 'x'.repeat(25_000_000) }
    const said = /^document has 25\.1 MB, and 25 MB are allowed\. Keep references in it/
    expect(() => readDocument('document', large)).toThrow(said)
    await expect(readText('large.json', JSON.stringify(large))).rejects.toThrow(said)
    const aliases = `a: &a ${'x'.repeat(2_600_000)}\nb: [${'*a, '.repeat(10)}]\n`
    await expect(readText('large.yaml', `${YAML}${aliases}`)).rejects.toThrow(/^document has 28\.7 MB, and 25 MB/)
    expect(readDocument('document', { ...DOCUMENT, 'x-text': 'x'.repeat(24_000_000) })).toHaveProperty('x-text')
  })

  it.each<[string, string, RegExp]>([
    ['twice.yaml', 'openapi: 3.1.0\nopenapi: 3.1.0', /which is not YAML \(Map keys must be unique.*Correct the file/],
    ['broken.yaml', 'a: [', /which is not YAML/],
    ['several.yaml', 'a: 1\n---\nb: 1', /which is not YAML \(Source contains multiple documents/],
    ['bomb.yaml', createYamlBomb(), /which is not YAML \(Excessive alias count/],
    ['yaml.json', 'openapi: 3.1.0', /which is not JSON .*The name of a YAML file ends with \.yaml or \.yml/],
    ['swagger.yaml', "swagger: '2.0'", /document\.swagger is "2\.0"\. .*npx swagger2openapi/],
  ])('the file %s', async (name, text, message) => {
    await expect(readText(name, text)).rejects.toThrow(ConfigurationError)
    await expect(readText(name, text)).rejects.toThrow(message)
  })
})

/** Ten levels of ten aliases each: 10 GB if it were expanded. */
function createYamlBomb(): string {
  const levels = Array.from({ length: 10 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(10)}]`)
  return `l0: &l0 [x]\n${levels.join('\n')}`
}

const SHEDS = { openapi: '3.1.0', info: { title: 'Sheds', version: '1' }, paths: { '/sheds': { get: {} } } }

describe('a valid document is read, although', () => {
  it.each<[string, object]>([
    [
      'members of extensions have a $ref',
      { ...SHEDS, 'x-notes': [{ $ref: './notes.md' }], 'x-one': { $ref: '#/missing' } },
    ],
    [
      'extensions of operations and schemas have a $ref',
      {
        ...SHEDS,
        paths: {
          '/sheds': {
            get: {
              'x-code': { $ref: 'a.md' },
              responses: { 200: { content: { 'application/json': { schema: { 'x-icon': { $ref: 'b.svg' } } } } } },
            },
          },
        },
      },
    ],
    ['it has no paths', { ...SHEDS, openapi: '3.0.3', paths: {} }],
    ['it has no paths, but schemas', { ...SHEDS, openapi: '3.0.3', paths: {}, components: { schemas: {} } }],
    [
      'a property is called example and has a reference to a schema',
      { ...SHEDS, components: { schemas: { A: { properties: { example: { $ref: '#/components/schemas/A' } } } } } },
    ],
  ])('%s', (_what, document) => {
    expect(readDocument('document', document)).toEqual(document)
  })

  it.each<[string, Buffer]>([
    ['UTF-8', Buffer.from(`\uFEFF${JSON.stringify(SHEDS)}`)],
    ['UTF-16, little endian', Buffer.from(`\uFEFF${JSON.stringify(SHEDS)}`, 'utf16le')],
    ['UTF-16, big endian', Buffer.from(`\uFEFF${JSON.stringify(SHEDS)}`, 'utf16le').swap16()],
  ])('its file has a byte order mark (%s)', async (name, bytes) => {
    const file = join(folder, `${name}.json`)
    await writeFile(file, bytes)
    expect(readDocument('document', file)).toEqual(SHEDS)
  })
})

describe('a document is still refused that', () => {
  it.each<[string, object, RegExp]>([
    [
      'refers to what is not there, in a header that is named like an extension',
      { ...SHEDS, components: { headers: { 'x-rate': { $ref: '#/components/headers/none' } } } },
      /refers to "#\/components\/headers\/none"/,
    ],
    [
      'refers to another file, in a property that is named like a keyword',
      { ...SHEDS, components: { schemas: { A: { properties: { default: { $ref: 'other.json' } } } } } },
      /another document/,
    ],
    [
      'has a number as version',
      { ...SHEDS, info: { title: 'Sheds', version: 1.1 } },
      /document\.info\.version is 1\.1, a number, and OpenAPI needs a text\. Write it in quotes: version: "1\.1"/,
    ],
    [
      'has a number as title',
      { ...SHEDS, info: { title: 2024, version: '1' } },
      /document\.info\.title is 2024, a number.*title: "2024"/,
    ],
  ])('%s', (_what, document, message) => {
    expect(() => readDocument('document', document)).toThrow(message)
  })
})
