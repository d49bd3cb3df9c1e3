import type { Core } from '../../feature.js'
import { toSentence } from '../../shared/contracts/errors.js'
import type { Asker } from '../../core/applications/decisions/decided-requests.js'
import type { Api } from '../../shared/contracts/api.js'
import {
  countChanges,
  type ApplicationRecord,
  type DecidedRequest,
  type GrantedApis,
  type JsonObject,
} from '../../shared/contracts/application-record.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import type { Problem } from '../../shared/web/form-field.js'
import { renderField, renderInputField, renderProblem, renderTextarea } from '../../shared/web/form-field.js'
import { html, type Html } from '../../shared/web/html.js'
import { formatDateTime, formatRelative } from '../../shared/web/times.js'
import { type EmptyState, renderChip, renderEmpty } from '../../shared/web/parts.js'
import type { PageBrand } from '../../shared/web/page-brand.js'
import { createContentSecurityPolicy, renderPage } from '../../shared/web/public-page.js'
import { translate } from './local-text.js'
import type { InputSettings } from './registration-fields.js'

export interface OpenApproval extends Asker {
  readonly isOpen: true
  readonly application: ApplicationRecord
  readonly requested: GrantedApis
  readonly requestedAt: number
  readonly publicKeys: readonly string[] | undefined
}

/** A request about which nothing is left to decide. */
export interface ClosedApproval {
  readonly isOpen: false
  /** The application, without a name if it was deleted. */
  readonly application: ApplicationRecord
  /** Undefined for a request that was neither decided nor withdrawn. */
  readonly decided: DecidedRequest | undefined
}

/** Shows the request, and decides nothing: mail scanners run scripts too. A link that is followed in the tab changes only the fragment. */
const FOLLOW_SCRIPT = `function follow() {
  const token = location.hash.slice(1)
  if (!token) return
  history.replaceState(null, '', location.pathname)
  const form = document.createElement('form'), input = document.createElement('input')
  form.method = 'post'
  form.hidden = true
  input.name = 'link'
  input.value = token
  form.append(input)
  document.body.append(form)
  form.submit()
}
addEventListener('hashchange', follow)
follow()
`

/** No form is sent to another origin, and no script runs but the one above. */
export const DECIDE_SECURITY_POLICY = createContentSecurityPolicy(FOLLOW_SCRIPT, 'decision')

const MAX_LINK_LENGTH = 4096

/** The pages are in English, as the e-mails to operators: no language of an operator is stored. */
const WORDS = { language: 'en' } as const

export function createDecidePages({ settings, now }: Core, brand: PageBrand, inputs: readonly InputSettings[]) {
  const { apis, developersUrl } = settings
  const render = (heading: string, content: Html, isError = false): string =>
    // Operators read these pages, not contacts.
    renderPage(heading, { brand, developersUrl, portalUrl: undefined }, content, {
      script: FOLLOW_SCRIPT,
      style: 'decision',
      isError,
      tab: false,
    })

  return {
    /** Asks for the link; a script gives the page the one that was followed, and shows the request at once. */
    renderStart(refused?: { readonly link: string | undefined; readonly problem: string }): string {
      const field = { id: 'link', label: 'Link from the e-mail', problem: undefined }
      const entered = html`value="${refused?.link}" required maxlength="${MAX_LINK_LENGTH}" autocomplete="off"
      spellcheck="false"`
      const content = html`${refused && renderProblem({ text: toSentence(refused.problem) })}
        <form method="post">
          ${renderInputField(field, entered)}
          <p class="actions"><button>Show the request</button></p>
        </form>
        <noscript><p>This browser runs no scripts. Copy the link from the e-mail, and paste it above.</p></noscript>`
      return render('Decide about a request', content, refused !== undefined)
    },
    /** The request, with a form for each decision. `token` is that of the link. Without a problem, a reason is written next. */
    renderOpen(approval: OpenApproval, token: string, reason?: string, problem?: Problem): string {
      const { name, status } = approval.application
      const isRegistration = status === 'pending'
      const content = html`${problem && renderProblem(problem)}
        <p class="intro">
          ${name} asks ${isRegistration ? 'to be registered' : 'for more access'}. Approve or deny it: its developers
          get an e-mail with your decision.
        </p>
        <div class="decision">
          ${renderRequest(approval, apis, inputs, now())}
          <div>${renderDecisions(token, approval.application, reason, problem)}</div>
        </div>`
      const heading = isRegistration ? `Registration of ${name}` : `${name} requests access`
      return render(heading, content, problem !== undefined)
    },
    renderClosed: ({ application, decided }: ClosedApproval): string =>
      render(
        'Nothing left to decide',
        html`<div class="box">
          ${renderEmpty(
            describeOutcome(decided),
            application.name !== '' && html`<p>Application: ${application.name}</p>`,
          )}
          ${decided?.reason !== undefined && html`<p class="quote">${decided.reason}</p>`}
          ${decided && Object.keys(decided.requested).length > 0 && renderDecided(decided, apis)}
        </div>`,
      ),
    renderDone: (isApproved: boolean, isRegistration: boolean, name: string): string =>
      render(
        `${isRegistration ? name : `The request of ${name}`} was ${isApproved ? 'approved' : 'denied'}`,
        html`<div class="box">
          ${renderEmpty(
            { isGood: isApproved, drawing: 'cross', next: describeDone(isApproved, isRegistration) },
            html`<p>${describeNext(isApproved, isRegistration)}</p>
              <p>You can close this page. Other requests have their own e-mails.</p>`,
          )}
        </div>`,
      ),
  }
}

function renderRequest(
  approval: OpenApproval,
  apis: ReadonlyMap<string, Api>,
  inputs: readonly InputSettings[],
  now: number,
): Html {
  const { application, requested, ...asked } = approval
  const { status, contact = 'none', metadata = {}, acceptedTerms } = application
  const isRegistration = status === 'pending'
  const grants = renderGrants(application.apis, apis)
  return html`<dl class="facts">
    ${renderFact('Developers', [contact])}
    ${inputs.map((input) => renderFact(translate(input.label, WORDS.language), [renderEntered(input, metadata)]))}
    ${renderFact(isRegistration ? 'APIs' : 'Requests access to', renderGrants(requested, apis))}
    ${!isRegistration && renderFact('May use now', grants.length > 0 ? grants : ['no API'])}
    ${renderFact(
      'Public keys, in place of a secret',
      asked.publicKeys?.map((line) => html`<code>${line}</code>`),
    )}
    ${renderAsked(asked, ` (${formatRelative(asked.requestedAt, now, WORDS)})`)}
    ${renderFact('Accepted terms', [acceptedTerms?.version])}
    ${renderFact('Application id', [html`<code>${application.id}</code>`])}
  </dl>`
}

/** What the application has for a field of the registration form: a schema may have made something else of what was entered. */
function renderEntered({ name, options }: InputSettings, metadata: JsonObject): Html | undefined {
  const value = ownMembers(metadata)[name]
  const option = options.find((each) => each.value === value)
  const text = option ? translate(option.label, WORDS.language) : value
  return text === undefined
    ? undefined
    : html`<div class="quote">${typeof text === 'string' ? text : JSON.stringify(text)}</div>`
}

function renderDecided({ requested, ...asked }: DecidedRequest, apis: ReadonlyMap<string, Api>): Html {
  return html`<dl class="facts">${renderFact('APIs', renderGrants(requested, apis))} ${renderAsked(asked)}</dl>`
}

/** A term and its descriptions, if it has any. */
function renderFact(term: string, descriptions: readonly (Html | string | undefined)[] = []): Html | false {
  const given = descriptions.filter((each) => each !== undefined)
  return (
    given.length > 0 &&
    html`<dt>${term}</dt>
      ${given.map((each) => html`<dd>${each}</dd>`)}`
  )
}

type Asked = Pick<OpenApproval, 'requestedAt'> & { readonly [Each in 'requestedBy' | 'address']?: string | undefined }

function renderAsked({ requestedAt, address, requestedBy }: Asked, age = ''): Html {
  const by = requestedBy === undefined ? '' : `, by ${requestedBy}`
  return html`${renderFact('Requested', [`${formatDateTime(requestedAt, WORDS)}${age}${by}`])}
  ${renderFact('IP address', [address])}`
}

/** An API that was removed from the options meanwhile has its name only. */
function renderGrants(granted: GrantedApis, apis: ReadonlyMap<string, Api>): readonly Html[] {
  return Object.entries(granted).map(([name, { scopes }]) => {
    const { title = name, scopes: texts = {} } = apis.get(name) ?? {}
    const chips = scopes.map((scope) => html`<li>${renderChip(scope)} ${ownMembers(texts)[scope]}</li>`)
    return html`<strong>${title}</strong> ${
        chips.length > 0 &&
        html`<ul>
          ${chips}
        </ul>`
      }`
  })
}

/** Two forms: only a click on one of the two buttons, or Enter in its field, decides. */
function renderDecisions(
  token: string,
  application: ApplicationRecord,
  reason: string | undefined,
  problem: Problem | undefined,
): Html {
  const { status, language } = application
  const isRegistration = status === 'pending'
  const hidden = html`<input type="hidden" name="link" value="${token}" />
    <input type="hidden" name="version" value="${countChanges(application)}" />`
  const kept = isRegistration ? 'A denied registration is deleted.' : 'The application keeps what it may use now.'
  const hint = `It is in their e-mail. ${kept} ${nameLanguage(language)}`
  const render = (attributes: Html): Html =>
    renderTextarea(
      html`${attributes} rows="3" required maxlength="500" ${reason !== undefined && !problem && html` autofocus`}`,
      reason ?? '',
    )
  return html`<form method="post">
      ${hidden}
      <button name="decision" value="approve">Approve</button>
    </form>
    <form method="post">
      ${hidden} ${renderField({ id: 'reason', label: 'Reason for the developers', hint, problem, render })}
      <button name="decision" value="deny" class="danger">Deny</button>
    </form>`
}

/** The reason stands in an e-mail in the contact's language, as the operator writes it. */
function nameLanguage(language: ApplicationRecord['language']): string {
  if (language === undefined || language === 'en') return ''
  return `Their e-mails are in ${new Intl.DisplayNames('en', { type: 'language' }).of(language)}.`
}

const UNKNOWN_OUTCOME =
  'This request does not wait for a decision any more. The audit log shows what has happened to the application.'

function describeOutcome(decided: DecidedRequest | undefined): EmptyState {
  if (!decided) return { drawing: 'alert', next: UNKNOWN_OUTCOME }
  const { outcome, at, by } = decided
  const next = `${OUTCOMES[outcome]} on ${formatDateTime(at, WORDS)}${by === undefined ? '' : ` by ${by.replace(/^operator:/, '')}`}.`
  return { drawing: outcome === 'rejected' ? 'cross' : 'alert', next, isGood: outcome === 'approved' }
}

const OUTCOMES = {
  approved: 'This request was approved',
  rejected: 'This request was denied',
  withdrawn: 'This request was withdrawn, because the application got another contact,',
  deleted: 'This application was deleted',
} as const

function describeDone(isApproved: boolean, isRegistration: boolean): string {
  if (!isApproved)
    return isRegistration
      ? 'The registration has been deleted. The developers get an e-mail with your reason.'
      : 'The application keeps what it may use now. The developers get an e-mail with your reason.'
  return isRegistration
    ? 'The developers get an e-mail with their credentials.'
    : 'The application may use it from now on. The developers get an e-mail.'
}

function describeNext(isApproved: boolean, isRegistration: boolean): string {
  if (!isApproved) return isRegistration ? 'They can register it again.' : 'They can ask again.'
  return 'To take access away again, remove scopes or suspend the application, on the operator’s pages or on the command line.'
}
