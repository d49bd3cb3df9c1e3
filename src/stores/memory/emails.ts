import { savesEmail, type EmailChange, type EmailStore, type QueuedEmail } from '../../shared/contracts/queued-email.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemoryEmails() {
  // A Map keeps the position of a key that is set again: of two e-mails with the same `dueAt` the older one comes first.
  const emails = new Map<string, QueuedEmail>()

  function isNext({ id, version }: QueuedEmail): boolean {
    return (emails.get(id)?.version ?? 0) === version - 1
  }

  function save(email: QueuedEmail): void {
    emails.set(email.id, copyFrozen(email))
  }

  function allows(change: EmailChange): boolean {
    if (change === 'removeAll') return true
    return savesEmail(change) ? isNext(change.save) : emails.get(change.remove.id)?.version === change.remove.version
  }

  function apply(change: EmailChange, applicationId: string): void {
    if (change === 'removeAll') {
      for (const email of emails.values()) if (email.applicationId === applicationId) emails.delete(email.id)
    } else if (savesEmail(change)) save(change.save)
    else emails.delete(change.remove.id)
  }

  function sortByDueAt(matches: (email: QueuedEmail) => boolean): readonly QueuedEmail[] {
    return [...emails.values()].filter(matches).toSorted((one, other) => one.dueAt - other.dueAt)
  }

  const calls: Omit<EmailStore, 'listExpiring'> = {
    async lease(now, until) {
      const [email] = sortByDueAt(
        ({ state, dueAt, leasedUntil }) => state === 'due' && dueAt <= now && leasedUntil <= now,
      )
      if (!email) return undefined
      save({ ...email, leasedUntil: until, version: email.version + 1 })
      return emails.get(email.id)
    },
    async save(email) {
      if (!isNext(email)) return false
      save(email)
      return true
    },
    find: async (id) => emails.get(id),
    findByClaimLink: async (hash) =>
      [...emails.values()].find(({ claimLinks }) => claimLinks.some((link) => link.hash === hash)),
    async list({ applicationId, purpose, state, after, limit }) {
      const places = after && new Map([...emails.keys()].map((id, place) => [id, place]))
      const isBehind = ({ id, dueAt }: QueuedEmail): boolean =>
        !after || dueAt > after.dueAt || (dueAt === after.dueAt && places!.get(id)! > (places!.get(after.id) ?? -1))
      const matches = (email: QueuedEmail): boolean =>
        email.applicationId === (applicationId ?? email.applicationId) &&
        email.purpose === (purpose ?? email.purpose) &&
        email.state === (state ?? email.state) &&
        isBehind(email)
      return sortByDueAt(matches).slice(0, limit)
    },
  }
  return { allows, apply, calls }
}
