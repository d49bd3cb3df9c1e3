import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { readHeader } from '../../../shared/lib/request.js'
import { createSealedTexts } from '../../../shared/lib/sealed-text.js'

/** The content of the cookie, encrypted. */
export interface CookieContent {
  /** 128 random bits, new at each sign-in. */
  readonly id: string
  /** The contact's address in ASCII lower case; empty while nobody is signed in. */
  readonly contact: string
  readonly applicationId: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Milliseconds since 1970 of the last request, or up to a minute earlier. */
  readonly seenAt: number
  /** The nonce of the mailbox's last sign-out before this session; empty: none. */
  readonly lastSignOut: string
}

/** Encrypts and authenticates the session that a browser keeps: nothing of it is stored here. */
export type SessionCookie = ReturnType<typeof createSessionCookie>

/** The limit exceeds every cookie that is made: an address has up to 254 characters. */
const MAX_COOKIE_LENGTH = 1024

/**
 * `__Host-` cookies (RFC 6265bis 4.1.3.2) come from this host alone, over https. Plain http has nothing like that: there the
 * cookie has the same attributes without `Secure`. Cookies do not tell ports apart, so the name does.
 */
export function createSessionCookie(options: {
  readonly developersUrl: string
  /** 256 bits. */
  readonly getKey: () => Uint8Array
}) {
  const { developersUrl, getKey } = options
  const isSecure = developersUrl.startsWith('https:')
  const platform = createHash('sha256').update(developersUrl).digest('hex').slice(0, 8)
  const name = `${isSecure ? '__Host-' : ''}platform_auth_${platform}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  // A cookie of another platform with the same pepper is refused.
  const sealed = createSealedTexts(getKey, name)

  return {
    /** Undefined without the cookie, and for one that this platform has not made. */
    read(req: IncomingMessage): CookieContent | undefined {
      const value = findCookie(req, name)
      if (value === undefined || value.length > MAX_COOKIE_LENGTH) return undefined
      const text = sealed.open(value)
      return text === undefined ? undefined : parseContent(text)
    },
    format: (content: CookieContent): string => `${name}=${sealed.seal(formatContent(content))}; ${attributes}`,
  }
}

function findCookie(req: IncomingMessage, name: string): string | undefined {
  const pairs = (readHeader(req, 'cookie') ?? '').split(';')
  const prefix = `${name}=`
  return pairs
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(prefix))
    ?.slice(prefix.length)
}

function formatContent({ id, contact, applicationId = '', startedAt, seenAt, lastSignOut }: CookieContent): string {
  return JSON.stringify([id, contact, applicationId, startedAt, seenAt, lastSignOut])
}

/** Parses a text that this platform has encrypted, so that its form is known. */
function parseContent(text: string): CookieContent {
  const [id, contact, applicationId, startedAt, seenAt, lastSignOut] = JSON.parse(text) as [
    string,
    string,
    string,
    number,
    number,
    string,
  ]
  return {
    id,
    contact,
    applicationId: applicationId === '' ? undefined : applicationId,
    startedAt,
    seenAt,
    lastSignOut,
  }
}
