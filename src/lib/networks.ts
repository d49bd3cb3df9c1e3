import { BlockList, isIP, isIPv4 } from 'node:net'

/** A network in CIDR notation (RFC 4632 3.1, RFC 4291 2.3), in one spelling: `203.0.113.0/24`, `2001:db8::/32`. */
export type Network = string

/**
 * Reads a network, or one address, which is a network of its own. Returns undefined for any other text, and for an address with
 * bits behind the prefix: it is a typing error, or a wider network than its writer believes.
 */
export function readNetwork(text: string): Network | undefined {
  const [given = '', length, ...more] = text.split('/')
  const family = isIP(given)
  if (family === 0 || given.includes('%') || more.length > 0) return undefined
  const bits = family === 4 ? 32 : 128
  if (length !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined
  const prefix = length === undefined ? bits : Number(length)
  if (prefix > bits) return undefined
  const address = readAddress(given)
  // Bits behind the prefix: the address is not the first one of its network.
  if (address !== 0n && (address & ((1n << BigInt(bits - prefix)) - 1n)) !== 0n) return undefined
  // An IPv4 network as IPv6 (RFC 4291 2.5.5.2): requests have the IPv4 address.
  const isMapped = family === 6 && address >> 32n === 0xffffn && prefix >= 96
  return isMapped ? `${formatIPv4(address & 0xffff_ffffn)}/${prefix - 96}` : `${formatAddress(given)}/${prefix}`
}

/** Whether the first network contains all of the second. */
export function containsNetwork(outer: Network, inner: Network): boolean {
  const [outerAddress = '', outerPrefix] = outer.split('/')
  const [innerAddress = '', innerPrefix] = inner.split('/')
  if (isIPv4(outerAddress) !== isIPv4(innerAddress) || Number(outerPrefix) > Number(innerPrefix)) return false
  const rest = BigInt((isIPv4(outerAddress) ? 32 : 128) - Number(outerPrefix))
  return readAddress(outerAddress) >> rest === readAddress(innerAddress) >> rest
}

/** The lists are made once for each record: records are immutable, and a changed one has another list of networks. */
const lists = new WeakMap<readonly Network[], Lists>()

/** The networks of each kind. Node's list would find an IPv4 address in `::/0` too, as `::ffff:0:0/96` is in it. */
type Lists = Readonly<Record<'ipv4' | 'ipv6', BlockList>>

/** Whether an address is in one of the networks. A text that is no address is in none. */
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

/** As RFC 5952 writes it. */
function formatAddress(address: string): string {
  return isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1)
}

function formatIPv4(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.')
}

function readAddress(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
  const [head = '', tail] = formatAddress(address).split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back]
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}
