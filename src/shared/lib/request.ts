import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import { formatGroups, normalizeIp, readGroups } from './ip-address.js'

/** An own header: a polluted `Object.prototype` provides no credential. Requests made by hand may have no headers. */
export function readHeader<Name extends keyof IncomingHttpHeaders & string>(
  { headers }: Partial<Pick<IncomingMessage, 'headers'>>,
  name: Name,
): IncomingHttpHeaders[Name] {
  return headers && Object.hasOwn(headers, name) ? headers[name] : undefined
}

/** The target may have absolute form (RFC 9112 3.2.2). Dot segments stay: else `http://host/a/../path` passed a gate. */
export function parsePath(url: string): string {
  const target = url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#\\]*/i, '')
  const query = target.indexOf('?')
  return (query < 0 ? target : target.slice(0, query)) || '/'
}

/** The path that the client asked for, below which Express may have mounted what answers. */
export function readOriginalPath(req: IncomingMessage): string {
  const { originalUrl = req.url ?? '/' } = req as { originalUrl?: string }
  return parsePath(originalUrl)
}

/** The path below the mount path. Of two slashes there Express 4 takes one, which made another path that of an endpoint. */
export function readPath(req: IncomingMessage): string {
  const path = parsePath(req.url ?? '/')
  return readOriginalPath(req).endsWith(`/${path}`) ? `/${path}` : path
}

/** A member that the host or its framework has put on a request, not one of a polluted `Object.prototype`. */
export function readHostMember(req: IncomingMessage, name: string): unknown {
  const value: unknown = Reflect.get(req, name)
  const isInherited = value === Reflect.get(Object.prototype, name) && !Object.hasOwn(req, name)
  return isInherited ? undefined : value
}

/** The address to count by: IPv4, or the IPv6 network with that prefix, which one subscriber has. */
export function readClientAddress(req: IncomingMessage, ipv6Prefix: Ipv6Prefix = 64): string {
  const address = readIpAddress(req)
  // A text with a space would name the resource server whose turns it takes.
  const network = isIPv6(address) ? formatNetwork(address, ipv6Prefix) : address.replaceAll(' ', '_')
  const by = INTROSPECTED_BY.get(req)
  return by === undefined ? network : `${by} ${network}`
}

/** The resource servers that ask about requests. */
const INTROSPECTED_BY = new WeakMap<object, string>()

/**
 * The request with these headers in place of its own. `introspected`: it is one that a resource server was sent and asks about, with that
 * address, queued and counted by the resource server (`by`) and the address; `id` is that of the question, if it may be shown.
 */
export function deriveRequest(
  req: IncomingMessage,
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  introspected?: { readonly ip: string; readonly by: string; readonly id: string | undefined },
): IncomingMessage {
  const derived = Object.create(req, {
    headers: { value: headers },
    rawHeaders: { value: rawHeaders },
    headersDistinct: { value: {} },
    ...(introspected && { ip: { value: introspected.ip } }),
    id: { value: introspected ? introspected.id : Object.hasOwn(req, 'id') ? Reflect.get(req, 'id') : undefined },
  }) as IncomingMessage
  if (introspected) INTROSPECTED_BY.set(derived, introspected.by)
  return derived
}

/** The bits of an IPv6 address that name a network. */
export type Ipv6Prefix = 48 | 56 | 64

/** Express's `req.ip` (which follows `trust proxy`), or the peer's address, in one spelling. */
export function readIpAddress(req: IncomingMessage): string {
  const ip = readHostMember(req, 'ip')
  if (typeof ip === 'string') return normalizeAddress(ip)
  const { socket }: Partial<Pick<IncomingMessage, 'socket'>> = req
  return normalizeAddress(socket?.remoteAddress ?? 'unknown')
}

/** `[2001:db8::1]:443`, with or without the port, or `192.0.2.1:443`. */
const WITH_PORT = /^\[([^\]]*)\](?::\d+)?$|^(\d+(?:\.\d+){3}):\d+$/
/** A header may hold any text. This bounds the key of a counter. */
const MAX_ADDRESS_LENGTH = 64

function normalizeAddress(text: string): string {
  if (isIPv4(text)) return text
  // The ellipsis: what is left of a long text must not look like an address.
  if (text.length > MAX_ADDRESS_LENGTH) return `${text.slice(0, MAX_ADDRESS_LENGTH - 1)}…`
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? []
  const address = (bracketed ?? dotted ?? text).split('%', 1)[0]!
  return isIPv6(address) ? normalizeIp(address) : address
}

/** The keys by which failed authentications are counted: the address, and the application that was presented, if it exists. */
export function formatFailureKey(req: IncomingMessage, applicationId: string | undefined): string {
  return `${readClientAddress(req)} ${applicationId ?? 'unknown'}`
}

function formatNetwork(address: string, prefix: Ipv6Prefix): string {
  const groups = readGroups(address).slice(0, 4)
  groups[3]! &= 0xffff << (64 - prefix)
  return `${formatGroups(groups)}::/${prefix}`
}

/**
 * Whether a header occurs more than once. `req.headers` does not show it: Node keeps the first `Authorization` and joins
 * other headers with a comma. Two credentials in one request are an error (RFC 6750 2). The requests of some test tools and
 * wrappers have no raw headers, and so no second one.
 */
export function hasDuplicateHeader(
  { rawHeaders = [] }: Partial<Pick<IncomingMessage, 'rawHeaders'>>,
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

/** A percent-encoded text decoded; as it is if it cannot be decoded. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
