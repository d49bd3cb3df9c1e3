import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'vitest'
import type { ApiGrants, PlatformAuth } from '../../src/index.js'
import { atEnd } from './at-end.js'
import { request, type Response } from './request.js'

/** Listens on a free port of the loopback. */
export async function listen(
  app: RequestListener,
): Promise<{ server: Server; port: number; close: () => Promise<void> }> {
  const server = createServer(app).listen(0, '127.0.0.1')
  // A connection that is kept while the machine stands still would be reset at its next request.
  server.keepAliveTimeout = 60_000
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  return { server, port, close }
}

/** The same, which is closed at the end of the test, or outside of a test of the `describe()` or the file. */
export async function useServer(app: RequestListener): Promise<{ server: Server; port: number; url: string }> {
  const { server, port, close } = await listen(app)
  atEnd(close)
  return { server, port, url: `http://127.0.0.1:${port}` }
}

/** An answer that was read from a socket: what `expectRefusal()` needs of it. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  readonly text: string
}

/** Sends an HTTP/1.1 request byte for byte, for requests that HTTP clients do not send, and resolves the answer. */
export async function exchange(
  app: RequestListener,
  head: readonly string[],
  body: string | Buffer = '',
  talk?: (socket: Socket) => void,
): Promise<Answer> {
  const { port, close } = await listen(app)
  try {
    const socket = connect(port, '127.0.0.1')
    socket.write([...head, 'Host: localhost', 'Connection: close', '', ''].join('\r\n'))
    socket.write(body)
    talk?.(socket)
    return parseAnswer(await readAll(socket))
  } finally {
    await close()
  }
}

/**
 * Reads until the server closes the connection; sends no more after a whole answer, because a server may read what it has
 * refused. A reset after the answer is not an error.
 */
function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const [head = '', body] = text.split('\r\n\r\n', 2)
      const length = /^content-length: (\d+)$/im.exec(head)?.[1]
      if (body !== undefined && Buffer.byteLength(body) >= Number(length)) socket.end()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => (text === '' ? reject(new Error('No answer came.')) : resolve(text)))
  })
}

function parseAnswer(received: string): Answer {
  const end = received.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  const text = received.slice(end + 4)
  const json = headers['content-type']?.startsWith('application/json') === true && text !== ''
  return { status: Number(statusLine.split(' ')[1]), headers, body: json ? JSON.parse(text) : {}, text }
}

/** A Basic header as most clients send it: without form encoding. */
export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}

/** A Basic header as RFC 6749 2.3.1 requires it: both parts form-encoded first. */
export function encodedBasic(id: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
  return basic(encode(id), encode(secret))
}

export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** Creates an application that may use these APIs. */
export async function createApplication(
  auth: Pick<PlatformAuth, 'applications'>,
  apis: ApiGrants,
  name = 'Shop',
): Promise<ClientCredentials & { readonly id: string }> {
  const { application, credentials } = await auth.applications.create({ name, apis })
  return { id: application.id, clientId: credentials.clientId, clientSecret: credentials.clientSecret ?? '' }
}

/** Sends a form. */
export function post(
  app: RequestListener,
  path: string,
  form: Readonly<Record<string, string>> | string = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
  return request(app)
    .post(path)
    .set({ 'Content-Type': 'application/x-www-form-urlencoded', ...headers })
    .send(body)
    .then((response) => response)
}

export const GRANT = { grant_type: 'client_credentials' }

/** Creates the form of a token request with the credentials in the body. */
export function createTokenForm(
  { clientId, clientSecret }: ClientCredentials,
  more: object = {},
): Record<string, string> {
  return { ...GRANT, client_id: clientId, client_secret: clientSecret, ...more }
}

/** Requests an access token. */
export async function accessToken(
  app: RequestListener,
  api: string,
  credentials: ClientCredentials,
  more: object = {},
): Promise<string> {
  const { body } = await post(app, `/${api}/token`, createTokenForm(credentials, more))
  expect(body).toMatchObject({ access_token: expect.any(String) as string })
  return (body as { access_token: string }).access_token
}

/** RFC 6749 5.2: %x20-21 / %x23-5B / %x5D-7E */
export const ERROR_DESCRIPTION = /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/

/** Expects a refusal exactly as docs/http.md describes it. */
export function expectRefusal(
  answer: Answer | Response,
  status: number,
  error: string,
  headers: Readonly<Record<string, string | RegExp>> = {},
): void {
  const body = answer.body as { error: string; error_description: string }
  expect({ status: answer.status, error: body.error }, answer.text).toEqual({ status, error })
  expect(Object.keys(body)).toEqual(['error', 'error_description'])
  expect(body.error_description).toMatch(ERROR_DESCRIPTION)
  const got = answer.headers as Record<string, string | undefined>
  expect(got).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(answer.text)),
  })
  for (const name of ['www-authenticate', 'retry-after', 'allow', 'set-cookie', 'location', 'etag']) {
    const expected = headers[name]
    if (expected instanceof RegExp) expect(got[name], name).toMatch(expected)
    else expect(got[name], name).toBe(expected)
  }
}

/** Retry-After: a whole number of seconds, 1 or more. */
export const RETRY_AFTER_SECONDS = /^[1-9]\d*$/

/** An answer after which Node's client emits neither a response nor an error. */
export const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'
