import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/**
 * Whom a request is counted against: Express's `req.ip`, which goes by the host's `trust proxy`, or the peer. Of an IPv6
 * address the first 64 bits, since one subscriber has them all.
 */
export function readClientAddress(req: IncomingMessage): string {
  const { ip } = req as { ip?: unknown }
  const address = typeof ip === 'string' ? ip : (req.socket.remoteAddress ?? 'unknown')
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)
  if (mapped) return mapped[1]!
  return isIPv6(address) ? networkOf(address) : address
}

function networkOf(address: string): string {
  const [head = '', tail] = address.split('%', 1)[0]!.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0')
  const groups = [...front, ...zeros, ...back].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/**
 * Whether a header came more than once. Node keeps the first `Authorization` and joins others with a comma; only the raw
 * list tells. Two credentials on one request are an error, not a choice (RFC 6750 2).
 */
export function hasDuplicateHeader({ rawHeaders }: IncomingMessage, lowerCaseName: string): boolean {
  let seen = false
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length !== lowerCaseName.length || name.toLowerCase() !== lowerCaseName) continue
    if (seen) return true
    seen = true
  }
  return false
}
