import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A wire to a server, in the test's hands. */
export interface TcpProxy {
  /** The address that was given, by way of this wire. */
  readonly url: string
  /** How many connections go through it. */
  connections(): number
  /** All is well again; what was held goes on. */
  forward(): Promise<void>
  /** Each answer comes so many milliseconds later. */
  delay(milliseconds: number): void
  /** Nothing comes through any more, either way; connections are made, and stay silent. */
  stall(): void
  /** Resets every connection; new ones are served. */
  reset(): void
  /** Those who are connected never hear anything again, not even an end; new connections are served. */
  drop(): void
  /** Resets every connection, and refuses new ones. */
  refuse(): Promise<void>
  end(): Promise<void>
}

export async function tcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const links = new Set<Link>()
  let late = 0
  let open = Promise.resolve()
  let letGo = (): void => undefined

  const server = createServer((near) => {
    const link: Link = { near, far: connect(Number(port), hostname), dropped: false }
    links.add(link)
    const end = (): void => {
      // Nobody hears of the end of what was dropped.
      if (!link.dropped) near.destroy()
      link.far.destroy()
      links.delete(link)
    }
    for (const socket of [near, link.far])
      socket
        .on('error', () => undefined)
        .on('close', end)
        .setNoDelay()
    carry(link, near, link.far, () => 0)
    carry(link, link.far, near, () => late)
  })

  function carry(link: Link, from: Socket, to: Socket, delay: () => number): void {
    let last: Promise<unknown> = Promise.resolve()
    from.on('data', (chunk: Buffer) => {
      const due = performance.now() + delay()
      last = last.then(async () => {
        const left = due - performance.now()
        if (left > 0) await sleep(left)
        await open
        if (!link.dropped && !to.destroyed) to.write(chunk)
      })
    })
  }

  async function listen(at: number): Promise<void> {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }

  function reset(): void {
    for (const { near, far } of links) {
      near.resetAndDestroy()
      far.destroy()
    }
  }

  function pass(): void {
    late = 0
    letGo()
    open = Promise.resolve()
  }

  async function refuse(): Promise<void> {
    const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : undefined
    reset()
    await closed
  }

  await listen(0)
  const { port: own } = server.address() as AddressInfo
  const url = new URL(target)
  url.host = `127.0.0.1:${own}`
  return {
    url: url.href,
    connections: () => links.size,
    async forward() {
      pass()
      if (!server.listening) await listen(own)
    },
    delay: (milliseconds) => void (late = milliseconds),
    stall: () => void (open = new Promise((resolve) => (letGo = resolve))),
    reset,
    drop() {
      for (const link of links) link.dropped = true
    },
    refuse,
    async end() {
      pass()
      await refuse()
    },
  }
}

interface Link {
  readonly near: Socket
  readonly far: Socket
  dropped: boolean
}
