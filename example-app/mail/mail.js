// @ts-check
import { createTransport } from 'nodemailer'
import { smtpMailer } from 'express-platform-auth/emails'
import { SettingsError } from '../settings.js'

/** @typedef {import('express-platform-auth/emails').SmtpTransport} Transport */

/**
 * Sends e-mails with credentials through a mail server or, for trials, keeps them in a mailbox on this machine.
 * @typedef {object} Mail
 * @property {import('express-platform-auth/emails').Mailer} mailer
 * @property {import('./mailbox.js').Mailbox | undefined} mailbox where e-mails are kept instead of being sent
 *
 * @param {{ smtpUrl: string | undefined, mailFrom: string, mailFolder: string, production: boolean }} settings
 * @returns {Promise<Mail>}
 */
export async function openMail({ smtpUrl, mailFrom, mailFolder, production }) {
  if (smtpUrl) return { mailer: createMailer(connectMailServer(smtpUrl), mailFrom), mailbox: undefined }
  if (production) {
    throw new SettingsError(
      'SMTP_URL is missing. In production e-mails are sent, not kept: SMTP_URL=smtps://user:password@smtp.example.com npm start',
    )
  }
  const { openMailbox } = await import('./mailbox.js')
  const mailbox = openMailbox(mailFolder)
  return { mailer: createMailer(createMailboxTransport(mailbox), mailFrom), mailbox }
}

/** @param {Transport} transport @param {string} address */
function createMailer(transport, address) {
  try {
    return smtpMailer({ transport, from: { name: 'The tea and coffee shop', address } })
  } catch {
    throw new SettingsError(`MAIL_FROM is "${address}". Give it one plain address, such as MAIL_FROM=shop@example.com.`)
  }
}

/** @param {string} url may have options of nodemailer in its query, such as ?requireTLS=false @returns {Transport} */
function connectMailServer(url) {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  // The message does not repeat the URL, which may contain a password.
  if (!parsed?.hostname || !/^smtps?:$/.test(parsed.protocol)) {
    throw new SettingsError(
      'SMTP_URL is not the URL of a mail server. Set it to one, such as SMTP_URL=smtps://user:password@smtp.example.com.',
    )
  }
  return createTransport({
    url,
    // A password is sent only over TLS.
    requireTLS: parsed.username !== '',
    // Milliseconds; nodemailer's defaults are minutes.
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    // The platform retries by itself.
    maxRequeues: 0,
  })
}

/** Writes each e-mail in the form in which a mail server would get it. @param {import('./mailbox.js').Mailbox} mailbox @returns {Transport} */
function createMailboxTransport(mailbox) {
  const writer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async sendMail(email) {
      const { message } = await writer.sendMail({ ...email, envelope: { ...email.envelope } })
      mailbox.keep(/** @type {Buffer} */ (message).toString())
    },
  }
}
