import { isIPv4 } from 'node:net'

/** IPv4 addresses as IPv6 ones: mapped (RFC 4291 2.5.5.2), and behind NAT64 (RFC 6052 2.1). */
export const IPV4_FORMS = ['::ffff:0:0/96', '64:ff9b::/96'] as const

const IPV4_PREFIXES = IPV4_FORMS.map((form) => formatGroups(readGroups(form.slice(0, -'/96'.length)).slice(0, 6)))

/** The one spelling of an IP address: IPv4 in one of `IPV4_FORMS` is IPv4, other IPv6 is written as in RFC 5952. */
export function normalizeIp(address: string): string {
  if (isIPv4(address)) return address
  const groups = readGroups(address)
  if (IPV4_PREFIXES.includes(formatGroups(groups.slice(0, 6)))) {
    const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
    return bytes.join('.')
  }
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

export function readBits(address: string): bigint {
  const [parts, size] = isIPv4(address) ? [address.split('.').map(Number), 8n] : [readGroups(address), 16n]
  return parts.reduce((sum, part) => (sum << size) | BigInt(part), 0n)
}

export function readGroups(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const front = readSide(head)
  const back = readSide(tail ?? '')
  const zeros = tail === undefined ? [] : Array<number>(Math.max(0, 8 - front.length - back.length)).fill(0)
  return [...front, ...zeros, ...back]
}

/** The numbers on one side of the `::`, whose last part may be an IPv4 address. */
function readSide(side: string): number[] {
  return side.split(':').flatMap((part) => {
    if (part === '') return []
    if (!part.includes('.')) return [Number.parseInt(part, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}

export function formatGroups(groups: readonly number[]): string {
  return groups.map((group) => (group & 0xffff).toString(16)).join(':')
}
