import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createOperatorDataReader, readExternalId } from '../../../src/core/applications/records/metadata.js'
import type { MetadataSchema, SchemaResult, StandardSchema } from '../../../src/shared/contracts/metadata-schema.js'
import { throwing } from '../../support/throwing.js'

/** A Standard Schema written by hand. */
function schemaOf<Output>(
  validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>,
): StandardSchema<unknown, Output> {
  return { '~standard': { version: 1, vendor: 'test', validate } }
}

function createMetadataReader(schema?: MetadataSchema) {
  const read = createOperatorDataReader(schema)
  return async (metadata: unknown) => (await read({ metadata })).metadata
}

const refusedWith = (message: string) => ({ name: 'ApplicationError', code: 'invalid_argument', message })

describe('metadata without a schema', () => {
  const read = createMetadataReader()

  it('is a copy: the caller cannot change it later', async () => {
    const given = { discount: { percent: 10 } }
    const stored = await read(given)
    given.discount.percent = 100
    expect(stored).toEqual({ discount: { percent: 10 } })
  })

  it('is at most 4 KiB of UTF-8', async () => {
    await expect(read({ a: 'x'.repeat(4088) })).resolves.toBeDefined()
    await expect(read({ a: 'x'.repeat(4089) })).rejects.toMatchObject(
      refusedWith('metadata is larger than 4096 bytes of JSON.'),
    )
  })

  it.each([
    ['a list', [], /^metadata must be a JSON object, and is a list\.$/],
    ['a Date', { since: new Date() }, /^metadata\.since is a Date\. JSON has text/],
    ['a member __proto__', JSON.parse('{"__proto__":{"admin":true}}'), /^metadata has a member "__proto__"/],
  ])('is refused if it is %s', async (_, metadata: unknown, message) => {
    await expect(read(metadata)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(read(metadata)).rejects.toThrow(message)
  })
})

describe('metadata with a schema', () => {
  const read = createMetadataReader(
    z.object({ discount: z.number().max(100).default(0), tags: z.array(z.object({ name: z.string() })).optional() }),
  )

  it('is refused with the messages of the schema, and the path of each', async () => {
    const metadata = { discount: 101, tags: [{ name: 'a' }, { name: 5 }] }
    await expect(read(metadata)).rejects.toMatchObject(
      refusedWith(
        'metadata.discount: Too big: expected number to be <=100; metadata.tags[1].name: Invalid input: expected string, received number',
      ),
    )
  })

  it.each<[string, StandardSchema<unknown, object>]>([
    ['returns a promise', schemaOf(async (value) => ({ value: { ...(value as object), seen: true } }))],
    [
      'is a function whose member is inherited',
      Object.setPrototypeOf(
        () => undefined,
        schemaOf((value) => ({ value: { ...(value as object), seen: true } })),
      ) as StandardSchema<unknown, object>,
    ],
    ['changes the value in place', schemaOf((value) => ({ value: Object.assign(value as object, { seen: true }) }))],
  ])('may have a schema that %s', async (_, schema) => {
    const given = { discount: 10 }
    expect(await createMetadataReader(schema)(given)).toEqual({ discount: 10, seen: true })
    expect(given).toEqual({ discount: 10 })
  })

  it('is refused by an asynchronous schema too, whose paths may be objects', async () => {
    const issues = [
      { message: 'no such customer', path: [{ key: 'customer' }, { key: 0 }] },
      { message: 'wrong' },
      ...Array.from({ length: 10 }, () => ({ message: 'again', path: ['a'] })),
    ]
    const schema = schemaOf<object>(async () => ({ issues }))
    const message = ['metadata.customer[0]: no such customer', 'metadata: wrong', ...Array(8).fill('metadata.a: again')]
    await expect(createMetadataReader(schema)({})).rejects.toMatchObject(
      refusedWith([...message, 'and 2 more'].join('; ')),
    )
  })

  it('is never stored as something that is not JSON, or too large', async () => {
    const returning = (value: unknown) => createMetadataReader(schemaOf(() => ({ value: value as object })))({})
    // The operator's mistake, which is no `invalid_argument` of whoever gave the input.
    const wrong = [
      { since: new Date() },
      { tags: new Map() },
      { n: 1n },
      { n: NaN },
      { n: undefined },
      'text',
      undefined,
    ]
    for (const value of wrong) {
      await expect(returning(value)).rejects.not.toHaveProperty('code')
      await expect(returning(value)).rejects.toThrow(
        /^The schema of the option metadata .* made no JSON of it: metadata/,
      )
    }
    await expect(returning({ a: 'x'.repeat(5000) })).rejects.toThrow('metadata is larger than 4096 bytes of JSON.')
  })

  it('reaches the schema only if it is JSON', async () => {
    const reader = createMetadataReader(schemaOf(() => ({ value: {} })))
    await expect(reader({ since: new Date() })).rejects.toThrow(/^metadata\.since is a Date\./)
  })

  it('rejects with the error that a schema throws', async () => {
    const schema = schemaOf<object>(throwing(new TypeError('a mistake in the schema')))
    await expect(createMetadataReader(schema)({})).rejects.toThrow(new TypeError('a mistake in the schema'))
  })
})

describe('an external id', () => {
  it.each(['C-1001', '4711', 'ä', 'Ünïted Tea 東京 #1/2', 'x'.repeat(255)])('is kept as it is: %s', (externalId) => {
    expect(readExternalId(externalId)).toBe(externalId)
  })

  it.each([
    ['empty', ''],
    ['a number', 4711],
    ['null', null],
    ['too long', 'x'.repeat(256)],
    ['a space before it', ' C-1001'],
    ['a space after it', 'C-1001 '],
    ['only a space', ' '],
    ['a line break', 'C\n1001'],
    ['NUL', 'C\u00001001'],
    ['a character that changes the direction', 'C\u202E1001'],
    ['half a character', 'C\uD800'],
    ['a list', ['C-1001']],
  ])('is refused: %s', (_, externalId) => {
    expect(() => readExternalId(externalId)).toThrow(
      'externalId must be a string of 1 to 255 characters, without control characters, and without spaces around it.',
    )
  })
})
