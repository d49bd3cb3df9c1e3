import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { PublicJwk } from '../../shared/contracts/application-record.js'
import { normalizeIp } from '../../shared/lib/ip-address.js'
import { isInNetworks } from '../../shared/lib/networks.js'
import { findAddressProblem, KeySetProblem, readHost, readKeySet } from './public-key-set.js'

export interface FetchedKeySet {
  readonly keys: readonly PublicJwk[]
  /** Seconds for which it may be used before it is fetched again, as `Cache-Control` says: 60 to 3600. */
  readonly maxAge: number
}

/** `isByOperator`: an operator gave the address, so that `allow` counts for it. Rejects with a `KeySetProblem` whose message is a part of a sentence, such as `answered with status 404`. */
export type FetchKeySet = (address: string, isByOperator: boolean) => Promise<FetchedKeySet>

const TIMEOUT_MS = 3000
const MAX_BYTES = 64 * 1024
const MAX_HEADER_BYTES = 16 * 1024
const SHORTEST_AGE = 60
const LONGEST_AGE = 3600
const JSON_TYPE = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i

/** Special-purpose addresses (IANA's registries, RFC 6890), and multicast. */
const SPECIAL_IPV4 =
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`.split(/\s+/)
/** Every public IPv6 address is in this network. What is special in it carries an IPv4 address or is for documents. */
const GLOBAL_IPV6 = ['2000::/3']
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/**
 * Makes the function that reads key sets from addresses that strangers name (CWE-918): by https only, without redirects, from public
 * addresses only, at most 64 KiB within 3 seconds, and JSON only. The addresses of a host are judged after the look-up, and the connection
 * goes to what was judged, so that a DNS answer that changes in between leads nowhere else. `allow` names hosts (`jwks.partner.internal`,
 * `10.0.0.7`) that may have any address where an operator named them; `ca` has their certificates, in PEM. `lookUp` is for tests.
 *
 * Packages for this (ssrf-req-filter, request-filtering-agent) judge addresses alike, but leave sizes, times and redirects to the caller.
 */
export function createKeySetFetcher(options: {
  readonly allow?: readonly string[] | undefined
  readonly ca?: string | undefined
  readonly lookUp?: LookUp
}): FetchKeySet {
  const { allow = [], ca, lookUp = createLookUp() } = options
  /** Gives the connection the addresses of a host only if all of them are public. */
  const lookUpPublic: LookupFunction = (host, options, done) => {
    lookUp(host).then(
      ([first, ...others]) => {
        if (!first || [first, ...others].some(({ address }) => !isPublic(address)))
          done(new KeySetProblem(NOT_PUBLIC), [])
        else if (options.all) done(null, [first, ...others])
        // Node was told not to try several (`--no-network-family-autoselection`).
        else done(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    )
  }

  return async function fetchKeySet(address, isByOperator) {
    const problem = findAddressProblem(address)
    if (problem !== undefined) throw new KeySetProblem(problem)
    const url = new URL(address)
    const host = readHost(address)
    const mayBeAnywhere = isByOperator && allow.includes(host)
    // Node looks up no host that is an address.
    if (!mayBeAnywhere && isIP(host) !== 0 && !isPublic(host)) throw new KeySetProblem(NOT_PUBLIC)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await open(url, {
      signal,
      ...(mayBeAnywhere ? ca !== undefined && { ca } : { lookup: lookUpPublic }),
    })
    const text = await readBody(response, signal)
    try {
      return { keys: readKeySet(JSON.parse(text), { ignoreOthers: true }), maxAge: readMaxAge(response) }
    } catch (error) {
      throw error instanceof KeySetProblem ? error : new KeySetProblem('is no JSON')
    }
  }
}

type LookUp = (host: string) => Promise<readonly LookupAddress[]>

/** Asks DNS without a thread: Node's look-up keeps one of four, for which files and passwords wait. `servers` is for tests. */
export function createLookUp(servers?: readonly string[]): LookUp {
  const resolver = new Resolver({ timeout: TIMEOUT_MS / 2, tries: 2 })
  if (servers) resolver.setServers(servers)
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = found.flatMap((each, index) =>
      each.status === 'fulfilled' ? each.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    )
    if (addresses.length === 0 && found[0].status === 'rejected') throw found[0].reason
    return addresses
  }
}

const NOT_PUBLIC = 'is at an address that is not public (name the host in the option allow if it is your own)'

function isPublic(address: string): boolean {
  if (address.includes('%') || isIP(address) === 0) return false
  const plain = normalizeIp(address)
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  if (own.some((each) => normalizeIp(each.address.replace(/%.*$/, '')) === plain)) return false
  if (isIP(plain) === 4) return !isInNetworks(plain, SPECIAL_IPV4)
  return isInNetworks(plain, GLOBAL_IPV6) && !isInNetworks(plain, SPECIAL_IPV6)
}

async function open(
  url: URL,
  connection: { readonly signal: AbortSignal; readonly lookup?: LookupFunction; readonly ca?: string },
): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, {
      ...connection,
      // A connection of its own, so that what was judged once is not used for another host.
      agent: false,
      headers: { Accept: 'application/jwk-set+json, application/json', 'Accept-Encoding': 'identity' },
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    outgoing.once('response', resolve)
    outgoing.once('error', (error) => reject(toProblem(error, connection.signal)))
    // After a 101, Node ends the connection without an error, and the signal no longer does anything.
    outgoing.once('close', () => reject(new KeySetProblem('ended the connection without an answer')))
    outgoing.end()
  })
  const { statusCode, headers } = response
  const problem = findResponseProblem(statusCode, headers['content-type'], headers['content-encoding'])
  if (problem === undefined) return response
  response.once('error', () => undefined)
  response.destroy()
  throw new KeySetProblem(problem)
}

function findResponseProblem(status = 0, type = '', encoding = 'identity'): string | undefined {
  if (status !== 200) return `answered with status ${status}`
  if (!JSON_TYPE.test(type))
    return 'answered with another Content-Type than application/json or application/jwk-set+json'
  return encoding === 'identity' ? undefined : 'answered with a Content-Encoding'
}

async function readBody(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      // Leaving the loop closes the connection.
      if (bytes > MAX_BYTES) throw new KeySetProblem(`has more than ${MAX_BYTES} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    throw toProblem(error, signal)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Only the code of an error is told: its message may repeat what the other side has sent. */
function toProblem(error: unknown, { aborted }: AbortSignal): KeySetProblem {
  if (error instanceof KeySetProblem) return error
  const { name, code } = error as NodeJS.ErrnoException
  if (aborted) return new KeySetProblem(`did not answer within ${TIMEOUT_MS / 1000} seconds`)
  return new KeySetProblem(`could not be reached (${code ?? name})`)
}

function readMaxAge({ headers }: IncomingMessage): number {
  const directives = headers['cache-control'] ?? ''
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})(?=[\s,]|$)/i.exec(directives) ?? []
  if (/(?:^|[\s,])no-(?:store|cache)(?=[\s,=]|$)/i.test(directives)) return SHORTEST_AGE
  const age = Number(/^\d{1,9}$/.exec(headers.age ?? '')?.[0] ?? 0)
  return Math.min(LONGEST_AGE, Math.max(SHORTEST_AGE, Number(seconds ?? SHORTEST_AGE) - age))
}
