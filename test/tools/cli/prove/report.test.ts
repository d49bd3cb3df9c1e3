import { describe, expect, it } from 'vitest'
import { createSend, type ProbeAnswer } from '../../../../src/tools/cli/prove/exchange.js'
import { createReport, type CheckReport } from '../../../../src/tools/cli/prove/report.js'
import { SWITCH, useServer } from '../../../support/http.js'
import { describeAnswer, type Site } from '../../../../src/tools/cli/prove/site.js'
import { openPlatform } from '../../../support/platform.js'

const KEY = `epa_key_${'k'.repeat(34)}`
const SECRET = `epa_sec_${'s'.repeat(49)}`
const PASSED: CheckReport = { row: 'G2', api: 'orders', sends: 'a request without a credential', expects: '401' }
const RESULT: CheckReport = {
  ...PASSED,
  received: '200 <b>"orders" & more</b>\u{1b}[2J',
  fix: 'Put the guard in front.',
}

describe('the answers that prove quotes', () => {
  it.each([
    ['a key', KEY],
    ['a key of the application with a prefix of its own', 'shop-key-of-this-application'],
    ['a secret where the text is cut', `${'x'.repeat(190)}${SECRET}`],
    ['an access token', `eyJ${'a'.repeat(40)}.eyJ${'b'.repeat(40)}.${'c'.repeat(40)}`],
    ['HTTP Basic', `Authorization: Basic ${Buffer.from(`${KEY}:${SECRET}`).toString('base64')}`],
  ])('have no credential: %s', async (_name, echoed) => {
    const { described: text } = await exchange(echoed)
    expect(text).toMatch(/^200 \| content-type: text\/plain \| /)
    expect(text).toContain('[redacted]')
    expect(text).not.toMatch(/epa_|shop-key|eyJ|bbbb|cccc|Basic [A-Za-z0-9]/)
  })
})

it('a request of prove has the path, and the names of headers, as they are written', async () => {
  const { received } = await exchange('')
  expect(received).toMatchObject({ url: '/v1//orders/%74oken?x=1' })
  expect(received.rawHeaders).toContain('aUTHORIZATION')
})

describe('the report', () => {
  it('as JSON has the row of the HTTP reference', () => {
    expect(createReport('http://localhost', [PASSED, RESULT], undefined).json).toMatchObject({
      checks: 2,
      passed: 1,
      deviations: [{ row: 'G2', api: 'orders' }],
    })
  })

  it('as text shows a fix once for what has the same one, and no control characters', () => {
    const { text } = createReport('http://localhost', [RESULT, RESULT], undefined)
    expect(text.match(/FIX {2}Put the guard/g)).toHaveLength(1)
    expect(text.match(/^DEVIATION {2}orders: a request/gm)).toHaveLength(2)
    expect(text).not.toContain('\u{1b}')
    expect(text).toMatch(/2 checks of http:\/\/localhost, 2 deviations\.$/)
  })
})

it('a request to a server that switches to another protocol fails, and says so', async () => {
  const { url } = await useServer((_req, res) => void res.socket!.write(SWITCH))
  const send = createSend({ url, rate: 1000, signal: new AbortController().signal })
  expect(await send({ path: '/' })).toMatchObject({ failure: 'it switched the protocol' })
}, 10_000)

/** Sends a request to a server that answers with a text. */
async function exchange(text: string) {
  const received = { url: '', rawHeaders: [] as string[] }
  const server = await useServer((req, res) => {
    Object.assign(received, { url: req.url, rawHeaders: req.rawHeaders })
    res.writeHead(200, { 'Content-Type': 'text/plain' }).end(text)
  })
  const { signal } = new AbortController()
  const url = `${server.url}/v1`
  const send = createSend({ url, rate: 1000, signal })
  const headers = [['aUTHORIZATION', 'a']] as const
  const answer: ProbeAnswer = await send({ path: '//orders/%74oken?x=1', headers })
  const { auth } = openPlatform()
  const site: Site = {
    platform: auth,
    options: { baseUrl: url, apis: {} },
    baseUrl: url,
    caller: { id: 'app_1', clientId: 'shop-key-of-this-application', clientSecret: SECRET },
    instances: 1,
    routes: new Map(),
    send,
    by: 'test',
    signal,
    samples: new Map(),
    wrongRoutes: new Set(),
  }
  return { received, described: describeAnswer(site, answer) }
}
