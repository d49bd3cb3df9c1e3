import { isDelivery } from '../applications/queued-emails.js'
import type { EmailMessage } from '../contracts/mailer.js'
import type { ApplicationRecord, NoticePurpose, QueuedEmail } from '../contracts/store.js'
import type { ApprovalRequestEmail, InvitationEmail } from '../contracts/email-content.js'
import { ownMembers } from '../lib/own-members.js'
import { formatBlocks, type Block } from './blocks.js'
import { describeApplication, describeDecision, type DecisionEmail } from './decision-content.js'

/** An e-mail that delivers no credentials, and is no reminder. */
export type Notice = QueuedEmail & { readonly purpose: Exclude<NoticePurpose, 'expiring'> }

/** Writes such an e-mail. */
export type ComposeNotice = (content: NoticeContent) => EmailMessage

type NoticeContent = DecisionEmail | InvitationEmail

export function isNotice(email: QueuedEmail): email is Notice {
  return !isDelivery(email.purpose) && email.purpose !== 'expiring'
}

/** What a notice is about; undefined if it is to be sent no more. */
export function describeNotice(
  notice: Notice,
  application: ApplicationRecord,
  options: NoticeOptions,
): NoticeContent | undefined {
  const { purpose } = notice
  if (purpose !== 'invitation') return describeDecision({ ...notice, purpose }, application, options)
  const { recipient: to, details } = notice
  const { invitationToken, developersUrl } = options
  const { invitedBy } = ownMembers(details ?? {})
  if (to === undefined || invitationToken === undefined) return undefined
  return {
    to,
    language: application.language ?? 'en',
    purpose,
    application: describeApplication(application),
    invitedBy: typeof invitedBy === 'string' ? invitedBy : undefined,
    link: `${developersUrl}/applications/invitation#${invitationToken}`,
  }
}

type NoticeOptions = Parameters<typeof describeDecision>[2] & {
  /** Of the link of an invitation. */
  readonly invitationToken: string | undefined
}

export function createNoticeComposer({ baseUrl }: { readonly baseUrl: string }): ComposeNotice {
  const { host } = new URL(baseUrl)

  return function composeNotice(content) {
    const subject = `${SUBJECTS[content.purpose]} at ${host}`
    const { to } = content
    const { name } = content.application
    const blocks: Block[] = [
      ...(name === '' ? [] : [{ label: 'Application', code: name }]),
      ...('reason' in content && content.reason !== undefined ? [{ label: 'Reason', code: content.reason }] : []),
      ...(content.purpose === 'invitation' ? [{ label: 'Become a contact', link: content.link }] : []),
      ...(content.purpose === 'approvalRequest' ? describeRequest(content) : []),
    ]
    return { to, subject, ...formatBlocks(subject, [`${subject}.`, ...blocks]) }
  }
}

function describeRequest({ contact, requested, address, links }: ApprovalRequestEmail): Block[] {
  return [
    { label: 'Contact', code: contact },
    ...Object.entries(requested).map(([api, { scopes }]) => ({ label: 'API', code: [api, ...scopes].join(' ') })),
    ...(address === undefined ? [] : [{ label: 'Address', code: address }]),
    { label: 'Approve or deny it', link: links.approve },
  ]
}

const SUBJECTS: Record<Notice['purpose'], string> = {
  invitation: 'You are invited to an application',
  approvalRequest: 'A request waits for your decision',
  approved: 'Your request was approved',
  denied: 'Your request was denied',
  suspended: 'Your application was suspended',
}
