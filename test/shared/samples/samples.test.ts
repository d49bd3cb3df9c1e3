import { describe, expect, it } from 'vitest'
import { type SampleCall, encodeUrl, type SampleLanguage } from '../../../src/shared/samples/prepare.js'
import { createSamples } from '../../../src/shared/samples/samples.js'
import { CONTROLS, HOSTILE, HOSTILE_CALLS, HOSTILE_LINES } from './hostile.js'

const TOKEN_ENDPOINT = 'https://api.example.com/orders/token'
const CALL: SampleCall = {
  scheme: 'oauth2',
  method: 'post',
  url: 'https://api.example.com/orders/items',
  headers: [],
  tokenEndpoint: TOKEN_ENDPOINT,
}

function write(language: SampleLanguage, call: SampleCall): string {
  return createSamples(call).find((sample) => sample.language === language)!.code
}

describe('samples', () => {
  it('are written in seven languages', () => {
    const labels = createSamples(CALL).map(({ label }) => label)
    expect(labels).toEqual(['curl', 'JavaScript', 'Python', 'Go', 'PHP', 'Java', 'C#'])
  })

  it.each(createSamples(CALL))('in $language name the variables of credentials until these are given', (sample) => {
    const { language, code } = sample
    expect(code).toContain('CLIENT_ID')
    expect(code).toContain('CLIENT_SECRET')
    const revealed = write(language, { ...CALL, credentials: { key: 'key_1', secret: 'sec_1' } })
    expect(revealed).toContain('key_1')
    expect(revealed).toContain('sec_1')
    expect(revealed).not.toMatch(/\$CLIENT|env\b|environ|GetEnv/i)
  })

  it.each(createSamples(CALL))('in $language need no credential for an operation without security', ({ language }) => {
    const code = write(language, { ...CALL, scheme: 'none' })
    expect(code).toContain('https://api.example.com/orders/items')
    expect(code).not.toMatch(/token|CLIENT_ID|API_KEY|Authorization/)
  })

  it.each(createSamples(CALL))(
    'in $language escape control characters, and others that readers do not see',
    ({ language }) => {
      for (const text of [CONTROLS, HOSTILE_LINES + CONTROLS]) {
        const code = write(language, { ...CALL, body: { mediaType: 'text/plain', text } })
        for (const hidden of '\r\u0001\u007F\u200E\u2028\u202E\uFEFF') expect(code).not.toContain(hidden)
      }
    },
  )

  it.each(createSamples(CALL))('in $language have no header that another one could hide in', ({ language }) => {
    const headers = [
      ['X-A\r\nX-Admin', '1'],
      ['@/etc/passwd', ''],
      ['X-B', 'b\r\nX-Admin: 1'],
    ] as const
    const code = write(language, { ...CALL, headers })
    expect(code).not.toMatch(/passwd|X-A\b|[\r\n]+X-Admin|\\n.?X-Admin/)
    expect(code).toContain('b X-Admin: 1')
  })

  it.each(createSamples(CALL))('in $language combine headers of the same name', ({ language }) => {
    const headers = [
      ['X-List', 'a'],
      ['x-list', 'b'],
      ['Cookie', 'c=1'],
      ['cookie', 'd=2'],
    ] as const
    const code = write(language, { ...CALL, headers })
    expect(code).toContain('a, b')
    expect(code).toContain('c=1; d=2')
    expect(code).not.toContain('x-list')
  })

  it.each(createSamples(CALL))('in $language replace half of a surrogate pair', ({ language }) => {
    const code = write(language, { ...CALL, url: `${CALL.url}?q=\uD800`, body: { mediaType: 'a/b', text: 'x\uD800y' } })
    expect(code).toContain('?q=%EF%BF%BD')
    expect(code).not.toMatch(/\p{Surrogate}/u)
    expect(code).toMatch(/x(?:\uFFFD|\\ufffd)y/)
  })
})

it('each sample of an API that takes private keys proves one, or says where a program for it is', () => {
  for (const { language, code } of createSamples({ ...CALL, credentials: { provesKey: true } })) {
    expect(code, language).toMatch(
      language === 'curl' ? /CLIENT_ASSERTION/ : /^(?:<\?php\n)?(?:#|\/\/) This API takes an assertion/,
    )
    expect(code.startsWith('<?php\n'), language).toBe(language === 'php')
  }
  for (const { code } of createSamples(CALL)) expect(code).not.toContain('private_key_jwt')
})

describe('a sample in JavaScript', () => {
  it.each(HOSTILE_CALLS.filter(({ body }) => body && 'text' in body))('sends $title unchanged', async (call) => {
    const { query, title: _, ...parts } = call
    const code = write('javascript', { ...CALL, ...parts, scheme: 'none', url: `https://api.example.com/${query}` })
    expect(code).not.toMatch(/<\/script|<!--/i)
    const sent: { readonly url: string; readonly init: RequestInit }[] = []
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      sent.push({ url, init })
      return new Response()
    }
    // oxlint-disable-next-line no-implied-eval -- The sample is run as its reader would run it.
    const run = new Function('fetch', 'console', `return (async () => {${code}\n})()`) as (
      ...args: unknown[]
    ) => Promise<void>
    await run(fetch, { log: () => undefined })
    expect(sent).toHaveLength(1)
    expect(sent[0]!.init.body).toBe(parts.body && 'text' in parts.body ? parts.body.text : undefined)
    expect(sent[0]!.init.method).toBe(parts.method)
  })
})

describe('a text', () => {
  const body = (text: string): SampleCall => ({ ...CALL, scheme: 'none', body: { mediaType: 'a/b', text } })

  it.each([
    ['curl', `'it'\\''s $HOME \${x} "q" \\n </script>'`],
    ['javascript', `'it\\'s $HOME \${x} "q" \\\\n \\x3C/script>'`],
    ['python', `"it's $HOME \${x} \\"q\\" \\\\n </script>"`],
    ['go', `"it's $HOME \${x} \\"q\\" \\\\n </script>"`],
    ['php', `'it\\'s $HOME \${x} "q" \\\\n </script>'`],
    ['java', `"it's $HOME \${x} \\"q\\" \\\\n </script>"`],
    ['csharp', `"it's $HOME \${x} \\"q\\" \\\\n </script>"`],
  ] as const)('is a string in %s', (language, literal) => {
    expect(write(language, body(`it's $HOME \${x} "q" \\n </script>`))).toContain(literal)
  })

  it.each([
    ['javascript', '`{\n  "a": "\\`\\$\\\\"\n}`'],
    ['python', '"""{\n  "a": "`$\\\\"\n}"""'],
    ['go', '"{\\n  \\"a\\": \\"`$\\\\\\"\\n}"'],
    ['php', `'{\n  "a": "\`$\\\\"\n}'`],
    ['java', '"""\n                {\n                  "a": "`$\\\\"\n                }"""'],
    ['csharp', '@"{\n  ""a"": ""`$\\""\n}"'],
  ] as const)('of several lines stays readable in %s', (language, literal) => {
    expect(write(language, body('{\n  "a": "`$\\"\n}'))).toContain(literal)
  })

  it('ends no text block of Python or Java', () => {
    for (const language of ['python', 'java'] as const) {
      const code = write(language, body('a\n""""b\\""'))
      expect(code).toContain('\\"\\"\\"\\"b\\\\\\"\\""""')
    }
  })

  it('in Java is ASCII, and has no Unicode escape for a line break', () => {
    const code = write('java', body(HOSTILE + CONTROLS))
    expect(code).toMatch(/^[\n\x20-\x7E]*$/)
    expect(code).not.toMatch(/\\u000[ad]/i)
  })
})

describe('encodeUrl', () => {
  it.each([
    ['https://api.example.com/a?b=c&d=%20%2F#e', 'https://api.example.com/a?b=c&d=%20%2F#e'],
    ['https://api.example.com/{id}?a[]=1|2', 'https://api.example.com/%7Bid%7D?a%5B%5D=1%7C2'],
    ['http://[::1]:3000/[1]', 'http://[::1]:3000/%5B1%5D'],
    ["/ü'/100%/😀", '/%C3%BC%27/100%25/%F0%9F%98%80'],
    ['/a b\nc', '/a%20b%0Ac'],
  ])('%s: %s', (url, encoded) => {
    expect(encodeUrl(url)).toBe(encoded)
    expect(encodeUrl(encoded)).toBe(encoded)
  })
})
