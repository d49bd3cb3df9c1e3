import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core } from '../../feature.js'
import { countChanges, type ApplicationRecord } from '../../shared/contracts/application-record.js'
import { ApplicationError, invalidState } from '../../shared/contracts/errors.js'
import type { RequestOrigin } from '../../shared/contracts/events.js'
import {
  findRequested,
  type ApprovalLink,
  type ApprovalSubject,
  REJECTION_SUFFIX,
  createApprovalLinks,
} from '../../core/applications/decisions/approval-requests.js'
import { createRegisteredKeySet, formatRecordedKeySet } from '../../core/applications/credentials/key-sets.js'
import { createDecisions } from '../../core/applications/decisions/decisions.js'
import { findDecided, readAsker } from '../../core/applications/decisions/decided-requests.js'
import { findQueuedEmail } from '../../core/applications/queue/queued-emails.js'
import { guardWriter } from '../../core/applications/records/application-writer.js'
import { readReason } from '../../core/applications/records/validation.js'
import { OAuthError, type Denial } from '../../shared/contracts/denial.js'
import { notePresentedSecrets, readOrigin } from '../../core/http/origin.js'
import { readForm, type Form } from '../../core/http/form.js'
import { formatFailureKey, readClientAddress } from '../../shared/lib/request.js'
import { FORM_REFERRER_POLICY, sendDenial, sendPage, setHeaders } from '../../core/http/respond.js'
import type { Problem } from '../../shared/web/form-field.js'
import type { PageBrand } from '../../shared/web/page-brand.js'
import type { RegistrationSettings } from './registration-options.js'
import { type ClosedApproval, createDecidePages, DECIDE_SECURITY_POLICY, type OpenApproval } from './decide-pages.js'

type Decision = { readonly approve: true } | { readonly approve: false; readonly reason: string }

function createApprovals({ store, writer, opened, wakeSender, now }: Core) {
  /** Who has asked. A registration waits as long as its e-mail does. */
  async function findWaiting({ api, applicationId }: ApprovalSubject) {
    if (api !== undefined) return { requestedBy: undefined, address: undefined, publicKeys: undefined }
    const email = await findQueuedEmail(store, applicationId, 'registration')
    if (email?.state !== 'held') return undefined
    return { ...readAsker(email), publicKeys: formatRecordedKeySet(createRegisteredKeySet(email, 0)) }
  }

  return {
    async find(subject: ApprovalSubject): Promise<OpenApproval | ClosedApproval | undefined> {
      await opened()
      // Before the application, which then has the decision if there is no e-mail that waits for it any more.
      const asker = await findWaiting(subject)
      const application = await store.findApplication(subject.applicationId)
      if (!application) return undefined
      const requested = findRequested(subject, application)
      if (!requested || !asker) return { isOpen: false, application, decided: findDecided(application, subject) }
      const { api, requestedAt } = subject
      const request = application.accessRequests.find((each) => each.api === api)
      return {
        isOpen: true,
        application,
        requested,
        requestedAt,
        ...asker,
        ...(request && { requestedBy: request.by }),
      }
    },
    /** Resolves true if this call has decided, and false if nothing was left to decide, or the page showed something else. */
    async decide(link: ApprovalLink, decision: Decision, origin: RequestOrigin, version: string | undefined) {
      const { operator, applicationId, ...request } = link
      const actor = { by: `operator:${operator}`, origin }
      const check = (current: ApplicationRecord): void => {
        if (isStale(current, version)) throw invalidState(`Application ${applicationId} has changed.`)
      }
      const guarded = guardWriter(writer, { check })
      const decisions = createDecisions({ store, writer: guarded, opened, sender: { wake: wakeSender }, now })
      try {
        if (decision.approve) await decisions.approve(applicationId, request, actor)
        else await decisions.deny(applicationId, request, { ...actor, reason: decision.reason })
        return true
      } catch (error) {
        if (error instanceof ApplicationError && TOO_LATE.has(error.code)) return false
        throw error
      }
    },
  }
}

/** `version`: that of the application when the page was made. A request without a page has none. */
function isStale(current: ApplicationRecord, version: string | undefined): boolean {
  return version !== undefined && version !== String(countChanges(current))
}

const TOO_LATE: ReadonlySet<string> = new Set(['invalid_state', 'application_not_found'])

interface DecideAnswer {
  readonly status: number
  readonly page: string
}

/**
 * The page on which operators decide. GET shows a form, and the link's token stays in the browser. POST with the link alone
 * shows the request and changes nothing, so that mail scanners which follow links and run scripts decide nothing. Only POST
 * with a `decision`, which a button sends, decides.
 */
export function createDecideEndpoints(
  core: Core,
  { operators, fields }: RegistrationSettings,
  brand: PageBrand,
  readRefusal: (error: unknown) => Denial,
) {
  const { limitFailures, limitChanges, available } = core
  const links = createApprovalLinks({ ...core, isOperator: (address) => operators.includes(address) })
  const approvals = createApprovals(core)
  const pages = createDecidePages(core, brand, fields.inputs)
  const policy = brand.extendPolicy(DECIDE_SECURITY_POLICY)

  /** Bad links are counted after the check: a good link always works, whatever else its address sends. */
  async function readLink(token: string, req: IncomingMessage): Promise<ApprovalLink> {
    await available()
    const link = links.read(token)
    if (typeof link === 'object') return link
    if (link === 'unknown') await limitFailures?.(formatFailureKey(req, undefined))
    throw new OAuthError('invalid_request', LINK_PROBLEMS[link])
  }

  async function answerForm(form: Form, req: IncomingMessage): Promise<DecideAnswer> {
    const { token, denies } = splitLink(form.get('link') ?? '')
    if (token === '') throw new OAuthError('invalid_request', LINK_PROBLEMS.missing)
    notePresentedSecrets(req, [token])
    const link = await readLink(token, req)
    const caller = readClientAddress(req)
    const choice = form.get('decision')
    if (choice === undefined) return limitChanges(caller, () => showRequest(link, token, denies ? '' : undefined))
    const reason = form.get('reason') ?? ''
    const version = form.get('version')
    const decision = readDecision(choice, reason)
    return limitChanges(caller, async () => {
      if (!decision) return showRequest(link, token, reason, version, REASON_PROBLEM)
      // The name is deleted with a denied registration.
      const name = (await approvals.find(link))?.application.name ?? ''
      const hasDecided = await approvals.decide(link, decision, readOrigin(req), version)
      if (!hasDecided) return { ...(await showRequest(link, token, reason, version)), status: 409 }
      return { status: 200, page: pages.renderDone(decision.approve, link.api === undefined, name) }
    })
  }

  async function showRequest(link: ApprovalLink, token: string, reason?: string, version?: string, refused?: Problem) {
    const approval = await approvals.find(link)
    if (!approval) throw new OAuthError('invalid_request', LINK_PROBLEMS.unknown)
    if (!approval.isOpen) return { status: 200, page: pages.renderClosed(approval) }
    const problem = isStale(approval.application, version) ? CHANGED : refused
    return { status: problem ? 400 : 200, page: pages.renderOpen(approval, token, reason, problem) }
  }

  function send(req: IncomingMessage, res: ServerResponse, { status, page }: DecideAnswer): void {
    sendPage(req, res, status, page, policy, FORM_REFERRER_POLICY)
  }

  function refuse(error: unknown, req: IncomingMessage, res: ServerResponse, form?: Form): void {
    const denied = readRefusal(error)
    if (res.headersSent) return sendDenial(req, res, denied)
    setHeaders(res, denied.headers)
    // The page has the link, so that one button tries again.
    const page = pages.renderStart({ link: form?.get('link'), problem: denied.description })
    send(req, res, { status: denied.status, page })
  }

  return {
    show: (req: IncomingMessage, res: ServerResponse): void =>
      send(req, res, { status: 200, page: pages.renderStart() }),
    async decide(req: IncomingMessage, res: ServerResponse): Promise<void> {
      let form: Form | undefined
      try {
        form = await readForm(req, FIELDS)
        send(req, res, await answerForm(form, req))
      } catch (error) {
        refuse(error, req, res, form)
      }
    },
    refuse,
  }
}

const FIELDS = ['link', 'version', 'decision', 'reason']

const LINK_PROBLEMS = {
  missing: 'The link is not complete. Open the link in the e-mail again',
  unknown: 'This link is not valid. Copy the whole link from the e-mail',
  expired: 'This link has expired: it is valid for 14 days. Decide on the command line',
  noOperator: 'This link is not valid any more, because its recipient is not an operator any more',
} as const

const REASON_PROBLEM = { text: 'Write a reason of up to 500 characters. It is sent by e-mail.', field: 'reason' }

const CHANGED = {
  text: 'Nothing was decided: the application has changed since this page was shown. Look again, and decide anew.',
}

/** The whole link may be pasted. The end of a link says which decision it is for. */
function splitLink(text: string): { readonly token: string; readonly denies: boolean } {
  const fragment = text.trim().split('#').at(-1)!
  const denies = fragment.endsWith(REJECTION_SUFFIX)
  return { token: denies ? fragment.slice(0, -REJECTION_SUFFIX.length) : fragment, denies }
}

function readDecision(choice: string, reason: string): Decision | undefined {
  if (choice === 'approve') return { approve: true }
  if (choice !== 'deny') throw new OAuthError('invalid_request', 'The decision must be approve or deny')
  try {
    return { approve: false, reason: readReason(reason)! }
  } catch (error) {
    if (error instanceof ApplicationError) return undefined
    throw error
  }
}
