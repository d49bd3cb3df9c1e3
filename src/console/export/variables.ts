import { isObject } from '../../lib/is-object.js'

/**
 * A part of a collection, in which no text of the document stands for a credential: Postman and Bruno replace `{{clientSecret}}`
 * wherever it is, also in the URL of a request, which access logs keep. Such a text gets single braces.
 */
export function hideCredentialVariables<Part>(part: Part): Part {
  return hide(part) as Part
}

function hide(part: unknown): unknown {
  if (typeof part === 'string') return part.replaceAll(CREDENTIAL_VARIABLE, '{$1}')
  if (Array.isArray(part)) return part.map(hide)
  return isObject(part) ? Object.fromEntries(Object.entries(part).map(([name, value]) => [name, hide(value)])) : part
}

/** The variables of both collections, the environment of the process (Bruno), and the vault (Postman). */
const CREDENTIAL_VARIABLE = /\{{2,}(\s*(?:clientId|clientSecret|apiKey|accessToken|process\.env|vault:)[^{}]*)\}{2,}/g
