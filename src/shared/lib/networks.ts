import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { IPV4_FORMS, normalizeIp, readBits } from './ip-address.js'
import { readIpAddress } from './request.js'

/** A network in CIDR notation (RFC 4632 3.1, RFC 4291 2.3), in one spelling: `203.0.113.0/24`, `2001:db8::/32`. */
export type Network = string

/** Stands for an IPv6 network that has every IPv4 address, in one of the forms that requests are normalized from. */
export const HAS_EVERY_IPV4 = Symbol('every IPv4 address')

/** A network, or one address. Undefined for other text, also with bits behind the prefix: a typing error. */
export function readNetwork(text: string): Network | typeof HAS_EVERY_IPV4 | undefined {
  const [given = '', length, ...more] = text.split('/')
  const family = isIP(given)
  if (family === 0 || given.includes('%') || more.length > 0) return undefined
  const bits = family === 4 ? 32 : 128
  if (length !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined
  const prefix = length === undefined ? bits : Number(length)
  if (prefix > bits) return undefined
  // Bits behind the prefix: the address is not the first one of its network.
  if ((readBits(given) & ((1n << BigInt(bits - prefix)) - 1n)) !== 0n) return undefined
  if (IPV4_FORMS.some((form) => containsNetwork(`${given}/${prefix}`, form))) return HAS_EVERY_IPV4
  // Requests have the IPv4 address.
  const address = normalizeIp(given)
  return `${address}/${family === 6 && isIPv4(address) ? prefix - 96 : prefix}`
}

export function containsNetwork(outer: Network, inner: Network): boolean {
  const [outerAddress = '', outerPrefix] = outer.split('/')
  const [innerAddress = '', innerPrefix] = inner.split('/')
  if (isIPv4(outerAddress) !== isIPv4(innerAddress) || Number(outerPrefix) > Number(innerPrefix)) return false
  const rest = BigInt((isIPv4(outerAddress) ? 32 : 128) - Number(outerPrefix))
  return readBits(outerAddress) >> rest === readBits(innerAddress) >> rest
}

/** The networks that two lists have in common; undefined is any network. A list that is within the other one stays as it is. */
export function intersectNetworks(one: readonly Network[] | undefined, other: readonly Network[] | undefined) {
  if (one === undefined || other === undefined) return one ?? other
  const within = (inner: readonly Network[], outer: readonly Network[]): Network[] =>
    inner.filter((network) => outer.some((each) => containsNetwork(each, network)))
  return [...new Set([...within(one, other), ...within(other, one)])]
}

/** The lists are made once for each record: records are immutable, and a changed one has another list of networks. */
const lists = new WeakMap<readonly Network[], Lists>()

/** The networks of each kind. Node's list would find an IPv4 address in `::/0` too, as `::ffff:0:0/96` is in it. */
type Lists = Readonly<Record<'ipv4' | 'ipv6', BlockList>>

type Restricted = { readonly networks?: readonly Network[] | undefined }

/** Whether a request comes from the networks of both. Without a request its address is in none. */
export function isFromNetworks(req: object | undefined, application: Restricted, credential: Restricted): boolean {
  if (application.networks === undefined && credential.networks === undefined) return true
  const address = req ? readIpAddress(req as IncomingMessage) : ''
  return [application, credential].every(({ networks }) => networks === undefined || isInNetworks(address, networks))
}

export function isInNetworks(address: string, networks: readonly Network[]): boolean {
  if (isIP(address) === 0) return false
  let list = lists.get(networks)
  if (!list) lists.set(networks, (list = createLists(networks)))
  const kind = findKind(address)
  return list[kind].check(address, kind)
}

function createLists(networks: readonly Network[]): Lists {
  const created = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const kind = findKind(address)
    created[kind].addSubnet(address, Number(prefix), kind)
  }
  return created
}

function findKind(address: string): keyof Lists {
  return isIPv4(address) ? 'ipv4' : 'ipv6'
}
