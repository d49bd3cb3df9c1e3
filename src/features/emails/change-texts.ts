import type { ChangesEmail, ContactChange } from '../../shared/contracts/email-content.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { formatTime } from './layout.js'
import type { EmailCatalogue } from './texts/languages.js'

/** One line for each change. Without addresses: contacts choose theirs, and mail programs would turn them into links. */
export function writeChanges(
  { language, application, recipientIs, changes, more }: ChangesEmail,
  texts: EmailCatalogue,
) {
  const { again, more: omitted, unexpected } = texts.changes
  const wasRemoved = changes.some(({ type, isRecipient }) => type === 'contactRemoved' && isRecipient)
  const lines = changes.map((change) => ({
    label: formatTime(change.at, language),
    code: describeChange(change, texts),
  }))
  const words = texts.changes[recipientIs]
  return {
    words,
    paragraphs: [words.text, wasRemoved && recipientIs === 'contact' && again, more > 0 && omitted],
    values: { listed: changes.length, all: changes.length + more },
    notes: [unexpected],
    facts: [...lines, { label: texts.labels.applicationId, code: application.id }],
    manage: recipientIs === 'contact',
  }
}

function describeChange({ type, by, address, credential, isRecipient }: ContactChange, texts: EmailCatalogue): string {
  const { change, changes, forms } = texts
  const { kind = 'key', name = '', formerName: former = '' } = credential ?? {}
  const who = by === undefined ? changes.byOperator : changes.byContact
  const fill = (text: string): string => fillText(text, { ...forms[kind], who, credential: name, former })
  if (type === 'contactRemoved' && by === address) return change.left
  if (type === 'contactRemoved' && isRecipient) return fill(change.removedYou)
  if (type === 'contactAdded' && by === address) return change.joined
  return fill(change[type === 'credentialUpdated' && former !== '' ? 'credentialRenamed' : type])
}
