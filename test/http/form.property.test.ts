import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OAuthError } from '../../src/index.js'
import { readForm, refuseInQuery } from '../../src/http/form.js'
import { timed } from '../support/timed.js'

const KNOWN = ['grant_type', 'client_id', 'client_secret', 'scope', 'resource']
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A request with that body, in chunks as they come. */
function requestOf(chunks: readonly (string | Uint8Array)[], headers: object = FORM): IncomingMessage {
  const body = Readable.from(chunks.filter((chunk) => chunk.length > 0).map((chunk) => Buffer.from(chunk as string)))
  return Object.assign(body, { headers, url: '/orders/token' }) as unknown as IncomingMessage
}

/** A request whose body a parser of the host has left on `req.body`. */
function parsed(body: unknown): IncomingMessage {
  return Object.assign(requestOf([]), { body })
}

/** What a form is read as: its parameters, or the refusal. Anything else that is thrown fails the test. */
async function outcomeOf(req: IncomingMessage): Promise<Record<string, string> | OAuthError> {
  try {
    return Object.fromEntries(await readForm(req, KNOWN))
  } catch (error) {
    if (error instanceof OAuthError) return error
    throw error
  }
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
const bytes = fc.uint8Array({ maxLength: 300 })
/** What is nearly a form, which is where parsers err. */
const formLike = fc
  .array(
    fc.oneof(
      fc.constantFrom(...KNOWN, '=', '&', '%', '+', '%25', '%3D', '%26', '%C3', '%BC', '%00', ';', '?', '__proto__'),
      text,
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''))

/** Every spelling of a text as a form value: each byte as itself where it may be, or percent-encoded in either case. */
const spelt = (value: string): fc.Arbitrary<string> =>
  fc
    .tuple(...Array.from(Buffer.from(value), (byte) => spellings(byte)))
    .map((parts: readonly string[]) => parts.join(''))
function spellings(byte: number): fc.Arbitrary<string> {
  const hex = byte.toString(16).padStart(2, '0')
  const options = [`%${hex}`, `%${hex.toUpperCase()}`]
  const character = String.fromCharCode(byte)
  if (/[\w.~:/-]/.test(character)) options.push(character)
  if (byte === 0x20) options.push('+')
  return fc.constantFrom(...options)
}

describe('readForm()', () => {
  it('resolves or rejects with OAuthError, whatever bytes come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { maxLength: 4 }), async (chunks) => {
        const outcome = await outcomeOf(requestOf(chunks))
        if (outcome instanceof OAuthError) expect([400, 413]).toContain(outcome.status)
      }),
    )
  })

  it('resolves or rejects with OAuthError, whatever a parser has left on req.body', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.anything({ withNullPrototype: true, withBigInt: true }), fc.dictionary(text, fc.anything())),
        async (body) => {
          const outcome = await outcomeOf(parsed(body))
          if (outcome instanceof OAuthError) expect([400, 413, 500]).toContain(outcome.status)
          else for (const value of Object.values(outcome)) expect(value).toBeTypeOf('string')
        },
      ),
    )
  })

  it('resolves or rejects with OAuthError, whatever the headers say', async () => {
    const header = fc.option(
      fc.oneof(text, fc.constantFrom(FORM['content-type'], 'charset=', '; charset="', '-1', 'NaN', '1e9')),
      { nil: undefined },
    )
    await fc.assert(
      fc.asyncProperty(header, header, header, async (type, coding, length) => {
        const headers = { 'content-type': type, 'content-encoding': coding, 'content-length': length }
        await outcomeOf(requestOf(['grant_type=x'], headers))
      }),
    )
  })

  it('reads back what URLSearchParams writes, in whatever chunks it comes', async () => {
    const values = fc.dictionary(fc.constantFrom(...KNOWN), text)
    await fc.assert(
      fc.asyncProperty(values, fc.integer({ min: 1, max: 50 }), async (form, size) => {
        const body = Buffer.from(new URLSearchParams(form).toString())
        const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, i) =>
          body.subarray(i * size, (i + 1) * size),
        )
        expect(await outcomeOf(requestOf(chunks))).toEqual({ ...form })
      }),
    )
  })

  it('reads the same from the stream, from text, from bytes and from an object', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...KNOWN), text), async (form) => {
        const body = new URLSearchParams(form).toString()
        for (const req of [
          requestOf([body]),
          parsed(body),
          parsed(Buffer.from(body)),
          parsed({ ...form, unknown: ['a', 'b'] }),
        ]) {
          expect(await outcomeOf(req)).toEqual({ ...form })
        }
      }),
    )
  })

  it('reads every spelling of a value as that value', async () => {
    const cases = fc
      .string({ minLength: 1, maxLength: 20 })
      .chain((value) => fc.tuple(fc.constant(value), spelt(value)))
    await fc.assert(
      fc.asyncProperty(cases, async ([value, spelling]) => {
        expect(await outcomeOf(requestOf([`scope=${spelling}`]))).toEqual({ scope: value })
      }),
    )
  })

  it('never has a parameter that is empty, unknown, or came twice', async () => {
    await fc.assert(
      fc.asyncProperty(formLike, async (body) => {
        const outcome = await outcomeOf(requestOf([body]))
        if (outcome instanceof OAuthError) return
        for (const [name, value] of Object.entries(outcome)) {
          expect(KNOWN).toContain(name)
          expect(value).not.toBe('')
          expect(new URLSearchParams(body).getAll(name)).toEqual([value])
        }
      }),
      { numRuns: 500 },
    )
  })

  it('refuses every known parameter that comes twice, wherever', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...KNOWN), formLike, fc.string(), async (name, between, value) => {
        const body = `${name}=${encodeURIComponent(value)}&${encodeURIComponent(between)}&${name}`
        expect(await outcomeOf(requestOf([body]))).toMatchObject({ code: 'invalid_request', status: 400 })
      }),
    )
  })

  it('refuses whatever is longer than 16 KiB, and nothing that is not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -3, max: 3 }), fc.integer({ min: 500, max: 20_000 }), async (more, size) => {
        const body = 'grant_type=x&padding='.padEnd(16 * 1024 + more, 'x')
        const chunks = [body.slice(0, size), body.slice(size)]
        const outcome = await outcomeOf(requestOf(chunks))
        if (more > 0) expect(outcome).toMatchObject({ status: 413 })
        else expect(outcome).toEqual({ grant_type: 'x' })
      }),
      { numRuns: 30 },
    )
  })

  it.each([
    ['ampersands', '&'.repeat(16_000)],
    ['equal signs', '='.repeat(16_000)],
    ['percent signs', '%'.repeat(16_000)],
    ['plus signs', `scope=${'+'.repeat(16_000)}`],
    ['percent-encoding', `scope=${'%41'.repeat(5000)}`],
    ['broken UTF-8', `scope=${'%C3'.repeat(5000)}`],
    ['unknown parameters', Array.from({ length: 2000 }, (_, i) => `a${i}=1`).join('&')],
    ['one unknown parameter, again and again', 'a=1&'.repeat(4000)],
  ])('takes time in proportion for 16 kB of %s', async (_, body) => {
    expect(await timed(() => outcomeOf(requestOf([body])))).toBeLessThan(50)
  })

  it.each([
    ['semicolons', `application/x-www-form-urlencoded${';'.repeat(15_000)}`],
    ['spaces', `application/x-www-form-urlencoded${' '.repeat(15_000)}x`],
    ['charsets', `application/x-www-form-urlencoded;${'charset="utf'.repeat(1200)}`],
    ['tabs', `${'\t '.repeat(7000)}application/x-www-form-urlencoded`],
  ])('takes time in proportion for a Content-Type of 15 kB of %s', async (_, type) => {
    expect(await timed(() => outcomeOf(requestOf(['a=1'], { 'content-type': type })))).toBeLessThan(50)
  })

  it('is not led astray by bodies of 10,000 chunks', async () => {
    const chunks = Array.from({ length: 10_000 }, () => 'a')
    expect(await timed(() => outcomeOf(requestOf(chunks)))).toBeLessThan(500)
  })
})

describe('refuseInQuery()', () => {
  const refused = (url: string): boolean => {
    try {
      refuseInQuery({ url } as IncomingMessage, ['client_id', 'client_secret'])
      return false
    } catch (error) {
      if (error instanceof OAuthError && error.code === 'invalid_request') return true
      throw error
    }
  }

  it('refuses exactly what URL finds in the query string, however it is spelt', () => {
    fc.assert(
      fc.property(formLike, formLike, (one, two) => {
        for (const query of [one, `${one}&client_secret=x&${two}`, `${one}?&client_id`, encodeURI(two)]) {
          const found = [...new URL(`http://h/p?${query.replaceAll('#', '')}`).searchParams.keys()]
          const expected = found.some((name) => name === 'client_id' || name === 'client_secret')
          expect(refused(`/orders/token?${query.replaceAll('#', '')}`)).toBe(expected)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('lets a request without query string be', () => {
    for (const url of ['', '/', '/orders/token', '/orders/token?', '/client_secret=x', '/token?x=client_secret']) {
      expect(refused(url)).toBe(false)
    }
  })
})
