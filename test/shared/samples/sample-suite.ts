import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SampleCall, encodeUrl } from '../../../src/shared/samples/prepare.js'
import { createSamples } from '../../../src/shared/samples/samples.js'
import { HOSTILE_CALLS } from './hostile.js'
import { runPrograms, type LanguageRun, type LanguageRuns } from './languages.js'
import { FILE_CONTENT, openSampleHost, type ReceivedRequest, type SampleHost } from './sample-host.js'

/** Runs the samples of languages against a platform, and compares what arrives. */
export function testSamples(languages: LanguageRuns): void {
  describe.each(Object.entries(languages))('a sample in %s', (language, run) => {
    let host: SampleHost
    let output = ''
    beforeAll(async () => {
      host = await openSampleHost()
      output = await runPrograms(listPrograms(language, run, host), run, host)
    }, 600_000)
    afterAll(() => host.close())

    const find = (path: string): ReceivedRequest[] => host.requests.filter(({ url }) => url.startsWith(path))

    it('requests an access token once, and calls the API with it', () => {
      const received = find('/orders/twice')
      expect(received.map(({ method, url }) => [method, url])).toEqual([
        ['GET', '/orders/twice?limit=2'],
        ['GET', '/orders/twice?limit=2'],
      ])
      expect(received[0]?.headers.accept).toBe('application/json')
      expect(output).toContain('{"ok":true}')
      // One for each of the two programs that call this API.
      expect(host.tokens['orders']).toBe(2)
    })

    it('requests another access token when the first is about to expire', () => {
      expect(find('/brief/twice')).toHaveLength(2)
      // The commands of curl get an access token where they are told to, and keep none.
      expect(host.tokens['brief']).toBe(language === 'curl' ? 1 : 2)
    })

    it('contains the credentials that it was given', () => {
      expect(find('/orders/twice')[0]?.applicationId).toBe(host.applicationId)
      expect(find('/orders/revealed').map(({ applicationId }) => applicationId)).toEqual([host.other.id])
      expect(find('/catalog/revealed').map(({ applicationId }) => applicationId)).toEqual([host.other.id])
    })

    it.each(HOSTILE_CALLS.map((call, index) => ({ ...call, path: pathOf(index) + call.query })))(
      'sends unchanged: $title',
      async (call) => {
        const [request, ...others] = find(/^[^?]+/.exec(call.path)![0])
        expect(others).toEqual([])
        await expectSame(request!, call)
      },
    )
  })
}

/** No path begins with another one. */
function pathOf(index: number): string {
  return `/catalog/call${String(index).padStart(3, '0')}`
}

function listPrograms(language: string, { repeat }: LanguageRun, host: SampleHost): string[] {
  const { baseUrl, other } = host
  const write = (path: string, more: Partial<SampleCall>): string => {
    const [, api] = path.split('/')
    const scheme = api === 'catalog' ? 'apiKey' : 'oauth2'
    const tokenEndpoint = `${baseUrl}/${api}/token`
    const call = {
      scheme,
      method: 'GET',
      url: baseUrl + path,
      headers: [],
      tokenEndpoint,
      keyHeader: 'Shop-Key',
    } as const
    return createSamples({ ...call, ...more }).find((sample) => sample.language === language)!.code
  }
  const credentials = { key: other.clientId, secret: other.clientSecret }
  return [
    repeat(write('/orders/twice?limit=2', { headers: [['Accept', 'application/json']] })),
    repeat(write('/brief/twice', {})),
    write('/orders/revealed', { credentials }),
    write('/catalog/revealed', { credentials }),
    ...HOSTILE_CALLS.map(({ query, ...call }, index) => write(pathOf(index) + query, call)),
  ]
}

type Expected = Pick<SampleCall, 'method' | 'headers' | 'body'> & { readonly path: string }

async function expectSame(request: ReceivedRequest, { method, path, headers, body }: Expected): Promise<void> {
  // Mono writes an apostrophe as it is.
  expect([request.method, request.url.replaceAll("'", '%27')]).toEqual([method, encodeUrl(path)])
  const merged = new Headers(headers.map(([name, value]): [string, string] => [name, value]))
  for (const [name, value] of merged) expect([name, request.headers[name]]).toEqual([name, value])
  if (!body) return
  const type = request.headers['content-type'] ?? ''
  if ('text' in body) expect([type, request.body.toString()]).toEqual([body.mediaType, body.text])
  else if ('file' in body) expect([type, request.body]).toEqual([body.mediaType, FILE_CONTENT])
  else {
    const form = await new Response(new Uint8Array(request.body), { headers: { 'Content-Type': type } }).formData()
    const received = await Promise.all([...form].map(describeField))
    const expected = body.fields.map((field) =>
      'value' in field
        ? [field.name, normalizeLines(field.value)]
        : [field.name, field.file.name, field.mediaType ?? expect.any(String), FILE_CONTENT],
    )
    // Go sorts the names of a form.
    expect(received.toSorted(byName)).toEqual(expected.toSorted(byName))
  }
}

async function describeField([name, value]: [string, string | File]): Promise<unknown[]> {
  if (typeof value === 'string') return [name, normalizeLines(value)]
  return [name, value.name, value.type, Buffer.from(await value.arrayBuffer())]
}

/** FormData sends CRLF for a line break, as HTML requires it. */
function normalizeLines(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function byName([a]: unknown[], [b]: unknown[]): number {
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
}
