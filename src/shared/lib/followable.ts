// A dependency of the build only, which makes it a part of this file.
import tlds from 'tlds' with { type: 'json' }

/**
 * Whether a mail program could turn a part of the text into something to follow: a web or e-mail address, a scheme such as `tel:`,
 * or a telephone number. Names such as `Acme: Orders`, `24/7 Logistics`, `E.ON` and `1-800-Flowers` have nothing like that; `Booking.com` has.
 */
export function isFollowable(text: string): boolean {
  // NFKC: some programs take compatibility characters, such as a full-width dot, for what they look like.
  const plain = text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\p{N}/gu, '0')
    .replaceAll(/\p{Dash}/gu, '-')
    .replaceAll(INITIALS, (text, word: string) => (isDomain(word) ? text : word))
  return PATTERNS.some((pattern) => pattern.test(plain))
}

const TOP_LEVEL_DOMAINS = new Set(tlds)

/** Some programs take the letters of ASCII in front for the whole word. */
function isDomain(word: string): boolean {
  const lower = word.toLowerCase()
  return TOP_LEVEL_DOMAINS.has(lower) || TOP_LEVEL_DOMAINS.has(/^[a-z]*/.exec(lower)![0])
}

/** `E.ON`, `L.L.Bean`: no host, unless the word is a top-level domain. Any other word that stands before a dot could be a host of an intranet. */
const INITIALS = /(?<![^\s(])(?:\p{Lu}\.){1,3}(\p{L}{2,})(?![^\s,;)])/gu

/** The patterns apply after every number was replaced by 0. U+3002 counts as a dot in host names (UTS 46). */
const PATTERNS = [
  // Two labels of a host name (also of emoji), and an IPv4 address.
  /[\p{L}\p{M}\p{S}0_-][.\u3002]\p{L}[\p{L}\p{M}0-]/u,
  /0(?:[.\u3002]0+){3}/,
  /localhost/i,
  // Paths that start at a host, and scheme: followed by something.
  /\/\/|\\\\/,
  /[a-z][a-z0+.-]*:[^\s:]/i,
  // Programs take these with a blank too.
  /(?:^|[^\p{L}\p{M}0])(?:tel|callto|sms|mailto|https?)\s*:/iu,
  // An e-mail address, also at a host of one label.
  /[^\s@]\s?@\s?[\p{L}\p{M}0_-]+[.\u3002]|[^\s@]@[^\s@]/u,
  // 7 digits, or 5 after a plus sign, however they are grouped.
  /0(?:[^\p{L}\p{M}0]{0,4}0){6}/u,
  /\+[^\p{L}\p{M}0]{0,4}0(?:[^\p{L}\p{M}0]{0,4}0){4}/u,
]
