// @ts-check
import express from 'express'
import { html, sendPage } from './page.js'
import { notFound, RequestError } from './request-error.js'

/**
 * The mailbox's pages. There are credentials in the letters, and whoever listens on this network can connect here: it
 * opens on this machine only, and by a name of this machine only, so that no website has a browser read it either.
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
    // Letters leave a moment after their registration.
    if (emails.length === 0) res.set('Refresh', '2')
    sendPage(res, 'Mailbox', emails.length === 0 ? emptyList(baseUrl) : emailList(emails, pathname))
  })

  router.get('/mailbox/:id.eml', (req, res) => {
    const { id } = req.params
    const eml = mailbox.readEml(id) ?? notFound('e-mail')
    res.set('X-Content-Type-Options', 'nosniff')
    res.attachment(`${id}.eml`).type('message/rfc822').send(Buffer.from(eml))
  })

  router.get('/mailbox/:id', async (req, res) => {
    const email = (await mailbox.find(req.params.id)) ?? notFound('e-mail')
    sendPage(res, email.subject, emailPage(email, { path: pathname, developers: `${baseUrl}/developers` }))
  })

  return router
}

/** @param {string} baseUrl */
function emptyList(baseUrl) {
  return html`<p>Nothing has come yet; this page looks again every two seconds.</p>
    <p><a href="${baseUrl}/developers/register">Register an application</a>, and its e-mail comes here.</p>`
}

/** @param {readonly import('./mailbox.js').KeptEmail[]} emails @param {string} path */
function emailList(emails, path) {
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
function emailPage({ id, from, to, date, text }, { path, developers }) {
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
      .map((each) => paragraph(each, developers))}`
}

/**
 * What is indented is there to be followed, or to be copied: a click selects it whole.
 * @param {string} text @param {string} developers
 */
function paragraph(text, developers) {
  if (!text.startsWith('    ')) return html`<p>${text}</p>`
  const shown = text.trim()
  return shown.startsWith(developers) ? html`<p><a href="${shown}">${shown}</a></p>` : html`<pre>${shown}</pre>`
}
