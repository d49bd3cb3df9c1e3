import type { EmailMessage } from '../../src/features/emails/index.js'
import { memoryMailer } from '../../src/tools/testing/index.js'

/** A mail server that does not take an e-mail. */
export const REFUSED = { refused: true, code: 'EENVELOPE' }
export const REFUSED_FOR_GOOD = { permanent: true, code: 'EENVELOPE', responseCode: 550 }

/** Keeps e-mails; while it has an error, it rejects them with that. */
export function failingMailer(error?: object) {
  const accepting = memoryMailer()
  const mailer = {
    ...accepting,
    error,
    async send(email: EmailMessage) {
      if (mailer.error) throw Object.assign(new Error('no'), mailer.error)
      await accepting.send(email)
    },
  }
  return mailer
}
