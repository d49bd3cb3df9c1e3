import { isDelivery } from '../applications/queued-emails.js'
import type { EmailMessage } from '../contracts/mailer.js'
import type { ApplicationRecord, NoticePurpose, QueuedEmail } from '../contracts/store.js'
import { formatBlocks } from './blocks.js'

/** An e-mail that delivers no credentials, and is no reminder. */
export type Notice = QueuedEmail & { readonly purpose: Exclude<NoticePurpose, 'expiring'> }

/** Writes such an e-mail. */
export type ComposeNotice = (content: NoticeContent) => EmailMessage

interface NoticeContent {
  readonly application: ApplicationRecord
  readonly purpose: Notice['purpose']
  readonly to: string
  readonly details: QueuedEmail['details']
  /** Of an invitation. */
  readonly link: string | undefined
}

export function isNotice(email: QueuedEmail): email is Notice {
  return !isDelivery(email.purpose) && email.purpose !== 'expiring'
}

/** Where a notice goes; undefined if it is to be sent no more. */
export function findNoticeRecipient(application: ApplicationRecord, notice: Notice): string | undefined {
  const { purpose, recipient } = notice
  // What a denial erases is in the notice itself.
  if (application.status === 'deleted' && purpose !== 'denied') return undefined
  if (purpose === 'suspended' && application.status !== 'suspended') return undefined
  return recipient ?? application.contact
}

export function createNoticeComposer({ baseUrl }: { readonly baseUrl: string }): ComposeNotice {
  const { host } = new URL(baseUrl)

  return function composeNotice({ application, purpose, to, details, link }) {
    const subject = `${SUBJECTS[purpose]} at ${host}`
    const reason = details?.['reason']
    const blocks = [
      ...(application.name === '' ? [] : [{ label: 'Application', code: application.name }]),
      ...(link === undefined ? [] : [{ label: 'Become a contact', link }]),
      ...(typeof reason === 'string' ? [{ label: 'Reason', code: reason }] : []),
    ]
    return { to, subject, ...formatBlocks(subject, [`${subject}.`, ...blocks]) }
  }
}

const SUBJECTS: Record<Notice['purpose'], string> = {
  invitation: 'You are invited to an application',
  approvalRequest: 'A request waits for your decision',
  approved: 'Your request was approved',
  denied: 'Your request was denied',
  suspended: 'Your application was suspended',
}
