import type { EmailCode } from '../../shared/contracts/composed-email.js'
import type { ChangesEmail } from '../../shared/contracts/email-content.js'
import { formatTime } from './format-time.js'
import type { Mentioned, Phrases, Words } from './texts/phrases.js'

/** The words of an e-mail that tells a contact of changes. */
export function selectChangesWords(content: ChangesEmail, phrases: Phrases, about: Mentioned): Words {
  const { recipientIs, changes, more } = content
  const wasRemoved = changes.some(({ type, isRecipient }) => type === 'contactRemoved' && isRecipient)
  const isAgain = wasRemoved && recipientIs === 'contact'
  return phrases.changes({ ...about, recipientIs, isAgain, listed: changes.length, more })
}

/** One line for each change. Without addresses: contacts choose theirs, and mail programs would turn them into links. */
export function describeChanges({ application, changes }: ChangesEmail, phrases: Phrases): readonly EmailCode[] {
  return [
    ...changes.map((change) => ({ label: formatTime(change.at), code: phrases.describeChange(change) })),
    { label: phrases.labels.applicationId, code: application.id },
  ]
}
