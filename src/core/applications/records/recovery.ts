import type { Api } from '../../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { EmailChange, QueuedEmail } from '../../../shared/contracts/queued-email.js'
import type { Store } from '../../../shared/contracts/store.js'
import type { Edit } from './application-writer.js'
import { toApplication } from './application-info.js'
import type { Applications, IssuedCredentials, SelfService } from '../applications-api.js'
import { isByEmail } from '../credentials/credential-rotation.js'
import { listContacts, toContactMembers, normalizeContact } from '../contacts/contact-lists.js'
import { createSignOuts } from '../contacts/sign-outs.js'
import { mintCredentials, type Credentials } from '../credentials/credentials.js'
import { decideAccess } from '../decisions/decided-requests.js'
import { findGrant } from './grants.js'
import {
  RECOVERED,
  createQueuedEmail,
  listQueuedEmails,
  nextVersion,
  readDetails,
  requeueEmail,
} from '../queue/queued-emails.js'
import { endTokens, refuseDeleted } from './status.js'
import { readContact } from './validation.js'
import { type CallParts, requireSender, type EmailSender } from '../call-parts.js'

/** `recover`: after somebody else has read a contact's mailbox, nothing that he has or has made works any more. */
export function createRecovery(
  options: CallParts<Credentials> & {
    readonly apis: ReadonlyMap<string, Api>
    readonly sender: EmailSender
  },
): Pick<Applications, 'recover'> {
  const { apis, store, writer, opened, sender, now } = options
  const signOuts = createSignOuts(options)

  /** Runs before the application is saved, so that a failure in between leaves less access, never more. */
  async function signOutAll(current: ApplicationRecord, contact: string): Promise<void> {
    for (const each of new Set([...listContacts(current), contact].map(normalizeContact)))
      await signOuts.addForContact(each)
  }

  /** The new contact's credentials. A registration that waits for approval delivers its credentials itself. */
  function issue(
    current: ApplicationRecord,
    { isWaiting, byEmail }: { readonly isWaiting: boolean; readonly byEmail: boolean },
    credentials: Credentials,
  ): Edit<IssuedCredentials> {
    if (isWaiting) return { changed: { keys: [], secrets: [] } }
    if (byEmail) {
      // One e-mail with all that the application needs, as after a registration.
      const email = createQueuedEmail(current.id, 'registration', now(), { details: RECOVERED })
      const save = current.status === 'suspended' ? ({ ...email, state: 'suspended' } as const) : email
      return { changed: { keys: [], secrets: [] }, emails: [{ save }] }
    }
    const { key, secret } = mintCredentials(credentials, 'registration', current, { apis, now: now() })
    return {
      changed: { keys: key ? [key.record] : [], secrets: secret ? [secret.record] : [] },
      result: { clientId: key!.plain, ...(secret && { clientSecret: secret.plain }) },
    }
  }

  async function edit(
    current: ApplicationRecord,
    { contact, byEmail, by }: { readonly contact: string; readonly byEmail: boolean; readonly by: string | undefined },
    credentials: Credentials,
  ) {
    refuseDeleted(current, 'recover')
    await signOutAll(current, contact)
    const queued = await listQueuedEmails(store, current.id)
    const registration = queued.find(({ purpose }) => purpose === 'registration')
    const isWaiting = registration !== undefined && (byEmail || registration.state === 'held')
    const issued = issue(current, { isWaiting, byEmail }, credentials)
    const former = queued.map((email): EmailChange | undefined => {
      if (email === registration && isWaiting) return { save: restart(email, current, now()) }
      return isKept(email, registration !== undefined) ? undefined : { remove: email }
    })
    return {
      endsAll: true,
      changed: {
        ...toContactMembers([contact]),
        isUnconfirmed: false,
        invitations: [],
        ...decideAccess(current, undefined, { outcome: 'withdrawn', at: now(), by }),
        ...endTokens(current, now()),
        ...issued.changed,
      },
      details: {
        contacts: listContacts(current).length,
        endedCredentials: current.keys.length + current.secrets.length,
        ...(byEmail && { deliver: 'email' }),
      },
      emails: [...former.filter((change) => change !== undefined), ...(issued.emails ?? [])],
      ...(issued.result && { result: issued.result }),
    } satisfies Edit<IssuedCredentials>
  }

  return {
    async recover(id, given) {
      const { contact: address, by } = given
      const contact = readContact(address)
      const byEmail = isByEmail(given)
      if (byEmail) requireSender(sender, 'recover')
      const credentials = await opened()
      const { record, result } = await writer.change(id, { type: 'application.recovered', by }, (current) =>
        edit(current, { contact, byEmail, by }, credentials),
      )
      sender.wake()
      const selfService = await listSelfService(store, record)
      return { application: toApplication(record, now()), credentials: result, selfService }
    },
  }
}

/** What it has sent before no longer works, and its key set is forgotten: the private keys may be a stranger's. */
function restart(email: QueuedEmail, { status }: ApplicationRecord, now: number): QueuedEmail {
  const details =
    email.details && Object.fromEntries(Object.entries(email.details).filter(([name]) => name !== 'keySet'))
  const cleared = { ...email, details, attemptedHashes: [], claimLinks: [] }
  if (email.state === 'held') return nextVersion(cleared)
  const due = requeueEmail(cleared, now)
  return status === 'suspended' ? { ...due, state: 'suspended' } : due
}

/** Operators still decide about a registration, the new contact learns what was decided, and former ones what others changed. */
function isKept({ purpose, recipient, details }: QueuedEmail, isRegistration: boolean): boolean {
  if (purpose === 'approvalRequest') return isRegistration && readDetails({ details })['api'] === undefined
  if (purpose === 'changes') return true
  return recipient === undefined && (purpose === 'approved' || purpose === 'suspended')
}

const AUDIT_PAGE_SIZE = 500

/** The access that contacts have got at the portal without an operator's decision, as far as the application still has it. */
async function listSelfService(store: Store, record: ApplicationRecord): Promise<SelfService[]> {
  const found: SelfService[] = []
  let after: string | undefined
  for (;;) {
    const page = await store.listAudit({ after, limit: AUDIT_PAGE_SIZE, applicationId: record.id })
    for (const { type, at, by, details } of page) {
      const { allowed, scopes, requested } = readDetails({ details })
      if (type !== 'application.accessChanged' || requested !== true || typeof allowed !== 'string') continue
      const granted = findGrant(record, { name: allowed })?.scopes
      if (!granted) continue
      const kept = (scopes as readonly string[]).filter((scope) => granted.includes(scope))
      found.push({ api: allowed, scopes: kept, at: new Date(at), by })
    }
    if (page.length < AUDIT_PAGE_SIZE) return found
    after = page.at(-1)?.id
  }
}
