import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendPage, setHeaders } from '../../core/http/respond.js'
import { hasOwnMember, ownMembers } from '../../shared/lib/own-members.js'
import type { PortalAnswer, PortalDownload } from './request.js'

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
