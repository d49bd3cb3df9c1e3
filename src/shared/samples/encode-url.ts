const AUTHORITY = /^[a-z][\w+.-]*:\/\/[^/?#]*/i
const ILLEGAL = /%(?![\dA-F]{2})|[^\w~:/?#@!$&()*+,;=%.-]/giu

/**
 * Percent-encodes characters that RFC 3986 allows nowhere in path and query, such as `{` and `ü`: some clients refuse them, and
 * curl replaces braces. It also encodes apostrophes, as `fetch` does.
 */
export function encodeUrl(url: string): string {
  const [authority = ''] = AUTHORITY.exec(url) ?? []
  return authority + url.slice(authority.length).replaceAll(ILLEGAL, encodeCharacter)
}

function encodeCharacter(character: string): string {
  // Half of a surrogate pair cannot be encoded. U+FFFD stands for it, as in URLs that a browser encodes.
  if (character === "'") return '%27'
  return encodeURIComponent(/\p{Surrogate}/u.test(character) ? '\uFFFD' : character)
}
