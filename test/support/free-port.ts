import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Finds a port on which nothing listens, for a program that must be given its port. It is below the ephemeral ports, which
 * the system could give to another socket before the program listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const server = createServer().listen(port)
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
