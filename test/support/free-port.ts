import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port on which nothing listens, for a program that is told where to listen. Below those that systems hand out by
 * themselves: one of these could be somebody else's again before the program has it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const server = createServer().listen(port)
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ])
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
