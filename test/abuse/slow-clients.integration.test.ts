import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createTokenForm } from '../support/http.js'
import { createAnswerReader, type Answer } from './answers.js'
import { startAttackedPlatform, type GoodClient } from './platform-process.js'
import { waitUntil } from '../support/wait-until.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { timeBound } from '../support/time-bound.js'

const MB = 1_000_000
/** An honest client's connection would be kept for the server's minute, and counted. */
const CLOSE = { Connection: 'close' }
const sockets = new Set<Socket>()

const platform = await startAttackedPlatform()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await waitUntil(async () => (await platform.connections()) === 0, { interval: 50 })
})
afterAll(() => platform.end())

describe('slow clients', () => {
  it('500 that send headers and bodies byte by byte do not delay others, and are disconnected by requestTimeout', async () => {
    // Node's defaults are 60 and 300 seconds.
    const server = { requestTimeout: 8000, headersTimeout: 8000, connectionsCheckingInterval: 250 }
    const strict = await startAttackedPlatform({ server })
    onTestFinished(() => strict.end())
    const good = strict.credentials.good[0]!
    const form = `grant_type=client_credentials&client_id=${good.clientId}&client_secret=${good.clientSecret}`
    const head = 'POST /orders/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n'
    const whole = `${head}Content-Length: ${form.length}\r\n\r\n${form}`
    const before = await strict.measureResources()
    const slow = Array.from({ length: 500 }, (_, i) => {
      const socket = open(strict.port)
      // Half of them send headers slowly, half of them bodies.
      const begun = i % 2 === 0 ? 20 : whole.length - form.length + 5
      socket.write(whole.slice(0, begun))
      return { socket, sent: begun, outcome: readStatusAtClose(socket) }
    })
    const slowWrites = setInterval(() => {
      for (const each of slow) if (each.socket.writable) each.socket.write(whole.slice(each.sent, ++each.sent))
    }, 400)

    await expect.poll(() => strict.connections(), { interval: 10 }).toBeGreaterThanOrEqual(500)
    const latencies: number[] = []
    const until = performance.now() + 1000
    while (performance.now() < until) latencies.push(await measureHonestRequests(good, strict.port))
    const during = await strict.measureResources()
    const held = during.heapUsed - before.heapUsed
    latencies.sort((a, b) => a - b)
    const p99 = latencies[Math.floor(latencies.length * 0.99)]!
    process.stdout.write(
      `500 slow clients: ${latencies.length} pairs of honest requests, p99 ${p99.toFixed(0)} ms; heap +${(held / MB).toFixed(1)} MB\n`,
    )
    expect(during.connections).toBeGreaterThanOrEqual(500)
    expect(p99).toBeLessThan(timeBound(3000))
    expect(held).toBeLessThan(15 * MB)

    // The server's requestTimeout ends all of them.
    const outcomes = await Promise.all(slow.map(({ outcome }) => outcome))
    clearInterval(slowWrites)
    // A client that is writing may get a reset instead of the answer.
    expect(outcomes.filter((outcome) => outcome !== 408 && outcome !== 'reset')).toEqual([])
    expect(outcomes.filter((outcome) => outcome === 408).length).toBeGreaterThan(250)
    await expect.poll(() => strict.connections()).toBe(0)
    const after = await strict.measureResources()
    expect(after.complaints).toEqual([])
    expect(after.heapUsed - before.heapUsed).toBeLessThan(6 * MB)
  })

  it('a slow client that finishes in time gets its access token', async () => {
    const { clientId, clientSecret } = platform.credentials.good[0]!
    const form = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`
    const socket = open()
    const answer = readAnswer(socket)
    socket.write(
      'POST /orders/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n',
    )
    socket.write(`Content-Length: ${form.length}\r\n\r\n`)
    for (const byte of form) {
      socket.write(byte)
      await sleep(5)
    }
    expect((await answer)?.status).toBe(200)
  })

  it('400 aborted uploads leave no connections and no memory', async () => {
    const before = await platform.measureResources()
    for (let round = 0; round < 2; round++) {
      const batch = Array.from({ length: 200 }, (_, i) => {
        const path = ['/orders/token', '/orders/introspect', '/developers/register', '/orders/items'][i % 4]
        const socket = open()
        socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n`)
        socket.write(i % 8 < 4 ? 'Content-Length: 9000\r\n\r\na=b&' : 'Transfer-Encoding: chunked\r\n\r\n400\r\na=b&')
        return socket
      })
      await sleep(100)
      for (const socket of batch) socket.destroy()
    }
    await measureHonestRequests(platform.credentials.good[0]!)
    // fetch() keeps its connections open for a while.
    await expect.poll(() => platform.connections()).toBe(0)
    const after = await platform.measureResources()
    expect(after.complaints).toEqual([])
    expect(after.heapUsed - before.heapUsed).toBeLessThan(6 * MB)
  })

  it('1000 idle connections do not delay requests', async () => {
    const before = await platform.measureResources()
    // In batches, since the backlog of the listening socket is limited.
    for (let count = 250; count <= 1000; count += 250) {
      for (let i = 0; i < 250; i++) open()
      await expect.poll(() => platform.connections(), { interval: 10 }).toBe(count)
    }
    const latencies = []
    for (let i = 0; i < 20; i++) latencies.push(await measureHonestRequests(platform.credentials.good[0]!))
    const { heapUsed } = await platform.measureResources()
    const each = (heapUsed - before.heapUsed) / 1000
    process.stdout.write(`1000 idle connections: heap ${Math.round(each)} bytes each\n`)
    expect(each).toBeLessThan(10_000)
    expect(latencies.toSorted((a, b) => a - b)[18]).toBeLessThan(timeBound(3000))
  })
})

describe('huge input', () => {
  it('headers of 20 kB are answered with 431', async () => {
    const { token } = platform.credentials.good[0]!
    for (const [path, header] of [
      ['/orders/token', `Authorization: Basic ${'A'.repeat(20_000)}`],
      ['/orders/items', `Authorization: Bearer ${token}${'A'.repeat(20_000)}`],
      ['/catalog/items', `X-Api-Key: ${'A'.repeat(20_000)}`],
    ]) {
      const socket = open()
      const answer = readAnswer(socket)
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`)
      expect((await answer)?.status, path).toBe(431)
    }
  })

  const FORM = 'application/x-www-form-urlencoded'
  /** A body that is read, and one that is not. */
  const FEW = [
    ['/developers/register', 'application/json', 413],
    ['/catalog/items', 'application/json', 401],
  ] as const
  const MORE = [
    ['/orders/token', FORM, 413],
    ['/orders/token', 'application/octet-stream', 400],
    ['/orders/revoke', FORM, 413],
    ['/orders/introspect', FORM, 413],
    ['/developers/register', FORM, 413],
    ['/developers/register/claim', 'application/json', 413],
    ['/orders/items', 'application/json', 401],
  ] as const

  it.each([...FEW, ...(IS_LONG_LANE ? MORE : [])])(
    '200 MB for %s as %s are refused, and cut off after 64 MiB',
    async (path, type, status) => {
      const ways = ['Content-Length: 200000000', 'Transfer-Encoding: chunked'] as const
      // One of the two for each address and type; in the long lane both.
      const tried = ways.filter((_, at) => IS_LONG_LANE || at === (path.length + type.length) % ways.length)
      for (const length of tried) {
        const chunked = length.startsWith('Transfer')
        const socket = open()
        const answer = readAnswer(socket)
        socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`)
        const piece = 'a'.repeat(0x10000)
        const sent = await writeRepeatedly(socket, chunked ? `10000\r\n${piece}\r\n` : piece, 200 * MB)
        // A client that goes on sending may get a reset instead of the answer.
        const { status: got = status, closes = true, headers = {} } = (await answer) ?? {}
        expect({ status: got, closes }, length).toEqual({ status, closes: true })
        expect(headers['set-cookie']).toBeUndefined()
        // The socket buffers hold a part of it, and more of it the slower the machine is.
        expect(sent, length).toBeLessThan(130 * MB)
      }
      const { rss, complaints } = await platform.measureResources()
      expect(complaints).toEqual([])
      expect(rss).toBeLessThan(300 * MB)
    },
  )
})

function open(port = platform.port): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  sockets.add(socket.on('close', () => sockets.delete(socket)))
  return socket
}

/** Sends a guarded request and a token request. Resolves the milliseconds of the slower one. */
async function measureHonestRequests(
  { token, id, clientId, clientSecret }: GoodClient,
  port = platform.port,
): Promise<number> {
  const since = performance.now()
  const body = new URLSearchParams(createTokenForm({ clientId, clientSecret }))
  const [guarded, issued] = await Promise.all([
    fetch(`http://127.0.0.1:${port}/orders/items`, { headers: { Authorization: `Bearer ${token}`, ...CLOSE } }),
    fetch(`http://127.0.0.1:${port}/orders/token`, { method: 'POST', body, headers: CLOSE }),
  ])
  expect([guarded.status, issued.status]).toEqual([200, 200])
  expect(await guarded.json()).toMatchObject({ application: id })
  await issued.json()
  return performance.now() - since
}

/** The status of the answer when the connection has closed. */
function readStatusAtClose(socket: Socket): Promise<number | 'reset'> {
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('latin1').on('data', (piece: unknown) => void (text += piece as string))
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? NaN) || 'reset'))
  })
}

function readAnswer(socket: Socket): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const reader = createAnswerReader()
    socket.setEncoding('latin1').on('data', (piece: unknown) => {
      reader.push(piece as string)
      const answer = reader.take('POST')
      if (answer) resolve(answer)
    })
    socket.on('close', () => resolve(reader.end()))
  })
}

/** Writes a piece repeatedly until `limit` bytes are sent or the connection is closed. Resolves the bytes that were sent. */
function writeRepeatedly(socket: Socket, piece: string, limit: number): Promise<number> {
  return new Promise((resolve) => {
    let sent = 0
    const stop = (): void => resolve(sent)
    socket.on('close', stop)
    const writeNext = (): void => {
      if (sent >= limit || !socket.writable) return stop()
      socket.write(piece, 'latin1', (error) => {
        if (error) return stop()
        sent += piece.length
        writeNext()
      })
    }
    writeNext()
  })
}
