import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** A header of a request. Own members only: a polluted `Object.prototype` must not provide a credential. */
export function readHeader<Name extends keyof IncomingHttpHeaders & string>(
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: Name,
): IncomingHttpHeaders[Name] {
  return Object.hasOwn(headers, name) ? headers[name] : undefined
}

/** What the host or its framework has put on a request: not a member of a polluted `Object.prototype`. */
export function readHostMember(req: IncomingMessage, name: string): unknown {
  const value: unknown = Reflect.get(req, name)
  const isInherited = value === Reflect.get(Object.prototype, name) && !Object.hasOwn(req, name)
  return isInherited ? undefined : value
}

/**
 * The address that a request is counted against: its IPv4 address, or the IPv6 network with that prefix. One subscriber has
 * all addresses of a /64 network, and often of a /56 or /48.
 */
export function readClientAddress(req: IncomingMessage, ipv6Prefix: Ipv6Prefix = 64): string {
  const address = readIpAddress(req)
  return isIPv6(address) ? formatNetwork(address, ipv6Prefix) : address
}

/** The bits of an IPv6 address that name a network. */
export type Ipv6Prefix = 48 | 56 | 64

/** Express's `req.ip`, which follows the host's `trust proxy`, or the peer's address. */
export function readIpAddress(req: IncomingMessage): string {
  const ip = readHostMember(req, 'ip')
  const address = typeof ip === 'string' ? ip : (req.socket.remoteAddress ?? 'unknown')
  return /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1] ?? address
}

/** What failed authentications are counted by: the address, and the application that was presented, if it exists. */
export function formatFailureKey(req: IncomingMessage, applicationId: string | undefined): string {
  return `${readClientAddress(req)} ${applicationId ?? 'unknown'}`
}

function formatNetwork(address: string, prefix: Ipv6Prefix): string {
  const [head = '', tail] = address.split('%', 1)[0]!.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0')
  const groups = [...front, ...zeros, ...back].slice(0, 4).map((group) => Number.parseInt(group, 16))
  groups[3]! &= 0xffff << (64 - prefix)
  return `${groups.map((group) => (group & 0xffff).toString(16)).join(':')}::/${prefix}`
}

/**
 * Whether a header occurs more than once. `req.headers` does not show it: Node keeps the first `Authorization` and joins
 * other headers with a comma. Two credentials in one request are an error (RFC 6750 2).
 */
export function hasDuplicateHeader(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  lowerCaseName: string,
): boolean {
  let isSeen = false
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length !== lowerCaseName.length || name.toLowerCase() !== lowerCaseName) continue
    if (isSeen) return true
    isSeen = true
  }
  return false
}
