import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** What lies between one process and its database, and can come between them. */
export interface DatabaseProxy {
  /** The database's, by way of here. */
  readonly url: string
  /** Takes connections and bytes, and passes nothing on: not those, not what is there. */
  stall(): void
  /** What is connected now is never heard of again, on either side; what comes from now on is passed on. */
  freeze(): void
  /** Ends every connection, and refuses new ones. */
  refuse(): Promise<void>
  /** Passes on again, also what it has kept back meanwhile. */
  forward(): Promise<void>
  close(): Promise<void>
}

interface Pair {
  readonly near: Socket
  far: Socket | undefined
  frozen: boolean
}

export async function startDatabaseProxy(database: string): Promise<DatabaseProxy> {
  const url = new URL(database)
  const target = { host: url.hostname, port: Number(url.port) }
  const pairs = new Set<Pair>()
  let stalled = false

  const server = createServer({ pauseOnConnect: true }, (near) => {
    const pair: Pair = { near, far: undefined, frozen: false }
    pairs.add(pair)
    near.on('error', () => undefined)
    near.on('close', () => {
      pairs.delete(pair)
      pair.far?.destroy()
    })
    if (!stalled) passOn(pair)
  })

  function passOn(pair: Pair): void {
    if (pair.frozen) return
    pair.far ??= farOf(pair.near)
    pair.near.resume()
    pair.far.resume()
  }

  function farOf(near: Socket): Socket {
    const far = connect(target)
    far.on('error', () => undefined)
    far.on('close', () => near.destroy())
    far.on('data', (bytes) => near.write(bytes))
    near.on('data', (bytes) => far.write(bytes))
    near.on('end', () => far.end())
    return far
  }

  function keepBack({ near, far }: Pair): void {
    near.pause()
    far?.pause()
  }

  async function listen(port: number): Promise<number> {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  const port = await listen(0)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    stall() {
      stalled = true
      for (const pair of pairs) keepBack(pair)
    },
    freeze() {
      for (const pair of pairs) {
        pair.frozen = true
        keepBack(pair)
      }
    },
    async refuse() {
      const closed = once(server, 'close')
      server.close()
      for (const { near } of pairs) near.destroy()
      await closed
    },
    async forward() {
      stalled = false
      if (!server.listening) await listen(port)
      for (const pair of pairs) passOn(pair)
    },
    async close() {
      server.close()
      for (const { near, far } of pairs) {
        near.destroy()
        far?.destroy()
      }
    },
  }
}
