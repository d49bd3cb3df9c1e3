import type { Core } from '../../../feature.js'
import { describeContactActor, hasContact } from '../../../core/applications/contacts/contact-lists.js'
import { ApplicationError } from '../../../shared/contracts/errors.js'
import { type PortalSettings, isPossible } from '../portal-options.js'
import { countChanges, type ApplicationRecord } from '../../../shared/contracts/application-record.js'
import { hasOwnMember } from '../../../shared/lib/own-members.js'
import {
  FormProblem,
  StaleForm,
  type ActionOutcome,
  type ActionPage,
  type CreateActionCalls,
  renderActionForm,
  describeProblem,
} from './action-page.js'
import { renderApplication } from './application-page.js'
import { renderApplications, renderStatus } from './applications-page.js'
import { readField, type FormFields } from '../../../core/http/form.js'
import { createInvitationLimits } from '../invitations.js'
import {
  formatIssuedFile,
  renderIssued,
  createAddPage,
  createEndPage,
  createRenamePage,
  createRotatePage,
} from './credential-pages.js'
import type { RenderPortalPage, PortalPage } from './page.js'
import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import { TEXTS } from '../texts/languages.js'
import { createLinks, findPage, type PageName, isOffered, type ApplicationView } from './view.js'
import type { PortalAnswer, PortalRequest } from '../exchange.js'
import type { PortalSession } from '../sign-in/session.js'
import { listUsage } from '../sections/usage-section.js'
import { createDeletePage, createRequestPage, createRevokePage } from './access-pages.js'
import { createCancelPage, createInvitePage, createRemovePage } from './contact-pages.js'
import { createAddKeySetPage, createReloadPage, createReplacePage } from './key-set-pages.js'
import { createNetworksPage } from './network-page.js'
import { createTermsPage } from './terms-page.js'
import { retryAfter } from '../../../shared/contracts/denial.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { takesKeySets } from '../../../shared/lib/key-set-text.js'
import { renderProblem } from '../../../shared/web/form-field.js'
import { html } from '../../../shared/web/html.js'
import { renderEmpty } from '../../../shared/web/parts.js'
import { readBrand } from '../../../shared/web/read-brand.js'

const MAX_APPLICATIONS = 1000
const MAX_COUNTED = 20
const OF_ACTIONS = { setBy: 'portal.limits.actions', untrustedKeys: true }

/** Answers a request below the mount. Undefined for a page that does not exist, or not for this contact: both get one 404. */
export function createPortalPages(
  core: Core,
  { developersUrl, actions: enabled, limits }: PortalSettings,
  renderPage: RenderPortalPage,
  root: string,
  createCalls: CreateActionCalls,
): (request: PortalRequest) => Promise<PortalAnswer | undefined> {
  const { store, lastUsed, now } = core
  const { supportUrl } = readBrand(core.settings.brand)
  const apis = [...core.settings.apis.values()]
  const [plans, usage, terms] = [core.find('plans'), core.find('usage'), core.find('registration')?.terms]
  const actions = new Set(enabled)
  if (!apis.some(takesKeySets)) actions.delete('addKeySet')
  // Without registration() nobody takes requests for access.
  if (!core.find('registration')) actions.delete('requestAccess')
  const { countAttempt, limitInvitation } = createInvitationLimits(core.rateLimits)
  const limitActions = core.rateLimits.create('portalActions', limits.actions, OF_ACTIONS)
  const registerUrl = core.find('registration') && `${developersUrl}/register`
  const link = createLinks(root)
  const { show, showForm, showStale, showNotFound } = createPagesOfApplication(renderPage)
  const titles = new Map(apis.map(({ name, title }) => [name, title]))

  async function showList({ session, language }: PortalRequest): Promise<PortalAnswer> {
    await lastUsed.flush()
    const records = await listRecords(session)
    const texts = TEXTS[language]
    const content = renderApplications({
      records,
      usage: usage && (await findEach(records, ({ id }) => listUsage(usage, id, now()))),
      plans: plans && (await findEach(records, (record) => plans.usage(record))),
      titles,
      contact: session.contact,
      terms: actions.has('acceptTerms') ? terms : undefined,
      link,
      texts,
      now: now(),
    })
    const beside =
      registerUrl !== undefined && html`<a class="button" href="${registerUrl}">${FRAME_TEXTS[language].register}</a>`
    const page = { session, language, content, beside, isWide: true }
    return { status: 200, page: renderPage(FRAME_TEXTS[language].myApplications, page) }
  }

  async function listRecords(session: PortalSession): Promise<readonly ApplicationRecord[]> {
    const { contact, applicationId } = session
    const query = { after: undefined, limit: MAX_APPLICATIONS, api: undefined, status: undefined, contact }
    if (applicationId === undefined) return store.listApplications(query)
    const record = await findRecord(applicationId, session)
    return record ? [record] : []
  }

  async function findRecord(id: string, { contact, applicationId }: PortalSession) {
    if (applicationId !== undefined && applicationId !== id) return undefined
    const record = await store.findApplication(id)
    return hasContact(record, contact) ? record : undefined
  }

  async function showApplication(view: ApplicationView): Promise<PortalAnswer> {
    const { record, texts } = view
    const [plan, counts, refusals] = await Promise.all([
      plans?.usage(record),
      usage && listUsage(usage, record.id, view.now),
      usage?.countRefusals(record.id, texts.language),
    ])
    const content = renderApplication(view, { plan, usage: counts, refusals: refusals?.items })
    const beside = renderStatus(record, texts)
    return { status: 200, page: show(view, record.name, { content, beside, isWide: true, script: 'form' }) }
  }

  async function perform(view: ApplicationView, page: ActionPage, { fields, session }: PortalRequest) {
    const version = Number(readField(fields, 'version'))
    const calls = createCalls((current) => {
      if (countChanges(current) !== version || !isPossible(page.action, current)) throw new StaleForm()
    })
    await limitActions?.(session.contact)
    try {
      if (countChanges(view.record) !== version) throw new StaleForm()
      if (page.action === 'invite' && fields.has('address')) await countAttempt(session.contact)
      const call = { ...calls, by: describeContactActor(session.contact), limitInvitation }
      return await showOutcome(view, await page.perform(fields, call))
    } catch (error) {
      if (error instanceof StaleForm) return showStale(view)
      const problem = error instanceof ApplicationError ? describeProblem(page, error, fields, view.texts) : error
      if (problem instanceof FormProblem) return showForm(view, page, fields, problem)
      throw error
    }
  }

  async function showOutcome(view: ApplicationView, outcome: ActionOutcome): Promise<PortalAnswer> {
    if (hasOwnMember(outcome, 'done')) return { redirect: `${encodeURIComponent(view.record.id)}#${outcome.done}` }
    if (hasOwnMember(outcome, 'left')) return { redirect: `#${outcome.left}` }
    const { kind } = outcome.issued
    const content = renderIssued(view, outcome.issued, developersUrl)
    return { status: 200, page: show(view, view.texts.issued[kind], { content, isIssued: true, script: 'form' }) }
  }

  return async function answerContact(request) {
    const { method, path, session, language, fields } = request
    const [id, ...rest] = path
    if (id === undefined) return method === 'GET' ? showList(request) : undefined
    const isRead = method === 'GET'
    if (isRead) await lastUsed.flush()
    const record = await findRecord(id, session)
    if (!record) return undefined
    const { findLatestExpiry } = core.writer
    const { allow: internalHosts } = core.settings.clientAssertions
    const texts = TEXTS[record.language ?? language]
    const { address } = request.origin
    const site = { apis, actions, terms, link, developersUrl, supportUrl, findLatestExpiry, internalHosts }
    const view = { record, session, address, texts, ...site, now: now() }
    if (rest.length === 0) return isRead ? showApplication(view) : undefined
    const found = findPage(rest)
    if (!isRead && found?.page === 'download') return sendEnvFile(view, request)
    const page = found && found.page !== 'download' ? ACTION_PAGES[found.page](view, found.subject) : undefined
    if (page && isOffered(view, page.action))
      return isRead ? showForm(view, page, fields) : perform(view, page, request)
    if (isRead) return showNotFound(view)
    return Number(readField(fields, 'version')) === countChanges(record) ? undefined : showStale(view)
  }
}

/** By application. A mailbox with more has a list without counts: each application is a call of the store. */
async function findEach<Found>(
  records: readonly ApplicationRecord[],
  find: (record: ApplicationRecord) => Promise<Found>,
) {
  if (records.length > MAX_COUNTED) return undefined
  return new Map(await Promise.all(records.map(async (record) => [record.id, await find(record)] as const)))
}

/** Sends back the credential that the page has just shown, as a file: it is stored nowhere. */
function sendEnvFile(view: ApplicationView, { fields }: PortalRequest): PortalAnswer | undefined {
  const kind = readField(fields, 'kind')
  const plain = readField(fields, 'value')
  if ((kind !== 'key' && kind !== 'secret') || !/^\w{1,200}$/.test(plain)) return undefined
  const text = formatIssuedFile(view, { kind, plain })
  return { download: { name: `${view.record.id}.env`, type: 'text/plain; charset=utf-8', text } }
}

/** Each is undefined if there is nothing like its subject, or it has no such page. */
const ACTION_PAGES: Readonly<
  Record<Exclude<PageName, 'download'>, (view: ApplicationView, subject: string) => ActionPage | undefined>
> = {
  addKey: (view) => createAddPage(view, 'key'),
  addSecret: (view) => createAddPage(view, 'secret'),
  addKeySet: createAddKeySetPage,
  replaceKeySet: createReplacePage,
  reloadKeySet: createReloadPage,
  rename: createRenamePage,
  rotate: createRotatePage,
  end: createEndPage,
  requestAccess: createRequestPage,
  revokeTokens: createRevokePage,
  invite: createInvitePage,
  removeContact: createRemovePage,
  cancelInvitation: createCancelPage,
  acceptTerms: createTermsPage,
  networks: createNetworksPage,
  delete: createDeletePage,
}

function createPagesOfApplication(renderPage: RenderPortalPage) {
  const show = (
    { session, record, link, texts }: ApplicationView,
    heading: string,
    page: Omit<PortalPage, 'session' | 'language'>,
  ): string => {
    const path = page.isWide ? [] : [html`<a href="${link(record.id)}">${record.name}</a>`]
    return renderPage(heading, { session, language: texts.language, path, ...page })
  }

  function showText(view: ApplicationView, status: number, heading: string, text: string): PortalAnswer {
    const { record, link, texts } = view
    const content = html`<div class="box">
      ${renderEmpty({ drawing: 'alert', next: text })}
      <p class="actions"><a class="button" href="${link(record.id)}">${texts.showApplication}</a></p>
    </div>`
    return { status, page: show(view, heading, { content }) }
  }

  return {
    show,
    /** The form, again with the contact's input if it was refused. */
    showForm(view: ApplicationView, action: ActionPage, entered: FormFields, problem?: FormProblem): PortalAnswer {
      const error = problem && { text: problem.text, field: problem.field }
      const content = html`${error && renderProblem(error)} ${renderActionForm(view, action, entered, error)}`
      const page = show(view, action.heading, { content, isError: error !== undefined, script: 'form' })
      if (!problem) return { status: 200, page }
      const { retryAfter: seconds } = problem
      return seconds === undefined ? { status: 400, page } : { status: 429, page, headers: retryAfter(seconds) }
    },
    showStale: (view: ApplicationView): PortalAnswer =>
      showText(view, 409, view.texts.unchanged, view.texts.unchangedBecause),
    /** Going back in the browser leads to the page of a credential that was replaced meanwhile. */
    showNotFound: (view: ApplicationView): PortalAnswer =>
      showText(view, 404, view.texts.notFound, fillText(view.texts.noPageOf, { name: view.record.name })),
  }
}
