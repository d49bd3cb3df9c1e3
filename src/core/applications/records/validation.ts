import { isContact } from '../contacts/contact-lists.js'
import { toAsciiLowerCase } from '../../../shared/contracts/application-order.js'
import { toSentence, invalidArgument } from '../../../shared/contracts/errors.js'
import { LANGUAGE_NAMES, type ApplicationStatus, type Language } from '../../../shared/contracts/application-record.js'
import { findAddressProblem, readEmailAddress } from '../../../shared/lib/email-address.js'
import { isFollowable } from '../../../shared/lib/followable.js'
import { findLineProblem } from '../../../shared/lib/visible-text.js'
import { isText } from '../call-arguments.js'
import { IPV4_FORMS } from '../../../shared/lib/ip-address.js'
import { HAS_EVERY_IPV4, readNetwork } from '../../../shared/lib/networks.js'

/** Lengths are in code points: UTF-16 would count most emoji twice. */
export const MAX_NAME_LENGTH = 100

/** 1 to 100 visible characters, trimmed: names are shown in e-mails, lists and logs. */
export function readName(name: unknown): string {
  const trimmed = typeof name === 'string' ? name.trim() : ''
  const problem = trimmed === '' ? 'is empty' : findLineProblem(trimmed, MAX_NAME_LENGTH)
  if (problem === undefined) return trimmed
  throw invalidArgument(
    `name must be 1 to ${MAX_NAME_LENGTH} characters that can be seen. ${toSentence(`This one ${problem}`)}`,
  )
}

/** The name that a stranger gives. E-mails show it, so it holds nothing that a mail program would turn into a link. */
export function readRegistrationName(name: unknown): string {
  const read = readName(name)
  if (!isFollowable(read)) return read
  throw invalidArgument(
    'name must not have anything like a web address, an e-mail address or a telephone number: example.com, tel:, 7 digits in a row.',
  )
}

/** The name of a credential. Contacts are strangers too: an e-mail to another contact shows it. */
export function readCredentialName(name: unknown, by: string | undefined): string {
  return isContact(by) ? readRegistrationName(name) : readName(name)
}

/** One plain address of up to 254 octets. An internationalized domain is returned in ASCII. */
export function readContact(contact: unknown): string {
  const address = readEmailAddress(contact)
  if (address !== undefined) return address
  const problem = findAddressProblem(contact)
  throw invalidArgument(
    `contact must be one plain e-mail address, such as dev@example.com.${problem === undefined ? '' : ` ${toSentence(`This one ${problem}`)}`}`,
  )
}

/** The contact that a stranger gives: an address in the public DNS, not a mailbox of the mail server's own network. */
export function readRegistrationContact(contact: unknown): string {
  const read = readContact(contact)
  if (LINK_IN_ADDRESS.test(read))
    throw invalidArgument(
      'contact must have nothing like a web address before the @: letters, digits and . _ + - only, and no www.',
    )
  if (PUBLIC_HOST.test(read) && !PRIVATE_HOST.test(read)) return read
  throw invalidArgument('contact must be an e-mail address at a public host name, such as dev@example.com.')
}

/** Mail programs take `www.` and what follows it for a web address, and other signs for its path and query. */
const LINK_IN_ADDRESS = /^www\.|[^A-Za-z0-9._+'-].*@/i
const PUBLIC_HOST = /\.(?:[A-Za-z]{2,63}|xn--[A-Za-z0-9-]+)$/i
/** RFC 6761, RFC 6762, and names that are used without being registered. */
const PRIVATE_HOST = /[.@](?:localhost|localdomain|local|internal|intranet|lan|home\.arpa|invalid)$/i

/** The end of a credential: a `Date` in the future, or null for never. Resolves milliseconds. */
export function readExpiresAt(expiresAt: unknown, now: number): number | null {
  if (expiresAt === null) return null
  const at = expiresAt instanceof Date ? expiresAt.getTime() : Number.NaN
  if (at > now) return at
  throw invalidArgument(
    Number.isNaN(at)
      ? "expiresAt must be a Date, such as new Date('2027-01-31')."
      : `expiresAt is ${new Date(at).toISOString()}, which is not in the future. endCredential() ends a credential at once.`,
  )
}

/** A text that every store can look for, or undefined. `what` it must be is for the error. */
function readOptionalText(name: string, value: unknown, what: string): string | undefined {
  if (value === undefined || isText(value)) return value
  throw invalidArgument(`${name} must be ${what}`)
}

export const readCredentialId = (credential: unknown): string | undefined =>
  readOptionalText('credential', credential, 'the id of a credential, such as cred_...')

/** The shortest key or secret of the package is longer. */
const MAX_PREFIX_LENGTH = 39

/** The `prefix` of a search, with or without the dots that people write behind it. Never a whole credential: an address may have the search. */
export function readCredentialPrefix(prefix: unknown): string | undefined {
  if (prefix === undefined) return undefined
  const shown = isText(prefix) ? prefix.replace(/(?:\.\.\.|\u2026)$/, '') : ''
  if (shown !== '' && shown.length <= MAX_PREFIX_LENGTH) return shown
  throw invalidArgument(
    'credential must be the beginning of a key or secret as lists show it, such as pk_key_Ab12, and never all of it.',
  )
}

/** An option that is false unless given. A mistyped value must not count as false. */
export function readFlag(name: string, value: unknown = false): boolean {
  if (typeof value === 'boolean') return value
  throw invalidArgument(`${name} must be true or false.`)
}

/** The beginning of a name, in ASCII lower case as stores compare it. */
export function readNamePrefix(name: unknown): string | undefined {
  if (name === undefined) return undefined
  if (isText(name) && name !== '' && name.length <= 100) return toAsciiLowerCase(name)
  throw invalidArgument('name must be the beginning of a name: 1 to 100 characters.')
}

const YEAR = 31_536_000

/** Seconds for which an old credential still works: a day unless given. */
export function readOverlap(overlap: unknown = 86_400): number {
  if (Number.isInteger(overlap) && (overlap as number) >= 0 && (overlap as number) <= YEAR) return overlap as number
  throw invalidArgument(`overlap must be a whole number of seconds, 0 to ${YEAR} (a year).`)
}

const MAX_REASON_LENGTH = 500

/** An operator's text to a contact about a decision; undefined if nothing was given. Line breaks are kept. */
export function readReason(reason: unknown, name = 'reason'): string | undefined {
  if (reason === undefined) return undefined
  const text = typeof reason === 'string' ? reason.replaceAll(/\r\n?/g, '\n').replaceAll('\t', ' ').trim() : ''
  if (text !== '' && Array.from(text).length <= MAX_REASON_LENGTH && !/[^\P{Cc}\n]|[\p{Cs}\p{Zl}\p{Zp}]/u.test(text))
    return text
  throw invalidArgument(
    `${name} must be 1 to ${MAX_REASON_LENGTH} characters, without control characters other than line breaks.`,
  )
}

export function readPageSize(limit: unknown = 100): number {
  if (Number.isSafeInteger(limit) && (limit as number) >= 1 && (limit as number) <= 1000) return limit as number
  throw invalidArgument('limit must be a whole number from 1 to 1000.')
}

/** The plan of a filter. It may be none that this process knows. */
export const readPlanFilter = (plan: unknown): string | undefined =>
  readOptionalText('plan', plan, 'the name of a plan.')

/** Milliseconds since 1970. */
export function readTime(name: string, time: unknown): number | undefined {
  if (time === undefined) return undefined
  if (time instanceof Date && !Number.isNaN(time.getTime())) return time.getTime()
  throw invalidArgument(`${name} must be a valid Date.`)
}

const STATUSES: readonly unknown[] = ['pending', 'active', 'suspended', 'deleted'] satisfies ApplicationStatus[]

export function readStatus(status: ApplicationStatus | undefined): ApplicationStatus | undefined {
  if (status === undefined || STATUSES.includes(status)) return status
  throw invalidArgument(`status must be one of ${STATUSES.join(', ')}.`)
}

export function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(LANGUAGE_NAMES, value)
}

export function readLanguage(language: unknown): Language | undefined {
  if (language === undefined || isLanguage(language)) return language
  throw invalidArgument(`language must be one of ${Object.keys(LANGUAGE_NAMES).join(', ')}.`)
}

const MAX_NETWORKS = 100

export function readNetworks(networks: unknown): readonly string[] | undefined {
  if (networks === null) return undefined
  if (!Array.isArray(networks) || networks.length === 0 || networks.length > MAX_NETWORKS)
    throw invalidArgument(
      `networks must be a list of 1 to ${MAX_NETWORKS} networks such as "203.0.113.0/24" or "2001:db8::/32", or null for any.`,
    )
  return [...new Set((networks as readonly unknown[]).map(readOne))]
}

function readOne(given: unknown): string {
  const network = typeof given === 'string' ? readNetwork(given.trim()) : undefined
  if (typeof network === 'string') return network
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, MAX_SHOWN_LENGTH)) : typeof given
  if (network === HAS_EVERY_IPV4)
    throw invalidArgument(
      `networks has ${shown}, which has every IPv4 address (as ${IPV4_FORMS.join(' or ')}), and those are compared as IPv4. Write IPv4 networks such as 203.0.113.0/24, and of IPv6 a network without these: 2000::/3 has every public address. null is for any.`,
    )
  throw invalidArgument(
    `networks has ${shown}, which is no network. Write its first address and the bits that all have in common: 203.0.113.0/24, 2001:db8::/32, or one address.`,
  )
}

const MAX_SHOWN_LENGTH = 50
