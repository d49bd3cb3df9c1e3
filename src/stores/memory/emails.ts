import type { EmailChange, EmailQuery, QueuedEmail } from '../../contracts/store.js'
import { frozen } from './frozen.js'

export function memoryEmails() {
  // A Map keeps the place of what is set again, so of two that are due at one instant the older one comes first.
  const emails = new Map<string, QueuedEmail>()

  const isNext = ({ id, version }: QueuedEmail): boolean => (emails.get(id)?.version ?? 0) === version - 1
  const save = (email: QueuedEmail): void => void emails.set(email.id, frozen(email))

  /** Whether the stored version is as the change says. */
  function admits(change: EmailChange | undefined): boolean {
    if (change === undefined || change === 'removeAll') return true
    return 'save' in change ? isNext(change.save) : emails.get(change.remove.id)?.version === change.remove.version
  }

  function apply(change: EmailChange | undefined, applicationId: string): void {
    if (change === undefined) return
    if (change === 'removeAll') {
      for (const email of emails.values()) if (email.applicationId === applicationId) emails.delete(email.id)
    } else if ('save' in change) save(change.save)
    else emails.delete(change.remove.id)
  }

  function lease(now: number, until: number): QueuedEmail | undefined {
    const [email] = inOrder(({ state, dueAt, leasedUntil }) => state === 'due' && dueAt <= now && leasedUntil <= now)
    if (!email) return undefined
    save({ ...email, leasedUntil: until, version: email.version + 1 })
    return emails.get(email.id)
  }

  function list({ applicationId, state, limit }: EmailQuery): readonly QueuedEmail[] {
    const wanted = (email: QueuedEmail) =>
      email.applicationId === (applicationId ?? email.applicationId) && email.state === (state ?? email.state)
    return inOrder(wanted).slice(0, limit)
  }

  function inOrder(wanted: (email: QueuedEmail) => boolean): readonly QueuedEmail[] {
    return [...emails.values()].filter(wanted).toSorted((one, other) => one.dueAt - other.dueAt)
  }

  return {
    isNext,
    save,
    admits,
    apply,
    lease,
    list,
    findByClaim: (claim: string) =>
      [...emails.values()].find(({ claimLinks }) => claimLinks.some(({ hash }) => hash === claim)),
  }
}
