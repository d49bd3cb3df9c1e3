import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OAuthError } from '../../../src/index.js'
import { readForm, refuseInQuery } from '../../../src/core/http/form.js'
import { measureTime } from '../../support/measure-time.js'
import { timeBound } from '../../support/time-bound.js'

const KNOWN = ['grant_type', 'client_id', 'client_secret', 'scope', 'resource']
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A request whose body arrives in these chunks. */
function createRequest(chunks: readonly (string | Uint8Array)[], headers: object = FORM): IncomingMessage {
  const body = Readable.from(chunks.filter((chunk) => chunk.length > 0).map((chunk) => Buffer.from(chunk as string)))
  return Object.assign(body, { headers, url: '/orders/token' }) as unknown as IncomingMessage
}

/** A request whose body a body parser of the host has left on `req.body`. */
function createParsedRequest(body: unknown): IncomingMessage {
  return Object.assign(createRequest([]), { body })
}

/** The parameters of the form, or the refusal. Any other error fails the test. */
async function tryReadForm(req: IncomingMessage): Promise<Record<string, string> | OAuthError> {
  try {
    return Object.fromEntries(await readForm(req, KNOWN))
  } catch (error) {
    if (error instanceof OAuthError) return error
    throw error
  }
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
const bytes = fc.uint8Array({ maxLength: 300 })
/** Text that is almost a form. */
const formLike = fc
  .array(
    fc.oneof(
      fc.constantFrom(...KNOWN, '=', '&', '%', '+', '%25', '%3D', '%26', '%C3', '%BC', '%00', ';', '?', '__proto__'),
      text,
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

/** Every encoding of a form value: each byte as it is, if that is allowed, or percent-encoded in either case. */
const encodeAnyhow = (value: string): fc.Arbitrary<string> =>
  fc
    .tuple(...Array.from(Buffer.from(value), (byte) => encodeByte(byte)))
    .map((parts: readonly string[]) => parts.join(''))
function encodeByte(byte: number): fc.Arbitrary<string> {
  const hex = byte.toString(16).padStart(2, '0')
  const options = [`%${hex}`, `%${hex.toUpperCase()}`]
  const character = String.fromCharCode(byte)
  if (/[\w.~:/-]/.test(character)) options.push(character)
  if (byte === 0x20) options.push('+')
  return fc.constantFrom(...options)
}

describe('readForm()', () => {
  it('resolves or rejects with OAuthError for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { maxLength: 4 }), async (chunks) => {
        const outcome = await tryReadForm(createRequest(chunks))
        if (outcome instanceof OAuthError) expect([400, 413]).toContain(outcome.status)
      }),
    )
  })

  it('resolves or rejects with OAuthError for any value on req.body', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.anything({ withNullPrototype: true, withBigInt: true }), fc.dictionary(text, fc.anything())),
        async (body) => {
          const outcome = await tryReadForm(createParsedRequest(body))
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
        await tryReadForm(createRequest(['grant_type=x'], headers))
      }),
    )
  })

  it('reads what URLSearchParams writes, in chunks of any size', async () => {
    const values = fc.dictionary(fc.constantFrom(...KNOWN), text)
    await fc.assert(
      fc.asyncProperty(values, fc.integer({ min: 1, max: 50 }), async (form, size) => {
        const body = Buffer.from(new URLSearchParams(form).toString())
        const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, i) =>
          body.subarray(i * size, (i + 1) * size),
        )
        expect(await tryReadForm(createRequest(chunks))).toEqual({ ...form })
      }),
    )
  })

  it('reads the same form from the stream, text, bytes and an object', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...KNOWN), text), async (form) => {
        const body = new URLSearchParams(form).toString()
        for (const req of [
          createRequest([body]),
          createParsedRequest(body),
          createParsedRequest(Buffer.from(body)),
          createParsedRequest({ ...form, unknown: ['a', 'b'] }),
        ]) {
          expect(await tryReadForm(req)).toEqual({ ...form })
        }
      }),
    )
  })

  it('decodes every encoding of a value', async () => {
    const cases = fc
      .string({ minLength: 1, maxLength: 20 })
      .chain((value) => fc.tuple(fc.constant(value), encodeAnyhow(value)))
    await fc.assert(
      fc.asyncProperty(cases, async ([value, spelling]) => {
        expect(await tryReadForm(createRequest([`scope=${spelling}`]))).toEqual({ scope: value })
      }),
    )
  })

  it('never returns a parameter that is empty, unknown, or occurs twice', async () => {
    await fc.assert(
      fc.asyncProperty(formLike, async (body) => {
        const outcome = await tryReadForm(createRequest([body]))
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

  it.each([
    ['ampersands', '&'.repeat(16_000)],
    ['equal signs', '='.repeat(16_000)],
    ['percent signs', '%'.repeat(16_000)],
    ['plus signs', `scope=${'+'.repeat(16_000)}`],
    ['percent-encoding', `scope=${'%41'.repeat(5000)}`],
    ['broken UTF-8', `scope=${'%C3'.repeat(5000)}`],
    ['unknown parameters', Array.from({ length: 2000 }, (_, i) => `a${i}=1`).join('&')],
    ['one unknown parameter, many times', 'a=1&'.repeat(4000)],
  ])('takes linear time for 16 kB of %s', async (_, body) => {
    expect(await measureTime(() => tryReadForm(createRequest([body])))).toBeLessThan(timeBound(50))
  })

  it.each([
    ['semicolons', `application/x-www-form-urlencoded${';'.repeat(15_000)}`],
    ['spaces', `application/x-www-form-urlencoded${' '.repeat(15_000)}x`],
    ['charsets', `application/x-www-form-urlencoded;${'charset="utf'.repeat(1200)}`],
    ['tabs', `${'\t '.repeat(7000)}application/x-www-form-urlencoded`],
  ])('takes linear time for a Content-Type of 15 kB of %s', async (_, type) => {
    expect(await measureTime(() => tryReadForm(createRequest(['a=1'], { 'content-type': type })))).toBeLessThan(
      timeBound(50),
    )
  })

  it('reads a body of 10,000 chunks in under 500 ms', async () => {
    const chunks = Array.from({ length: 10_000 }, () => 'a')
    expect(await measureTime(() => tryReadForm(createRequest(chunks)))).toBeLessThan(timeBound(500))
  })
})

describe('refuseInQuery()', () => {
  const isRefused = (url: string): boolean => {
    try {
      refuseInQuery({ url } as IncomingMessage, ['client_id', 'client_secret'])
      return false
    } catch (error) {
      if (error instanceof OAuthError && error.code === 'invalid_request') return true
      throw error
    }
  }

  it('refuses exactly the names that URL finds in the query string, in any encoding', () => {
    fc.assert(
      fc.property(formLike, formLike, (one, two) => {
        for (const query of [one, `${one}&client_secret=x&${two}`, `${one}?&client_id`, encodeURI(two)]) {
          const found = [...new URL(`http://h/p?${query.replaceAll('#', '')}`).searchParams.keys()]
          const expected = found.some((name) => name === 'client_id' || name === 'client_secret')
          expect(isRefused(`/orders/token?${query.replaceAll('#', '')}`)).toBe(expected)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('accepts a request without a query string', () => {
    for (const url of ['', '/', '/orders/token', '/orders/token?', '/client_secret=x', '/token?x=client_secret']) {
      expect(isRefused(url)).toBe(false)
    }
  })
})
