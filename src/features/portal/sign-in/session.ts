import { createHmac, randomBytes, createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hasContact } from '../../../core/applications/contacts/contact-lists.js'
import type { ApplicationRecord, Language } from '../../../shared/contracts/application-record.js'
import { CLOCK_MARGIN_MS, createSignOuts, MAX_SESSION_MS } from '../../../core/applications/contacts/sign-outs.js'
import type { Core } from '../../../feature.js'
import { readHeader } from '../../../shared/lib/request.js'
import { createSealedTexts } from '../../../shared/lib/sealed-text.js'

export interface PortalSession {
  readonly id: string
  /** The contact's address in ASCII lower case. */
  readonly contact: string
  readonly applicationId: string | undefined
  readonly csrf: string
  /** The language of the first application that the contact may see; undefined if it has none. */
  readonly language: Language | undefined
}

export interface Visitor {
  readonly session: PortalSession | undefined
  /** The hidden field `csrf` of every form, before and after the sign-in. */
  readonly csrf: string
  readonly setCookie: string | undefined
}

export interface SignedIn {
  readonly contact: string
  readonly applicationId: string | undefined
  /** The nonce of the mailbox's last sign-out, read before the sign-in was accepted; empty without one. */
  readonly lastSignOut: string
}

/** The sessions of contacts. They are in cookies; their early ends are in the store. */
export type Sessions = ReturnType<typeof createSessions>

const MAX_IDLE_MS = 3600 * 1000
const REFRESH_INTERVAL_MS = 60 * 1000

export function createSessions(core: Core, developersUrl: string) {
  const { store, limitLookups, limitChanges, now } = core
  const signOuts = createSignOuts(core)
  const cookie = createSessionCookie(core, developersUrl)

  function createContent(contact: SignedIn): CookieContent {
    return { ...contact, id: randomBytes(16).toString('base64url'), startedAt: now(), seenAt: now() }
  }

  function createVisitor(): Visitor & { readonly setCookie: string } {
    const content = createContent(NOBODY)
    return { session: undefined, csrf: computeCsrf(content), setCookie: cookie.format(content) }
  }

  /** Nobody else can compute the value: the key is secret, and the id is encrypted in the cookie. */
  function computeCsrf({ id }: CookieContent): string {
    return createHmac('sha256', derivePortalKey(core, 'csrf')).update(id).digest('base64url')
  }

  function isOver({ startedAt, seenAt }: CookieContent): boolean {
    // A cookie that states the future would outlive the sign-outs that are stored.
    if (Math.max(startedAt, seenAt) > now() + CLOCK_MARGIN_MS) return true
    return now() >= startedAt + MAX_SESSION_MS || now() >= seenAt + MAX_IDLE_MS
  }

  async function findFirst(contact: string, applicationId: string | undefined): Promise<ApplicationRecord | undefined> {
    if (applicationId === undefined) {
      const query = { after: undefined, limit: 1, api: undefined, status: undefined, contact: contact }
      return (await limitLookups(contact, () => store.listApplications(query)))[0]
    }
    const application = await limitLookups(contact, () => store.findApplication(applicationId))
    return hasContact(application, contact) ? application : undefined
  }

  return {
    isContact: async (contact: string, applicationId: string | undefined): Promise<boolean> =>
      (await findFirst(contact, applicationId)) !== undefined,
    /** Reads the cookie and checks it against the records, not against a cache: a change ends a session at its next request. */
    async identify(req: IncomingMessage): Promise<Visitor> {
      const content = cookie.read(req)
      if (!content || isOver(content)) return createVisitor()
      const { id, contact, applicationId } = content
      const csrf = computeCsrf(content)
      if (contact === NOBODY.contact) return { session: undefined, csrf, setCookie: undefined }
      const [application, hasEnded] = await Promise.all([
        findFirst(contact, applicationId),
        limitLookups(contact, () => signOuts.hasEnded(content)),
      ])
      if (!application || hasEnded) return createVisitor()
      const isRecent = now() < content.seenAt + REFRESH_INTERVAL_MS
      const setCookie = isRecent ? undefined : cookie.format({ ...content, seenAt: now() })
      return { session: { id, contact, applicationId, csrf, language: application.language }, csrf, setCookie }
    },
    begin: (contact: SignedIn): string => cookie.format(createContent(contact)),
    /** Ends a session in every process, and resolves the `Set-Cookie` header of a visitor. */
    async end({ id, contact }: PortalSession): Promise<string> {
      await limitChanges(contact, () => signOuts.addForSession(id))
      return createVisitor().setCookie
    },
  }
}

const NOBODY: SignedIn = { contact: '', applicationId: undefined, lastSignOut: '' }

interface CookieContent {
  /** 128 random bits, new at each sign-in. */
  readonly id: string
  /** The contact's address in ASCII lower case; empty while nobody is signed in. */
  readonly contact: string
  readonly applicationId: string | undefined
  readonly startedAt: number
  /** Milliseconds since 1970 of the last request, or up to a minute earlier. */
  readonly seenAt: number
  /** The nonce of the mailbox's last sign-out before this session; empty: none. */
  readonly lastSignOut: string
}

/** 256 bits. They are derived at each use, because the session secret may be replaced. */
export function derivePortalKey({ deriveKey }: Core, use: 'session' | 'csrf' | 'sign-in'): Uint8Array {
  return deriveKey(`express-platform-auth portal ${use} v1`)
}

/** The limit exceeds every cookie that is made: an address has up to 254 characters. */
const MAX_COOKIE_LENGTH = 1024

/**
 * Encrypts and authenticates the session that a browser keeps: nothing of it is stored here.
 *
 * `__Host-` cookies (RFC 6265bis 4.1.3.2) come from this host alone, over https. Plain http has nothing like that: there the
 * cookie has the same attributes without `Secure`. Cookies do not tell ports apart, so the name does.
 */
function createSessionCookie(core: Core, developersUrl: string) {
  const isSecure = developersUrl.startsWith('https:')
  const platform = createHash('sha256').update(developersUrl).digest('hex').slice(0, 8)
  const name = `${isSecure ? '__Host-' : ''}platform_auth_${platform}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  // A cookie of another platform with the same pepper is refused.
  const sealed = createSealedTexts(() => derivePortalKey(core, 'session'), name)

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
  const pairs = (readHeader(req, 'cookie') ?? '').split(';').map((pair) => pair.trim())
  const prefix = `${name}=`
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
}

type SealedContent = [string, string, string, number, number, string]

function formatContent({ id, contact, applicationId = '', startedAt, seenAt, lastSignOut }: CookieContent): string {
  return JSON.stringify([id, contact, applicationId, startedAt, seenAt, lastSignOut] satisfies SealedContent)
}

function parseContent(text: string): CookieContent {
  const [id, contact, applicationId, startedAt, seenAt, lastSignOut] = JSON.parse(text) as SealedContent
  return { id, contact, applicationId: applicationId || undefined, startedAt, seenAt, lastSignOut }
}
