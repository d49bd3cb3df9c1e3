// @ts-check
import express from 'express'
import { html, sendPage } from '../http/page.js'
import { notFound, RequestError } from '../http/request-error.js'

/**
 * Creates the pages of the mailbox. Its e-mails contain credentials, so only requests from this machine are answered, and
 * only under a name of this machine, which prevents DNS rebinding by websites.
 * @param {import('./mailbox.js').Mailbox} mailbox @param {string} baseUrl
 */
export function mailboxRoutes(mailbox, baseUrl) {
  const { hostname, pathname } = new URL(`${baseUrl}/mailbox`)
  const names = new Set(['localhost', '127.0.0.1', '[::1]', hostname])
  const router = express.Router()

  router.use('/mailbox', (req, res, next) => {
    res.set('Cache-Control', 'no-store')
    if (/^(?:::1|(?:::ffff:)?127\.[\d.]+)$/.test(req.ip ?? '') && names.has(req.hostname)) return next()
    throw new RequestError(403, 'access_denied', 'The mailbox opens only on the machine that the app runs on.')
  })

  router.get('/mailbox', async (_req, res) => {
    const emails = await mailbox.list()
    // E-mails are sent shortly after a registration.
    if (emails.length === 0) res.set('Refresh', '2')
    sendPage(res, 'Mailbox', emails.length === 0 ? renderEmptyList(baseUrl) : renderList(emails, pathname))
  })

  router.get('/mailbox/:id.eml', (req, res) => {
    const { id } = req.params
    const eml = mailbox.readEml(id) ?? notFound('e-mail')
    res.set('X-Content-Type-Options', 'nosniff')
    res.attachment(`${id}.eml`).type('message/rfc822').send(Buffer.from(eml))
  })

  router.get('/mailbox/:id', async (req, res) => {
    const email = (await mailbox.find(req.params.id)) ?? notFound('e-mail')
    sendPage(res, email.subject, renderEmail(email, { path: pathname, developers: `${baseUrl}/developers` }))
  })

  return router
}

/** @param {string} baseUrl */
function renderEmptyList(baseUrl) {
  return html`<p>No e-mails yet. This page reloads every two seconds.</p>
    <p><a href="${baseUrl}/developers/register">Register an application</a> to get one.</p>`
}

/** @param {readonly import('./mailbox.js').KeptEmail[]} emails @param {string} path */
function renderList(emails, path) {
  const items = emails.map(
    ({ id, subject, to, date }) =>
      html`<li><a href="${path}/${id}">${subject}</a><br />to ${to}, ${date.toUTCString()}</li>`,
  )
  return html`<p>Kept on this machine instead of being sent, newest first.</p>
    <ul>
      ${items}
    </ul>`
}

/**
 * @param {import('./mailbox.js').KeptEmail} email
 * @param {{ path: string, developers: string }} addresses
 */
function renderEmail({ id, from, to, date, text }, { path, developers }) {
  return html`<p><a href="${path}">All e-mails</a> · <a href="${path}/${id}.eml">Download as .eml</a></p>
    <dl>
      <dt>From</dt>
      <dd>${from}</dd>
      <dt>To</dt>
      <dd>${to}</dd>
      <dt>Date</dt>
      <dd>${date.toUTCString()}</dd>
    </dl>
    ${text
      .trimEnd()
      .split(/\r?\n\r?\n/)
      .map((each) => renderParagraph(each, developers))}`
}

/**
 * Shows an indented line as a link, or as text that one click selects for copying.
 * @param {string} text @param {string} developers
 */
function renderParagraph(text, developers) {
  if (!text.startsWith('    ')) return html`<p>${text}</p>`
  const shown = text.trim()
  return shown.startsWith(developers) ? html`<p><a href="${shown}">${shown}</a></p>` : html`<pre>${shown}</pre>`
}
