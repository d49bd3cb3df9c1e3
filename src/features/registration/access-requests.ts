import type { ApplicationWriter, Edit } from '../../core/applications/records/application-writer.js'
import { decideAccess } from '../../core/applications/decisions/decided-requests.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { toApplication } from '../../core/applications/records/application-info.js'
import { type Registration, readRegistrationGrants } from './register.js'
import {
  createApprovalRequests,
  withdrawApprovalRequests,
} from '../../core/applications/decisions/approval-requests.js'
import { findGrant, listGrantedScopes } from '../../core/applications/records/grants.js'
import { listQueuedEmails } from '../../core/applications/queue/queued-emails.js'
import { refuseUnlessActive } from '../../core/applications/records/status.js'
import { isWithheld } from '../../core/applications/records/withheld.js'
import type { Core } from '../../feature.js'

/** Bounds the e-mails about a request that its contact changes again and again: unsent ones are withdrawn. */
const CHANGED_REQUEST_DELAY_MS = 10 * 60 * 1000

/** `requestAccess`: access to a further API is granted at once, or the request waits for an operator's decision, as it always does for what an operator took away. */
export function createRequestAccess(
  { settings: { apis }, store, opened, wakeSender, now }: Core,
  operators: readonly string[],
  writer: Pick<ApplicationWriter, 'change'>,
): Registration['requestAccess'] {
  return async function requestAccess(id, { api: name, scopes, by }) {
    // Only scopes that a registration may have can be requested.
    const named = readRegistrationGrants(apis, { [name]: scopes === undefined ? {} : { scopes } })[name]!.scopes
    const isAlwaysManual = apis.get(name)?.registration === 'manual'
    await opened()
    const changed = await writer.change<never>(id, { type: 'application.accessRequested', by }, async (current) => {
      refuseUnlessActive(current, 'requestAccess')
      const grant = findGrant(current, { name })
      const granted = grant && listGrantedScopes(apis.get(name)!, grant.scopes)
      if (granted && named.every((scope) => granted.includes(scope))) return undefined
      // What is granted takes the place of the scopes of an empty grant, which stay.
      const requested = grant?.scopes.length === 0 ? [...new Set([...granted!, ...named])] : named
      if (!isAlwaysManual && !isWithheld(current, name, requested))
        return grantAccess(current, name, [...new Set([...(granted ?? []), ...requested])], now())
      if (isWaiting(current, name, requested)) return undefined
      const requestedAt = now()
      const subject = { applicationId: id, api: name, requestedAt }
      const others = current.accessRequests.filter((each) => each.api !== name)
      const delay = others.length < current.accessRequests.length ? CHANGED_REQUEST_DELAY_MS : 0
      const requests = createApprovalRequests(subject, { operators, address: undefined, now: requestedAt, delay })
      const withdrawn = withdrawApprovalRequests(await listQueuedEmails(store, id), name)
      return {
        changed: { accessRequests: [...others, { api: name, scopes: requested, requestedAt, by }] },
        details: { api: name, scopes: requested },
        emails: [...withdrawn, ...requests.map((email) => ({ save: email }))],
      }
    })
    if (changed && operators.length > 0) wakeSender()
    const record = changed?.record ?? (await store.findApplication(id))
    return toApplication(record!, now())
  }
}

/** Operators are asked once, however often a contact asks. */
function isWaiting({ accessRequests }: ApplicationRecord, api: string, scopes: readonly string[]): boolean {
  const request = accessRequests.find((each) => each.api === api)
  return request !== undefined && request.scopes.join(' ') === scopes.join(' ')
}

function grantAccess(current: ApplicationRecord, api: string, scopes: readonly string[], at: number): Edit<never> {
  return {
    changed: {
      apis: { ...current.apis, [api]: { scopes } },
      // Closes a request made while this API still needed approval.
      ...decideAccess(current, api, { outcome: 'approved', at, by: undefined }),
    },
    type: 'application.accessChanged',
    details: { allowed: api, scopes, requested: true },
  }
}
