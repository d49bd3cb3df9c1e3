import { domainToASCII } from 'node:url'
import { findHidden, formatCodePoint } from './visible-text.js'

/** RFC 5321 4.1.2: a dot-atom at a host name; nothing that a mail program could read as two addresses. */
const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

const MAX_LENGTH = 254
const MAX_LOCAL_PART_LENGTH = 64

/** One plain ASCII address of up to 254 octets, or undefined. An internationalized domain is converted (`xn--...`). */
export function readEmailAddress(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const address = isAscii(text) ? text : convertDomain(text)
  const isAddress = address.length <= MAX_LENGTH && ADDRESS.test(address)
  return isAddress && address.indexOf('@') <= MAX_LOCAL_PART_LENGTH ? address : undefined
}

/** The reason why a text is no address: a part of a sentence; undefined if there is no more to say. */
export function findAddressProblem(text: unknown): string | undefined {
  if (typeof text !== 'string' || readEmailAddress(text) !== undefined) return undefined
  const hidden = findHidden(text)
  if (hidden !== undefined) return `has a character that cannot be seen (${formatCodePoint(hidden)})`
  const at = text.lastIndexOf('@')
  if (at < 0) return undefined
  if (!isAscii(text.slice(0, at))) return 'has other letters than a to z before the @, which many mail servers refuse'
  if (at > MAX_LOCAL_PART_LENGTH) return `has more than ${MAX_LOCAL_PART_LENGTH} characters before the @`
  if (!isAscii(text)) return 'has a domain that no host can have'
  return text.length > MAX_LENGTH ? `has more than ${MAX_LENGTH} characters` : undefined
}

/** UTS 46. A host of this form has ASCII letters, digits and hyphens only, so nothing here is decoded or is an IP address. */
function convertDomain(text: string): string {
  const at = text.lastIndexOf('@') + 1
  const domain = text.slice(at)
  const isPossible = findHidden(domain) === undefined && !/[\0-,/:-@[-`{-\x7F]/.test(domain)
  return text.slice(0, at) + (isPossible ? domainToASCII(domain) : '')
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7F]/.test(text)
}

/** The address without `+tag`, which many mail servers ignore. */
export function removeTag(address: string): string {
  return address.replace(/\+[^@]*/, '')
}
