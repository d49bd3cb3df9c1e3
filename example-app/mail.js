// @ts-check
import { createTransport } from 'nodemailer'
import { smtpMailer } from 'express-platform-auth/mailers/smtp'
import { SettingsError } from './settings.js'

/** @typedef {import('express-platform-auth/mailers/smtp').SmtpTransport} Transport */

/**
 * How e-mails with credentials get to people: by a mail server, or, to try things out, into a mailbox on this machine.
 * @typedef {object} Mail
 * @property {import('express-platform-auth').Mailer} mailer
 * @property {import('./mailbox.js').Mailbox | undefined} mailbox where e-mails are kept instead of being sent
 *
 * @param {{ smtpUrl: string | undefined, mailFrom: string, mailFolder: string, production: boolean }} settings
 * @returns {Promise<Mail>}
 */
export async function openMail({ smtpUrl, mailFrom, mailFolder, production }) {
  if (smtpUrl) return { mailer: mailerBy(mailServer(smtpUrl), mailFrom), mailbox: undefined }
  if (production) {
    throw new SettingsError(
      'SMTP_URL is missing. In production e-mails are sent, not kept: SMTP_URL=smtps://user:password@smtp.example.com npm start',
    )
  }
  const { openMailbox } = await import('./mailbox.js')
  const mailbox = openMailbox(mailFolder)
  return { mailer: mailerBy(intoMailbox(mailbox), mailFrom), mailbox }
}

/** @param {Transport} transport @param {string} address */
function mailerBy(transport, address) {
  try {
    return smtpMailer({ transport, from: { name: 'The tea and coffee shop', address } })
  } catch {
    throw new SettingsError(`MAIL_FROM is "${address}". Give it one plain address, such as MAIL_FROM=shop@example.com.`)
  }
}

/** @param {string} url whose query may say more, such as ?requireTLS=false @returns {Transport} */
function mailServer(url) {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  // Not as it was given: there may be a password in it.
  if (!parsed?.hostname || !/^smtps?:$/.test(parsed.protocol)) {
    throw new SettingsError(
      'SMTP_URL is no address of a mail server. Give it one, such as SMTP_URL=smtps://user:password@smtp.example.com.',
    )
  }
  return createTransport({
    url,
    // Whoever logs in does so over TLS.
    requireTLS: parsed.username !== '',
    // Milliseconds; nodemailer's own are minutes.
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    // The platform sends again by itself.
    maxRequeues: 0,
  })
}

/** Writes e-mails as a mail server would be given them. @param {import('./mailbox.js').Mailbox} mailbox @returns {Transport} */
function intoMailbox(mailbox) {
  const writer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async sendMail(email) {
      const { message } = await writer.sendMail({ ...email, envelope: { ...email.envelope } })
      mailbox.keep(/** @type {Buffer} */ (message).toString())
    },
  }
}
