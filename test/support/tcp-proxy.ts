import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.js'

/** A TCP proxy that can fail in the ways in which networks fail. */
export interface TcpProxy {
  /** The target's URL with the proxy's host and port. */
  readonly url: string
  /** How many connections it forwards. */
  connections(): number
  /** Ends a failure. Data that was held back is forwarded. */
  forward(): Promise<void>
  /** Resets every connection, and forwards new ones to another target. */
  forwardTo(target: string): void
  /** Delays each answer of the target. */
  delay(milliseconds: number): void
  /** Accepts connections and data, and forwards nothing in either direction. */
  stall(): void
  /** Resets every connection. New ones are forwarded. */
  reset(): void
  /** Makes every connection half-open: neither side gets data or an end any more. New connections are forwarded. */
  drop(): void
  /**
   * Breaks the connection on which PostgreSQL's next COMMIT is sent, `before` it is forwarded or `after` that. Then the client
   * gets a reset, or `silence`. Resolves when it has happened.
   */
  breakAtCommit(when: 'before' | 'after' | 'silence'): Promise<void>
  /** Resets every connection, and refuses new ones. */
  refuse(): Promise<void>
  end(): Promise<void>
}

interface Connection {
  readonly client: Socket
  readonly server: Socket
  isDropped: boolean
}

/** Simple query (message type Q), length 11, and the statement. */
const COMMIT_MESSAGE = Buffer.from('Q\0\0\0\x0bCOMMIT\0')

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  let { hostname, port } = new URL(target)
  const connections = new Set<Connection>()
  let answerDelay = 0
  let stalled = Promise.resolve()
  let endStall = (): void => undefined
  let breakage: { readonly when: 'before' | 'after' | 'silence'; readonly done: () => void } | undefined

  const proxy = createServer((client) => {
    const connection: Connection = { client, server: connect(Number(port), hostname), isDropped: false }
    connections.add(connection)
    const { server } = connection
    const onClose = (): void => {
      // Neither side of a half-open connection learns that the other one has closed.
      if (connection.isDropped) return
      client.destroy()
      server.destroy()
      connections.delete(connection)
    }
    for (const socket of [client, server])
      socket
        .on('error', () => undefined)
        .on('close', onClose)
        .setNoDelay()
    forwardData(connection, client, server, () => 0)
    forwardData(connection, server, client, () => answerDelay)
  })

  function forwardData(connection: Connection, from: Socket, to: Socket, delay: () => number): void {
    let previous: Promise<unknown> = Promise.resolve()
    from.on('data', (chunk: Buffer) => {
      const due = performance.now() + delay()
      previous = previous.then(async () => {
        const left = due - performance.now()
        if (left > 0) await sleep(left)
        await stalled
        if (breakage && chunk.includes(COMMIT_MESSAGE)) return breakAt(connection, chunk, breakage)
        if (!connection.isDropped && !to.destroyed) to.write(chunk)
      })
    })
  }

  function breakAt(connection: Connection, chunk: Buffer, { when, done }: NonNullable<typeof breakage>): void {
    const { client, server } = connection
    breakage = undefined
    connection.isDropped = true
    if (when === 'before') server.destroy()
    // The server executes it, whatever becomes of the connection.
    else server.end(chunk)
    if (when !== 'silence') client.resetAndDestroy()
    done()
  }

  async function listen(ownPort: number): Promise<void> {
    proxy.listen(ownPort, '127.0.0.1')
    await once(proxy, 'listening')
  }

  function reset(): void {
    for (const { client, server } of connections) {
      client.resetAndDestroy()
      server.destroy()
    }
  }

  function endDelays(): void {
    answerDelay = 0
    endStall()
    stalled = Promise.resolve()
  }

  async function refuse(): Promise<void> {
    const closed = proxy.listening ? new Promise((resolve) => proxy.close(resolve)) : undefined
    reset()
    await closed
  }

  // While it refuses, the system must give its port to nobody else.
  const ownPort = await freePort()
  await listen(ownPort)
  const url = new URL(target)
  url.host = `127.0.0.1:${ownPort}`
  return {
    url: url.href,
    connections: () => connections.size,
    async forward() {
      endDelays()
      if (!proxy.listening) await listen(ownPort)
    },
    forwardTo(newTarget) {
      ;({ hostname, port } = new URL(newTarget))
      reset()
    },
    delay: (milliseconds) => void (answerDelay = milliseconds),
    stall: () => void (stalled = new Promise((resolve) => (endStall = resolve))),
    reset,
    drop() {
      for (const connection of connections) connection.isDropped = true
    },
    breakAtCommit: (when) => new Promise((done) => (breakage = { when, done })),
    refuse,
    async end() {
      endDelays()
      await refuse()
    },
  }
}
