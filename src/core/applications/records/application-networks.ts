import { ApplicationError } from '../../../shared/contracts/errors.js'
import { IPV4_FORMS } from '../../../shared/lib/ip-address.js'
import { HAS_EVERY_IPV4, readNetwork } from '../../../shared/lib/networks.js'

/** The most networks that a list has. */
const MAX_NETWORKS = 100

/** Validates a list of networks; undefined for null. Throws with code `invalid_argument`. */
export function readNetworks(networks: unknown): readonly string[] | undefined {
  if (networks === null) return undefined
  if (!Array.isArray(networks) || networks.length === 0 || networks.length > MAX_NETWORKS)
    throw invalid(
      `networks must be a list of 1 to ${MAX_NETWORKS} networks such as "203.0.113.0/24" or "2001:db8::/32", or null for any.`,
    )
  return [...new Set((networks as readonly unknown[]).map(readOne))]
}

function readOne(given: unknown): string {
  const network = typeof given === 'string' ? readNetwork(given.trim()) : undefined
  if (typeof network === 'string') return network
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, MAX_SHOWN_LENGTH)) : typeof given
  if (network === HAS_EVERY_IPV4)
    throw invalid(
      `networks has ${shown}, which has every IPv4 address (as ${IPV4_FORMS.join(' or ')}), and those are compared as IPv4. Write IPv4 networks such as 203.0.113.0/24, and of IPv6 a network without these: 2000::/3 has every public address. null is for any.`,
    )
  throw invalid(
    `networks has ${shown}, which is no network. Write its first address and the bits that all have in common: 203.0.113.0/24, 2001:db8::/32, or one address.`,
  )
}

const MAX_SHOWN_LENGTH = 50

function invalid(message: string): ApplicationError {
  return new ApplicationError('invalid_argument', message)
}
