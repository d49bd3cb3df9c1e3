import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestOrigin } from '../../shared/contracts/events.js'
import type { Language } from '../../shared/contracts/application-record.js'
import type { PortalSession, Visitor } from './sign-in/session.js'
import { sendPage, setHeaders } from '../../core/http/respond.js'
import { hasOwnMember, ownMembers } from '../../shared/lib/own-members.js'

/** A request of a contact who is signed in. */
export interface PortalRequest {
  readonly method: 'GET' | 'POST'
  /** Decoded segments below the mount: none for the list, `['app_123', 'credentials', 'cred_1', 'rotate']`. */
  readonly path: readonly string[]
  /** The fields of a form; empty for GET. Origin, `csrf` and size (16 KiB) have been checked. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly session: PortalSession
  /** The language of pages that are of no single application. */
  readonly language: Language
  readonly origin: RequestOrigin
}

export type PortalAnswer =
  /** A page of `RenderPortalPage`. */
  | { readonly status: number; readonly page: string; readonly headers?: Readonly<Record<string, string>> }
  /** 303 to a path below the mount, with its segments encoded and without a slash before it; empty for the list. */
  | { readonly redirect: string }
  | { readonly status: number; readonly download: PortalDownload }

/** A file that the browser saves. */
export interface PortalDownload {
  readonly name: string
  readonly type: string
  readonly text: string
}

/** The sender of a request, and the language of the answer. */
export interface PageVisitor extends Visitor {
  readonly language: Language
}

/** A request that was read, of anybody. */
export interface Exchange extends Pick<PortalRequest, 'method' | 'path' | 'fields'> {
  readonly visitor: PageVisitor
  readonly req: IncomingMessage
}

/** The answer, with a `Set-Cookie` header in place of the visitor's. */
export interface Outcome {
  readonly answer: PortalAnswer
  readonly setCookie?: string
}

/** Sends a page, a redirect below `root`, or a file. None of them is cached. */
export function sendAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  answer: PortalAnswer,
  { root, policy }: { readonly root: string; readonly policy: string },
): void {
  if (hasOwnMember(answer, 'page')) {
    setHeaders(res, ownMembers(answer).headers ?? {})
    return sendPage(req, res, answer.status, answer.page, policy, REFERRER_POLICY)
  }
  if (hasOwnMember(answer, 'redirect'))
    return sendRedirect(res, answer.redirect === '' ? root : `${root}/${answer.redirect}`)
  sendDownload(res, answer.status, answer.download)
}

/** Not `no-referrer`: browsers would send `Origin: null` with forms, like forms of other sites. */
const REFERRER_POLICY = 'same-origin'

/** `path` begins with the portal's own path, so that it leads nowhere else. */
function sendRedirect(res: ServerResponse, path: string): void {
  res.statusCode = 303
  res.setHeader('Location', path)
  res.setHeader('Referrer-Policy', REFERRER_POLICY)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Length', 0)
  res.end()
}

function sendDownload(res: ServerResponse, status: number, { name, type, text }: PortalDownload): void {
  const body = Buffer.from(text)
  res.statusCode = status
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Disposition', `attachment; filename="${name.replace(/[^A-Za-z0-9._-]/g, '_')}"`)
  res.setHeader('Content-Length', body.length)
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', REFERRER_POLICY)
  res.setHeader('Cache-Control', 'no-store')
  res.end(body)
}
