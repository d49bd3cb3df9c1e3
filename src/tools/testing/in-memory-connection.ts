import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** The two ends of a connection without a network. `address` is what the server sees of the client. */
export function createConnection(address: string): { readonly client: Socket; readonly server: Socket } {
  const client: Duplex = createEnd(() => server)
  const server: Duplex = createEnd(() => client)
  const calls = {
    setTimeout: () => server,
    setKeepAlive: () => server,
    setNoDelay: () => server,
    ref: () => server,
    unref: () => server,
  }
  const addresses = {
    remoteAddress: address,
    remotePort: 40_000,
    remoteFamily: address.includes(':') ? 'IPv6' : 'IPv4',
    localAddress: '127.0.0.1',
    localPort: 80,
  }
  return {
    client: Object.assign(client, calls) as unknown as Socket,
    server: Object.assign(server, calls, addresses) as unknown as Socket,
  }
}

function createEnd(findOther: () => Duplex): Duplex {
  return new Duplex({
    read() {
      // The other end could not write this until now.
      const proceed = WAITING.get(this)
      WAITING.delete(this)
      proceed?.()
    },
    write(chunk, _encoding, done) {
      const other = findOther()
      if (other.destroyed || other.push(chunk)) done()
      else WAITING.set(other, done)
    },
    final(done) {
      const other = findOther()
      if (!other.destroyed) other.push(null)
      done()
    },
    destroy(error, done) {
      const other = findOther()
      queueMicrotask(() => other.destroy())
      done(error)
    },
  })
}

/** Writes that wait, by the end that must read first. */
const WAITING = new WeakMap<Duplex, () => void>()
